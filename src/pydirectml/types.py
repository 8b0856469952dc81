"""Descriptions, expressions and data, in the shapes that PyDirectML gives them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from anydml.core import tensor as core
from anydml.core.calling import ARGUMENTS as PARAMETERS
from anydml.core.errors import BindingError, InvalidDescriptionError, found_at, raise_if_any, shown
from anydml.core.fixes import suggest
from anydml.core.integers import require_integers
from anydml.core.outside import as_integer
from anydml.core.policy import DEFAULT, INTERLEAVED_CHANNEL
from anydml.core.policy import TensorPolicy as _Policy
from anydml.core.rules import rule
from anydml.core.schema import OPERATORS, Operator
from anydml.core.stored import as_array, as_elements
from anydml.expression import graph as expressions
from anydml.expression.places import blamed_on
from anydml.runtime.host import require_memory
from pydirectml.enumerations import OperatorType, TensorDataType, TensorFlags

EMPTY = rule("pydirectml.empty", "An expression that is used has been computed: Expression() is empty.")
ARGUMENTS = rule("pydirectml.tensor-desc", "A TensorDesc is made from one of the four lists of arguments it has.")
DATA_TYPE = rule("pydirectml.data-type", "Bound data are numbers that the described data type can hold.")
DATA_SIZE = rule("pydirectml.data-size", "Bound data have as many elements as the description's memory.")


class Dimensions(list[int]):
    """Sizes, or strides, of a tensor."""

    def __init__(self, values: Iterable[int] = (), /) -> None:
        super().__init__(require_integers(values, "values"))


class TensorPolicy:
    """How tensors that nobody described are laid out: `TensorPolicy.default`, `TensorPolicy.interleaved_channel`."""

    default: TensorPolicy
    interleaved_channel: TensorPolicy

    def __init__(self, policy: _Policy = DEFAULT) -> None:
        if not isinstance(policy, _Policy):
            fix = "TensorPolicy.default"
            raise InvalidDescriptionError(ARGUMENTS("policy", shown(policy), "a policy of anydml", fix), "TensorPolicy")
        self._policy = policy

    def __repr__(self) -> str:
        return f"dml.TensorPolicy.{self._policy.name}"


TensorPolicy.default = TensorPolicy(DEFAULT)
TensorPolicy.interleaved_channel = TensorPolicy(INTERLEAVED_CHANNEL)
_FORMS = (
    ("data_type", "sizes", "tensor_policy"),
    ("data_type", "flags", "sizes", "tensor_policy"),
    ("data_type", "sizes", "strides"),
    ("data_type", "flags", "sizes", "strides", "total_tensor_size_in_bytes", "guaranteed_base_offset_alignment"),
)


class TensorDesc:
    """A tensor's type, sizes, strides and flags. Arguments, in one of four forms:

    - data_type, sizes, tensor_policy (which may be left out);
    - data_type, flags, sizes, tensor_policy (which may be left out);
    - data_type, sizes, strides;
    - data_type, flags, sizes, strides, total_tensor_size_in_bytes, guaranteed_base_offset_alignment.
    """

    described: core.TensorDesc

    def __init__(self, *arguments: Any, **named: Any) -> None:
        with blamed_on("TensorDesc"):
            given = _form_of(arguments, named)
            policy = given.get("tensor_policy", TensorPolicy.default)
            strides = given.get("strides")
            if isinstance(policy, TensorPolicy) and policy._policy is not DEFAULT:
                strides = policy._policy(given["sizes"]).strides
            self.described = core.TensorDesc(
                as_integer(given["data_type"]) or 0,
                given["sizes"],
                strides,
                flags=as_integer(given.get("flags", 0)),
                total_tensor_size_in_bytes=given.get("total_tensor_size_in_bytes"),
                guaranteed_base_offset_alignment=given.get("guaranteed_base_offset_alignment", 0),
            )

    @classmethod
    def of(cls, described: core.TensorDesc) -> TensorDesc:
        """The same description in this shape."""
        made = cls.__new__(cls)
        made.described = described
        return made

    @property
    def data_type(self) -> TensorDataType:
        return TensorDataType(self.described.data_type.id)

    @property
    def flags(self) -> TensorFlags:
        return TensorFlags(int(self.described.flags))

    @property
    def sizes(self) -> Dimensions:
        return Dimensions(self.described.sizes)

    @property
    def strides(self) -> Dimensions | None:
        """The strides that were given; None for a packed tensor."""
        return None if self.described.has_implicit_strides else Dimensions(self.described.strides)

    @property
    def total_tensor_size_in_bytes(self) -> int:
        return self.described.total_tensor_size_in_bytes

    @property
    def guaranteed_base_offset_alignment(self) -> int:
        return self.described.guaranteed_base_offset_alignment

    def __repr__(self) -> str:
        sizes = ",".join(map(str, self.sizes))
        return f"dml.TensorDesc of type {self.data_type.name} and shape [{sizes}] with flags {int(self.flags)}"


def _form_of(arguments: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name, in the form they have."""
    for form in _FORMS:
        if len(arguments) > len(form):
            continue
        given = dict(zip(form, arguments, strict=False)) | named
        needed = [name for name in form if name != "tensor_policy"]
        clash = len(given) < len(arguments) + len(named) or set(given) - set(form)
        if not clash and all(name in given for name in needed) and _fits(given):
            return given
    found = ", ".join([*(shown(each) for each in arguments), *(f"{key}={shown(v)}" for key, v in named.items())])
    forms = "; ".join(", ".join(form) for form in _FORMS)
    raise InvalidDescriptionError(ARGUMENTS("", found or "nothing", f"one of: {forms}"))


