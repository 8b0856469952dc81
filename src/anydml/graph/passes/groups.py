"""What belongs together: members connected by pairs."""

from __future__ import annotations

from collections.abc import Iterable


def connected(members: Iterable[int], pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The members in groups: two of a pair are in one, and so are those that several pairs connect."""
    above = {member: member for member in members}
    for one, other in pairs:
        above[_top(above, other)] = _top(above, one)
    groups: dict[int, list[int]] = {}
    for member in above:
        groups.setdefault(_top(above, member), []).append(member)
    return list(groups.values())


def _top(above: dict[int, int], member: int) -> int:
    """The one that stands for a member's group. Ways are shortened as they are walked, or long ones take too long."""
    while above[member] != member:
        above[member] = member = above[above[member]]
    return member
