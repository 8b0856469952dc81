"""Attention of several heads: separate and stacked tensors, every kind of mask, biases, past and present."""

from __future__ import annotations

from typing import Any

from tests.cases.framework import Case, Draw, Operand, answer, case, values
from tests.oracle.attention import Heads, after, attend, biased, exact
from tests.oracle.inexact import Inexact, lift
from tests.oracle.moves import Index, Tensor, indices

MASKS = ("NONE", "KEY_SEQUENCE_LENGTH", "KEY_SEQUENCE_END_START", "KEY_QUERY_SEQUENCE_LENGTH_START_END", "BOOLEAN")
FORMS = {
    "separate": ("query", "key", "value"),
    "query and key": ("stacked_query_key", "value"),
    "key and value": ("query", "stacked_key_value"),
    "all": ("stacked_query_key_value",),
}
PARTS = {
    "query": ("query",),
    "key": ("key",),
    "value": ("value",),
    "stacked_query_key": ("query", "key"),
    "stacked_key_value": ("key", "value"),
    "stacked_query_key_value": ("query", "key", "value"),
}
SMALL = values.between(-1, 1)


class Lengths:
    """Sizes of one case. Stacked tensors have equal parts, so they need equal lengths, heads or head sizes."""

    def __init__(self, draw: Draw, form: str, mask: str) -> None:
        longest = 6 if draw.is_large else 3
        self.batch = 1 if mask == "KEY_QUERY_SEQUENCE_LENGTH_START_END" else draw.integer(1, 2)
        self.query, self.key = draw.integer(1, longest), draw.integer(1, longest)
        self.heads = self.shared = draw.integer(1, 2)
        if draw.operator == "MULTIHEAD_ATTENTION1" and form in ("separate", "key and value"):
            self.heads = self.shared * draw.integer(1, 3)
        self.size = self.value = draw.integer(1, 4)
        if form in ("separate", "query and key"):
            self.value = draw.integer(1, 4)
        if form in ("query and key", "all"):
            self.key = self.query
        self.past = 0

    @property
    def total(self) -> int:
        return self.past + self.key

    @property
    def hidden(self) -> dict[str, int]:
        """How many numbers of all heads a place of query, key and value has."""
        return {
            "query": self.heads * self.size,
            "key": self.shared * self.size,
            "value": self.shared * self.value,
        }

    def length(self, name: str) -> int:
        return self.query if name.startswith(("query", "stacked_query")) else self.key


def leading_ones(draw: Draw, sizes: Index, most: int = 5) -> Index:
    """The same sizes behind any allowed number of 1s."""
    return (*(1,) * draw.integer(0, most - len(sizes)), *sizes)


def draw_sources(draw: Draw, form: str, lengths: Lengths) -> None:
    for name in FORMS[form]:
        if name.startswith("stacked"):
            heads = lengths.shared if name == "stacked_key_value" else lengths.heads
            sizes = (lengths.batch, lengths.length(name), heads, len(PARTS[name]), lengths.size)
        else:
            sizes = leading_ones(draw, (lengths.batch, lengths.length(name), lengths.hidden[name]))
        draw.input(f"{name}_tensor", sizes=sizes, value=SMALL)


def draw_past(draw: Draw, lengths: Lengths) -> None:
    """Past and present come in pairs."""
    if draw.cycle("past", (True, False)):
        lengths.past = draw.integer(1, 3)
        for name, size in (("key", lengths.size), ("value", lengths.value)):
            sizes = leading_ones(draw, (lengths.batch, lengths.shared, lengths.past, size))
            draw.input(f"past_{name}_tensor", sizes=sizes, value=SMALL)


def draw_present(draw: Draw, lengths: Lengths) -> None:
    for name, size in (("key", lengths.size), ("value", lengths.value)):
        if draw.optional(f"output_present_{name}_tensor"):
            sizes = leading_ones(draw, (lengths.batch, lengths.shared, lengths.total, size))
            draw.output(f"output_present_{name}_tensor", sizes=sizes)


