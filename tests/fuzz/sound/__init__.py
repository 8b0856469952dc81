"""A sound call of everything public: a function and arguments that it takes, for one to be replaced by another."""

from tests.fuzz.sound.descriptions import DESCRIPTIONS, enumerations
from tests.fuzz.sound.devices import DEVICE
from tests.fuzz.sound.expressions import EXPRESSIONS, OPERATOR_CALLS
from tests.fuzz.sound.graphs import GRAPHS, PICTURES, SLICES
from tests.fuzz.sound.pydirectml import PYDIRECTML
from tests.fuzz.sound.shared import Sound
from tests.fuzz.sound.surface import Call

OWN_CALLS: Sound = {
    **enumerations(),
    **DEVICE,
    **DESCRIPTIONS,
    **GRAPHS,
    **SLICES,
    **PICTURES,
    **EXPRESSIONS,
    **PYDIRECTML,
}
UNSOUND = {"dml.CompiledOperator", "expression of FOLD", "expression of SPLIT"}
"""What takes arguments that no user makes, or that a function of expressions cannot say: refused as it stands."""
__all__ = ["OPERATOR_CALLS", "OWN_CALLS", "UNSOUND", "Call"]