def _fits(given: dict[str, Any]) -> bool:
    sizes, strides, flags = given["sizes"], given.get("strides"), given.get("flags", 0)
    return (
        as_integer(given["data_type"]) is not None
        and isinstance(sizes, (list, tuple, np.ndarray))
        and (strides is None or isinstance(strides, (list, tuple, np.ndarray)))
        and as_integer(flags) is not None
        and isinstance(given.get("tensor_policy", TensorPolicy.default), TensorPolicy)
    )


class Expression:
    """A tensor that a graph computes, or is given. `Expression()` is empty: no tensor at all."""

    __slots__ = ("_made",)
    __array_ufunc__ = None
    """NumPy's arrays and numbers leave operators to this class."""

    def __init__(self) -> None:
        self._made: expressions.Expression | None = None

    @classmethod
    def of(cls, made: expressions.Expression | None) -> Expression:
        expression = cls()
        expression._made = made
        return expression

    @property
    def made(self) -> expressions.Expression:
        """The expression of the graph; an error if this one is empty."""
        if self._made is None:
            with blamed_on("Expression"):
                fix = "the result of input_tensor or of another function"
                raise InvalidDescriptionError(EMPTY("", "an empty expression", "a tensor", fix))
        return self._made

    def get_output_desc(self) -> TensorDesc:
        """The description of the tensor."""
        return TensorDesc.of(self.made.desc)

    def __add__(self, other: Expression | float) -> Expression:
        return Expression.of(self.made + _operand(other))

    def __radd__(self, other: float) -> Expression:
        return Expression.of(self.made.__radd__(_operand(other)))

    def __sub__(self, other: Expression | float) -> Expression:
        return Expression.of(self.made - _operand(other))

    def __rsub__(self, other: float) -> Expression:
        return Expression.of(self.made.__rsub__(_operand(other)))

    def __mul__(self, other: Expression | float) -> Expression:
        return Expression.of(self.made * _operand(other))

    def __rmul__(self, other: float) -> Expression:
        return Expression.of(self.made.__rmul__(_operand(other)))

    def __truediv__(self, other: Expression | float) -> Expression:
        return Expression.of(self.made / _operand(other))

    def __rtruediv__(self, other: float) -> Expression:
        return Expression.of(self.made.__rtruediv__(_operand(other)))

    def __mod__(self, other: Expression) -> Expression:
        return Expression.of(self.made % _operand(other))

    def __neg__(self) -> Expression:
        return Expression.of(-self.made)

    def __repr__(self) -> str:
        return "dml.Expression()" if self._made is None else f"dml.Expression {self._made.name!r}: {self._made.desc}"