def draw_mask(draw: Draw, mask: str, lengths: Lengths) -> None:
    """At least one key stays for every query."""
    batch, whole = lengths.batch, lengths.total
    ends = [draw.integer(1, whole) for _ in range(batch)]
    if mask == "BOOLEAN":
        sizes: Index = (batch, lengths.heads, lengths.query, whole)
        numbers: Any = {i: int(i[3] == 0 or draw.chance(0.6)) for i in indices(sizes)}
        draw.input("mask_tensor", sizes=sizes, value=numbers)
    elif mask == "KEY_SEQUENCE_LENGTH":
        draw.input("mask_tensor", sizes=(1, batch), value={(0, b): end for b, end in enumerate(ends)})
    elif mask == "KEY_SEQUENCE_END_START":
        starts = {(1, b): draw.integer(0, end - 1) for b, end in enumerate(ends)}
        draw.input("mask_tensor", sizes=(2, batch), value={**{(0, b): end for b, end in enumerate(ends)}, **starts})
    elif mask == "KEY_QUERY_SEQUENCE_LENGTH_START_END":
        row = (ends[0], 0, lengths.query, 0, whole)
        draw.input("mask_tensor", sizes=(len(row),), value={(k,): number for k, number in enumerate(row)})


def draw_attention(draw: Draw) -> Lengths:
    form, mask = draw.cycle("form", list(FORMS)), draw.cycle("mask", MASKS)
    lengths = Lengths(draw, form, mask)
    draw_sources(draw, form, lengths)
    if draw.optional("bias_tensor"):
        sizes = leading_ones(draw, (sum(lengths.hidden.values()),))
        draw.input("bias_tensor", sizes=sizes, value=SMALL)
    draw_past(draw, lengths)
    draw_mask(draw, mask, lengths)
    if draw.optional("relative_position_bias_tensor"):
        sizes = leading_ones(draw, (lengths.batch, lengths.heads, lengths.query, lengths.total))
        draw.input("relative_position_bias_tensor", sizes=sizes, value=SMALL)
    output = leading_ones(draw, (lengths.batch, lengths.query, lengths.heads * lengths.value))
    draw.output("output_tensor", sizes=output)
    draw.attributes(scale=draw.choice(1.0, 0.5, 0.375), mask_type=mask, mask_filter_value=draw.choice(-10000.0, -1.5))
    return lengths


@case("MULTIHEAD_ATTENTION", count=60)
def attention(draw: Draw) -> None:
    lengths = draw_attention(draw)
    draw_present(draw, lengths)
    draw.attributes(head_count=lengths.heads)


@case("MULTIHEAD_ATTENTION1", count=60)
def grouped_attention(draw: Draw) -> None:
    """Lengths of the past are given where there is one and a single query follows it."""
    if draw.number % 5 == 4:
        lengths = draw_with_past_lengths(draw)
    else:
        lengths = draw_attention(draw)
        draw_present(draw, lengths)
    draw.attributes(query_head_count=lengths.heads, key_value_head_count=lengths.shared)


def draw_with_past_lengths(draw: Draw) -> Lengths:
    """One new place behind a past of which the first few places count."""
    lengths = Lengths(draw, "separate", "NONE")
    lengths.query = lengths.key = 1
    lengths.past = draw.integer(2, 4)
    draw_sources(draw, "separate", lengths)
    for name, size in (("key", lengths.size), ("value", lengths.value)):
        draw.input(f"past_{name}_tensor", sizes=(lengths.batch, lengths.shared, lengths.past, size), value=SMALL)
    whole = draw.chance(0.3)
    counts = {(b,): float(lengths.past if whole else draw.integer(1, lengths.past)) for b in range(lengths.batch)}
    draw.input("past_sequence_lengths_tensor", sizes=(lengths.batch,), value=counts)
    draw.output("output_tensor", sizes=(lengths.batch, 1, lengths.heads * lengths.value))
    if whole:
        draw_present(draw, lengths)
    draw.attributes(scale=0.5, mask_type="NONE", mask_filter_value=-10000.0)
    return lengths


# Answers


def bare(operand: Operand, rank: int) -> Tensor:
    """Elements without leading 1s."""
    return {i[len(i) - rank :]: v for i, v in operand.values.items()}


