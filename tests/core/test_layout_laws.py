"""Every operation of a layout keeps its law, on thousands of layouts."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anydml as dml
from tests.core import laws
from tests.core.laws import (
    LAWS,
    assert_points,
    factorizations,
    is_nested,
    offsets_of,
    random_layout,
    strides_that_walk,
)

LAYOUTS_A_RUN = 2_000


def test_laws__hold_on_thousands_of_random_layouts() -> None:
    checked = 0
    kinds = {"packed": 0, "padded": 0, "broadcast": 0, "overlapping": 0, "reversed": 0}
    for seed in range(LAYOUTS_A_RUN):
        random = Random(seed)
        layout = random_layout(random)
        for law in LAWS:
            law(layout, random)
        checked += 1
        kinds["packed"] += layout.is_packed
        kinds["padded"] += layout.is_padded
        kinds["broadcast"] += layout.is_broadcast
        kinds["overlapping"] += layout.has_overlap and not layout.is_broadcast
        kinds["reversed"] += min(layout.strides) < 0
    assert checked == LAYOUTS_A_RUN
    # A law that only ever met one kind of layout would prove little.
    assert all(count > LAYOUTS_A_RUN // 100 for count in kinds.values()), kinds


@pytest.mark.parametrize("law", LAWS)
@given(random=st.randoms(use_true_random=False))
def test_law__survives_a_search_for_counterexamples(law: Callable[[dml.Layout, Random], None], random: Random) -> None:
    law(random_layout(random, most_elements=24), random)


def _shifted(method: Callable[..., dml.Layout]) -> Callable[..., dml.Layout]:
    """The same method, its result one element further on."""

    def off_by_one(self: dml.Layout, *arguments: object) -> dml.Layout:
        result = method(self, *arguments)
        return dml.Layout(result.sizes, result.strides, result.offset + 1)

    return off_by_one


BROKEN = {
    "law_definition": ("__call__", lambda self, index: 1),
    "law_value": ("__hash__", lambda self: id(self)),
    "law_extent": ("last_offset", property(lambda self: self.first_offset + self.span)),
    "law_permute": ("permute", _shifted(dml.Layout.permute)),
    "law_broadcast": ("broadcast_to", _shifted(dml.Layout.broadcast_to)),
    "law_pad": ("pad", _shifted(dml.Layout.pad)),
    "law_window": ("window", _shifted(dml.Layout.window)),
    "law_split": ("split", _shifted(dml.Layout.split)),
    "law_reshape": ("reshape", _shifted(dml.Layout.reshape)),
    "law_coalesce": ("coalesce", lambda self: self),
    "law_from_order": ("from_order", classmethod(lambda cls, sizes, order, axes: cls(sizes))),
}


@pytest.mark.parametrize("law", [law for law in LAWS if law.__name__ in BROKEN])
def test_law__can_fail(law: Callable[[dml.Layout, Random], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dml.Layout, *BROKEN[law.__name__])
    with pytest.raises(AssertionError):
        for seed in range(50):
            law(random_layout(Random(seed)), Random(seed))


def test_law_order__can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = dml.OrderMatch("HW", (), (), 0)
    monkeypatch.setattr(laws, "recognize_order", lambda layout, axes=None: nothing)
    with pytest.raises(AssertionError):
        laws.law_order(dml.Layout((2, 3)), Random(0))


def test_assert_points__can_fail() -> None:
    with pytest.raises(AssertionError):
        assert_points(dml.Layout((2, 3)), lambda index: 3 * index[0] + index[1] + (index == (1, 2)))


def test_oracles__know_what_they_should() -> None:
    assert offsets_of((2, 3), (5, 1), 1) == [1, 2, 3, 6, 7, 8]
    assert strides_that_walk([0, 1, 2, 5, 6, 7], (6,)) is None
    assert strides_that_walk([0, 1, 2, 5, 6, 7], (2, 3)) == (5, 1)
    assert sorted(factorizations(6, 2)) == [(2, 3), (3, 2), (6,)]
    assert is_nested(dml.Layout((2, 3), (5, 1))) and not is_nested(dml.Layout((2, 3), (2, 1)))
