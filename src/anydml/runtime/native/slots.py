"""How kernels find their operands: in a buffer of the caller, in their parameters, or in memory of their thread."""

from __future__ import annotations

from anydml.runtime.native import staging
from anydml.runtime.native.emit import Emitter, Value
from anydml.runtime.native.schedule import WORD

OWN_PARAMETERS = -1
"""In place of a slot: the data lies in the parameters themselves."""
OWN_THREAD = -2
"""In place of a slot: memory of the thread that runs the chunk, where what kernels run in turn hand on lies."""


def start(e: Emitter, slot: Value, offset: Value) -> str:
    """The address of an operand, in a kernel with the arguments `bases`, `parameters` and `staging`."""
    is_slot, is_own = (e.value(f"icmp {how}") for how in (f"sge i64 {slot}, 0", f"eq i64 {slot}, {OWN_PARAMETERS}"))
    # Any slot will do where none is used.
    index = e.value(f"select i1 {is_slot}, i64 {slot}, i64 0")
    base = e.load("ptr", e.at("%bases", e.multiply(index, WORD)), WORD)
    own = e.value(f"select i1 {is_own}, ptr %parameters, ptr {e.at('%staging', staging.BYTES)}")
    return e.at(e.value(f"select i1 {is_slot}, ptr {base}, ptr {own}"), offset)