def split_heads(operand: Operand, heads: int) -> Heads:
    """(batch, length, heads * size) by head."""
    batch, length, hidden = operand.sizes[-3:]
    size = hidden // heads
    numbers = {(b, k // size, t, k % size): v for (b, t, k), v in bare(operand, 3).items()}
    return Heads(numbers, (batch, heads, length, size))


def unstacked(operand: Operand, part: int) -> Heads:
    """One part of (batch, length, heads, parts, size)."""
    batch, length, heads, _, size = operand.sizes
    numbers = {(b, h, t, k): v for (b, t, h, p, k), v in operand.values.items() if p == part}
    return Heads(numbers, (batch, heads, length, size))


def source(given: Case, name: str, heads: int) -> Heads:
    """Query, key or value, wherever it is given."""
    if f"{name}_tensor" in given.fields:
        return split_heads(given[f"{name}_tensor"], heads)
    stacked = next(key for key, parts in PARTS.items() if name in parts and f"{key}_tensor" in given.fields)
    return unstacked(given[f"{stacked}_tensor"], PARTS[stacked].index(name))


def past_of(given: Case, name: str) -> Heads | None:
    operand = given.get(f"past_{name}_tensor")
    return operand and Heads(bare(operand, 4), operand.sizes[-4:])


def is_masked(given: Case, place: Index) -> bool:
    """Whether the mask hides this key from this query; lengths and limits count keys."""
    batch, _, _, key = place
    mask, kind = given.get("mask_tensor"), given["mask_type"]
    if mask is None or kind == "NONE":
        return False
    if kind == "BOOLEAN":
        return mask.values[(0,) * (mask.rank - 4) + place] == 0
    numbers, count = list(mask.values.values()), given["output_tensor"].sizes[-3]
    start = numbers[count + batch] if kind == "KEY_SEQUENCE_END_START" else 0
    return not start <= key < numbers[batch]


def is_beyond(given: Case, place: Index, past: int) -> bool:
    """Whether a key of the past lies behind the number of places that count."""
    lengths = given.get("past_sequence_lengths_tensor")
    return lengths is not None and list(lengths.values.values())[place[0]] <= place[3] < past


@answer("MULTIHEAD_ATTENTION", "MULTIHEAD_ATTENTION1")
def attention_answer(given: Case) -> dict[str, Tensor]:
    heads = given["head_count"] if "head_count" in given.fields else given["query_head_count"]
    shared = given.get("key_value_head_count", heads)
    found = {name: source(given, name, heads if name == "query" else shared) for name in ("query", "key", "value")}
    bias, start = given.get("bias_tensor"), 0
    for name, x in found.items():
        count = x.sizes[1] * x.sizes[3]
        found[name] = biased(x, list(bias.values.values())[start : start + count]) if bias else exact(x)
        start += count
    key, value = (after(past_of(given, name), found[name]) for name in ("key", "value"))
    output = attend(found["query"], key, value, given["scale"], adjustment(given, key.sizes[2] - found["key"].sizes[2]))
    return {
        "output_tensor": with_rank(output, given["output_tensor"].rank),
        **{f"output_present_{name}_tensor": present(given, name, x) for name, x in (("key", key), ("value", value))},
    }


def present(given: Case, name: str, x: Heads) -> Tensor:
    operand = given.get(f"output_present_{name}_tensor")
    return with_rank(x.numbers, operand.rank) if operand else {}


def with_rank(numbers: Tensor, rank: int) -> Tensor:
    return {(0,) * (rank - len(i)) + i: v for i, v in numbers.items()}


def adjustment(given: Case, past: int) -> Any:
    """What happens to a score: the bias of its position is added, then the mask adds or sets its value."""
    position, filtered = given.get("relative_position_bias_tensor"), given["mask_filter_value"]

    def adjust(place: Index, score: Inexact) -> Inexact:
        if position:
            score = score + position.values[(0,) * (position.rank - 4) + place]
        if is_beyond(given, place, past):
            return lift(-1e30)
        if is_masked(given, place):
            return score + filtered if given["mask_type"] == "BOOLEAN" else lift(filtered)
        return score

    return adjust