def _operand(value: Any) -> Any:
    return value.made if isinstance(value, Expression) else value


class Size2D:
    """A width and a height."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height

    def __repr__(self) -> str:
        return f"dml.Size2D({self.width}, {self.height})"


class FusedActivation:
    """An activation inside another operator; the parameters are its first two attributes."""

    def __init__(self, activation: OperatorType, param_1: float = 0, param_2: float = 0, **more: float) -> None:
        with blamed_on("FusedActivation"):
            self.activation = OperatorType(activation)
            self.param_1 = more.pop("param1", param_1)
            self.param_2 = more.pop("param2", param_2)
            known = ["activation", "param_1", "param_2"]
            expected = f"a parameter: {', '.join(known)}"
            raise_if_any(PARAMETERS(key, shown(value), expected, suggest(key, known)) for key, value in more.items())

    @property
    def operator(self) -> Operator | None:
        """The activation as other operators take it."""
        name = "SCATTER_ELEMENTS" if self.activation.name == "SCATTER" else self.activation.name
        if name == "INVALID":
            return None
        cls = OPERATORS[name]
        names = [field.name for field in cls.attribute_fields() if field.name != "scale_bias"]
        return cls.fused(**dict(zip(names, (self.param_1, self.param_2), strict=False)))


class MaxPoolingOutputs:
    """What `max_pooling` computes."""

    def __init__(self, values: Expression, indices: Expression) -> None:
        self.values, self.indices = values, indices


class GRUOutputs:
    """What `gru` computes."""

    def __init__(self, sequence: Expression, single: Expression) -> None:
        self.sequence, self.single = sequence, single


class TensorData(np.ndarray[Any, np.dtype[Any]]):
    """Numbers of a tensor: an array, and so a buffer. `TensorData(array)` is a copy with the array's own type."""

    def __new__(cls, data: npt.ArrayLike) -> TensorData:
        array = as_array(data, "data")
        with found_at("data"):
            require_memory(array.nbytes)
        return np.array(array, order="C").view(cls)


class Binding:
    """Data for a graph input: converted to the described type, and copied, when the binding is made."""

    def __init__(self, expr: Expression, data: npt.ArrayLike) -> None:
        with blamed_on("Binding"):
            if not isinstance(expr, Expression):
                raise InvalidDescriptionError(EMPTY("expr", shown(expr), "an expression"))
            self.expression = expr.made
            self.desc = TensorDesc.of(self.expression.desc)
            self.data = _converted(data, self.expression)

    def __repr__(self) -> str:
        return f"dml.Binding of {self.expression.name!r}: {self.desc!r}"


def _converted(data: Any, expression: expressions.Expression) -> npt.NDArray[Any]:
    """The memory of the tensor: the data's elements in a row."""
    desc = expression.desc
    array = as_array(data, "data", BindingError)
    if array.dtype.kind == "f" and not desc.data_type.is_float:
        fix = f"data.astype({desc.data_type.numpy_dtype.name!r}), or data.view of it"
        found = f"data of type {array.dtype}"
        raise BindingError(DATA_TYPE(expression.name, found, desc.data_type.name, fix))
    flat = np.array(as_elements(array, desc.data_type, expression.name, BindingError), order="C").reshape(-1)
    if not desc.minimum_size_in_bytes <= flat.nbytes <= desc.total_tensor_size_in_bytes:
        element = desc.data_type.element_bytes
        found = f"{flat.size} elements of shape {array.shape}"
        expected = f"{desc.total_tensor_size_in_bytes // element}, the memory of {desc!r}"
        raise BindingError(DATA_SIZE(expression.name, found, expected))
    return flat
