"""The picture for machines: plain lists and dictionaries, ready for JSON."""

from __future__ import annotations

from typing import Any

from anydml.view.elements import Index
from anydml.view.elision import Gap
from anydml.view.facts import Facts
from anydml.view.mapping import rows_of
from anydml.view.picture import Grid, LogicalCell, MemoryCell, Picture, make_picture
from anydml.view.subject import Subject


def as_data(subject: Subject) -> dict[str, Any]:
    """Everything the text says, and every cell that it shows."""
    facts = Facts(make_picture(subject, show=str))  # JSON escapes what must be escaped, and loses nothing
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
        "places": subject.places,
        "sentences": list(facts.sentences),
        "order": {
            "names": list(order.names),
            "exact": list(order.exact),
            "total": order.total,
            "is_ambiguous": order.is_ambiguous,
        },
        "formula": facts.formula,
        "indices": [_chosen(facts, index) for index in subject.indices],
        "jumps": [
            {"axis": jump.axis, "stride": jump.stride, "from": jump.start, "to": jump.end} for jump in facts.jumps
        ],
        "example": {"index": list(index), "offset": layout(index), "computed": facts.computed(index)},
        "distinct_elements": picture.distinct,
        "amounts": {
            amount.name: {"elements": amount.elements, "bytes": amount.bytes, "remark": amount.remark}
            for amount in facts.amounts
        },
        "window": _window(picture),
        "is_elided": picture.is_elided,
        "logical": _grid(picture.grid),
        "result": _grid(picture.result) if picture.result else None,
        "memory": [_place(cell) for cell in picture.memory],
    }


def _chosen(facts: Facts, index: Index) -> dict[str, Any]:
    """An index asked for: where it lies and how that is computed; with a window, the input it comes from."""
    window = facts.picture.subject.window
    source = window.source(index) if window else index
    told = {"index": list(index), "offset": facts.layout(source), "computed": facts.computed(source)}
    return {**told, "label": facts.picture.label_at(source), "input": list(source)}


def _window(picture: Picture) -> dict[str, Any] | None:
    subject = picture.subject
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
        "elements": [
            {"output": list(row.output), "input": list(row.source), "label": row.label, "text": row.text}
            for row in rows_of(picture)
        ],
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
    chosen = {"chosen": True} if cell.is_chosen else {}
    return {"offset": cell.offset, "label": cell.label, "kind": cell.kind.value, **reach, **chosen}
