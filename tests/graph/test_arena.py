"""Places in an arena: none where another piece lies that lives at the same time, and as low as they can be."""

from __future__ import annotations

from random import Random

import pytest

from anydml.graph.passes.arena import Piece, most_alive, pairs_alive, place_in_time, place_lowest
from anydml.graph.passes.groups import connected


def random_pieces(random: Random) -> list[Piece]:
    steps, sizes = random.choice((1, 3, 20, 100)), random.choice(([64], [64, 128], [64, 192, 256, 1024, 8192]))
    longest = random.randint(1, steps)
    pieces = []
    for number in range(random.choice((1, 2, 10, 60))):
        first = random.randrange(steps)
        last = min(steps - 1, first + random.randrange(longest))
        pieces.append(Piece((number,), random.choice(sizes), first, last))
    return pieces


def live_together(one: Piece, other: Piece) -> bool:
    return any(one.first <= step <= one.last for step in range(other.first, other.last + 1))


def lowest_places(pieces: list[Piece]) -> list[int]:
    """By trying every multiple of 64."""
    places: list[int] = []
    for number, piece in enumerate(pieces):
        others = [(places[n], pieces[n].size) for n in range(number) if live_together(piece, pieces[n])]
        place = 0
        while any(place < start + size and start < place + piece.size for start, size in others):
            place += 64
        places.append(place)
    return places


@pytest.mark.parametrize("seed", range(100))
def test_places__are_the_lowest_that_are_free(seed: int) -> None:
    pieces = random_pieces(Random(f"lowest {seed}"))
    places, total = place_lowest(pieces)
    assert places == lowest_places(pieces)
    assert total == max(place + piece.size for place, piece in zip(places, pieces, strict=True))


@pytest.mark.parametrize("seed", range(100))
def test_places_in_time__are_free_while_a_piece_lives(seed: int) -> None:
    pieces = random_pieces(Random(f"time {seed}"))
    places, total = place_in_time(pieces)
    assert most_alive(pieces) <= total == max(p + piece.size for p, piece in zip(places, pieces, strict=True))
    for number, piece in enumerate(pieces):
        for other in range(number):
            apart = places[number] >= places[other] + pieces[other].size or places[other] >= places[number] + piece.size
            assert apart or not live_together(piece, pieces[other])


@pytest.mark.parametrize("seed", range(40))
def test_places_in_time__of_equal_pieces_need_no_more_than_live_at_once(seed: int) -> None:
    pieces = [Piece(p.slots, 64, p.first, p.last) for p in random_pieces(Random(f"equal {seed}"))]
    assert place_in_time(pieces)[1] == most_alive(pieces)


@pytest.mark.parametrize("seed", range(40))
def test_alive__is_counted_at_every_step(seed: int) -> None:
    pieces = random_pieces(Random(f"alive {seed}"))
    steps = range(max(piece.last for piece in pieces) + 1)
    alive = [sum(piece.size for piece in pieces if piece.first <= step <= piece.last) for step in steps]
    assert most_alive(pieces) == max(alive)
    pairs = [live_together(one, other) for n, one in enumerate(pieces) for other in pieces[:n]]
    assert pairs_alive(pieces) == sum(pairs)


@pytest.mark.parametrize("seed", range(40))
def test_groups__are_what_pairs_connect(seed: int) -> None:
    """Whoever is in the group of a member is reached from it, and nobody else is."""
    random = Random(f"groups {seed}")
    count = random.choice((1, 5, 30))
    pairs = [(random.randrange(count), random.randrange(count)) for _ in range(random.randrange(count + 1))]
    groups = connected(range(count), pairs)
    assert sorted(member for group in groups for member in group) == list(range(count))
    for group in groups:
        reached = {group[0]}
        for _ in range(count):
            reached |= {n for pair in pairs for n in pair if reached & set(pair)}
        assert reached == set(group)
