"""Random cases of every documented operator, what must come out of each, and the run that compares.

`Draw` makes a `Case` (a legal description with input values), `answer` computes what must come out, `check` runs the
case on a device and compares. The pieces are joined by `@case` and `@answer`, one pair per operator or per family of
operators that look alike.
"""

from tests.cases.framework.case import Accumulated, Bits, Case, Operand, number_of
from tests.cases.framework.draw import Draw
from tests.cases.framework.registry import HOSTILE, answer, answer_of, case, make_case, numbers_of, operators_with_cases

__all__ = [
    "HOSTILE",
    "Accumulated",
    "Bits",
    "Case",
    "Draw",
    "Operand",
    "answer",
    "answer_of",
    "case",
    "make_case",
    "number_of",
    "numbers_of",
    "operators_with_cases",
]
