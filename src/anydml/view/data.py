"""The picture for machines: plain lists and dictionaries, ready for JSON."""

from __future__ import annotations

from typing import Any

from anydml.view.elision import Gap
from anydml.view.facts import Facts
from anydml.view.picture import Grid, LogicalCell, MemoryCell, make_picture
from anydml.view.subject import Subject


def as_data(subject: Subject) -> dict[str, Any]:
    """Everything the text says, and every cell that it shows."""
    facts = Facts(make_picture(subject))
    layout, picture, order = facts.layout, facts.picture, facts.order
    index = facts.example_index
    return {
        "data_type": subject.data_type.name if subject.data_type else None,
        "axes": subject.axes,
        "sizes": list(layout.sizes),
        "strides": list(layout.strides),
        "strides_given": not subject.implicit_strides,
        "packed_strides": list(layout.packed_strides),
        "offset": layout.offset,
        "kinds": list(facts.kinds),
        "sentences": list(facts.sentences),
        "order": {
            "names": list(order.names),
            "exact": list(order.exact),
            "total": order.total,
            "is_ambiguous": order.is_ambiguous,
        },
        "formula": facts.formula,
        "example": {"index": list(index), "offset": layout(index), "computed": facts.computed(index)},
        "distinct_elements": picture.distinct,
        "amounts": {
            amount.name: {"elements": amount.elements, "bytes": amount.bytes, "remark": amount.remark}
            for amount in facts.amounts
        },
        "window": _window(subject),
        "is_elided": picture.is_elided,
        "logical": _grid(picture.grid),
        "result": _grid(picture.result) if picture.result else None,
        "memory": [_place(cell) for cell in picture.memory],
    }


def _window(subject: Subject) -> dict[str, Any] | None:
    window = subject.window
    if window is None:
        return None
    taken = window.result(subject.layout)
    return {
        "offsets": list(window.offsets),
        "sizes": list(window.sizes),
        "strides": list(window.strides),
        "output_sizes": list(window.output_sizes),
        "starts": list(window.starts),
        "layout": {"sizes": list(taken.sizes), "strides": list(taken.strides), "offset": taken.offset},
    }


def _grid(grid: Grid) -> list[dict[str, Any]]:
    return [{"at": list(at), **_cell(cell), "index": list(cell.index)} for at, cell in grid.cells.items()]


def _place(cell: MemoryCell | Gap) -> dict[str, Any]:
    if isinstance(cell, Gap):
        return {"left_out": cell.hidden}
    return {**_cell(cell), "readers": cell.readers}


def _cell(cell: LogicalCell | MemoryCell) -> dict[str, Any]:
    reach = {"reach": cell.reach.value, "step": cell.step} if cell.reach else {}
    return {"offset": cell.offset, "label": cell.label, "kind": cell.kind.value, **reach}
