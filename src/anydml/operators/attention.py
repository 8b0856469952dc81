"""MULTIHEAD_ATTENTION and MULTIHEAD_ATTENTION1: queries gather values by how well keys fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anydml.core.enums import MultiheadAttentionMaskType as MaskType
from anydml.core.errors import Violation
from anydml.core.fixes import Add, Remove, Use
from anydml.core.levels import FeatureLevel
from anydml.core.naming import pascal
from anydml.core.rules import rule
from anydml.core.schema import Enumeration, Float, Integer, Operator, attribute, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators import attending
from anydml.operators.attending import Geometry
from anydml.operators.types import FLOAT_16_32, INT32

SOURCES = rule(
    "attention.sources",
    "Queries, keys and values come from one tensor each, alone or stacked; keys and values may be past ones alone.",
)
HEADS = rule("attention.heads", "Heads share hidden sizes evenly, and queries share the heads of keys evenly.")
SIZES = rule("attention.sizes", "The sizes of an attention's tensors follow from queries, keys, values and heads.")
MASK = rule("attention.mask", "MaskTensor and MaskType belong together, and the type decides the sizes.")
LENGTHS = rule("attention.past-lengths", "Lengths of the past need past keys and values.")
_FLOATS = {"1.0": FLOAT_16_32}
_COUNT = Integer(minimum=1)
_RANK_1, _RANK_3, _RANK_4, _RANK_5 = ({"1.0": (low, 5)} for low in (1, 3, 4, 5))
_ROLES = {
    "query": ("query_tensor", "stacked_query_key_tensor", "stacked_query_key_value_tensor"),
    "key": ("key_tensor", "stacked_query_key_tensor", "stacked_key_value_tensor", "stacked_query_key_value_tensor"),
    "value": ("value_tensor", "stacked_key_value_tensor", "stacked_query_key_value_tensor"),
}
_SAME = (
    same(
        "bias_tensor key_tensor output_present_key_tensor output_present_value_tensor output_tensor past_key_tensor "
        "past_value_tensor query_tensor relative_position_bias_tensor stacked_key_value_tensor "
        "stacked_query_key_tensor stacked_query_key_value_tensor value_tensor",
        "DataType",
    ),
)


class _Attention(Operator, abstract=True):
    """What both versions have in common."""

    query_tensor: TensorDesc | None = tensor_input(_FLOATS, rank=_RANK_3, optional=True)
    key_tensor: TensorDesc | None = tensor_input(_FLOATS, rank=_RANK_3, optional=True)
    value_tensor: TensorDesc | None = tensor_input(_FLOATS, rank=_RANK_3, optional=True)
    stacked_query_key_tensor: TensorDesc | None = tensor_input(_FLOATS, rank=_RANK_5, optional=True)
    stacked_key_value_tensor: TensorDesc | None = tensor_input(_FLOATS, rank=_RANK_5, optional=True)
    stacked_query_key_value_tensor: TensorDesc | None = tensor_input(_FLOATS, rank=_RANK_5, optional=True)
    bias_tensor: TensorDesc | None = tensor_input(_FLOATS, rank=_RANK_1, optional=True)
    mask_tensor: TensorDesc | None = tensor_input({"1.0": INT32}, rank=_RANK_1, optional=True)
    relative_position_bias_tensor: TensorDesc | None = tensor_input(_FLOATS, rank=_RANK_4, optional=True)
    past_key_tensor: TensorDesc | None = tensor_input(_FLOATS, rank=_RANK_4, optional=True)
    past_value_tensor: TensorDesc | None = tensor_input(_FLOATS, rank=_RANK_4, optional=True)
    same = _SAME
    partial_outputs = True
    temporary_copies = 8
    output_tensor: TensorDesc
    output_present_key_tensor: TensorDesc | None
    output_present_value_tensor: TensorDesc | None
    mask_type: MaskType

    @property
    def head_counts(self) -> tuple[int, int]:
        """Heads of queries, and of keys and values."""
        raise NotImplementedError

    @property
    def lengths(self) -> TensorDesc | None:
        """How much of the past is valid, where a tensor tells."""
        return None

    # Sizes

    def _source(self, role: str) -> TensorDesc | None:
        return next((tensor for name in _ROLES[role] if (tensor := getattr(self, name)) is not None), None)

    def geometry(self) -> Geometry:
        """Asked when sources and heads are right."""
        query, key, value = (self._source(role) for role in _ROLES)
        query_heads, key_heads = self.head_counts
        assert query is not None
        batch, queries, size = _sizes_of(query, query is self.query_tensor, query_heads)
        keys = 0 if key is None else _sizes_of(key, key is self.key_tensor, key_heads)[1]
        if value is not None:
            value_size = _sizes_of(value, value is self.value_tensor, key_heads)[2]
        else:
            assert self.past_value_tensor is not None
            value_size = self.past_value_tensor.sizes[-1]
        past = 0 if self.past_key_tensor is None else self.past_key_tensor.sizes[-2]
        return Geometry(batch, queries, keys, past, query_heads, key_heads, size, value_size)

    def _sizes(self) -> dict[str, tuple[int, ...]]:
        """The sizes of every tensor but the mask, without leading 1s."""
        g = self.geometry()
        keys, values = g.key_heads * g.size, g.key_heads * g.value_size
        return {
            "query_tensor": (g.batch, g.queries, g.query_heads * g.size),
            "key_tensor": (g.batch, g.keys, keys),
            "value_tensor": (g.batch, g.keys, values),
            "stacked_query_key_tensor": (g.batch, g.queries, g.query_heads, 2, g.size),
            "stacked_key_value_tensor": (g.batch, g.keys, g.key_heads, 2, g.size),
            "stacked_query_key_value_tensor": (g.batch, g.queries, g.query_heads, 3, g.size),
            "bias_tensor": (g.query_heads * g.size + keys + values,),
            "relative_position_bias_tensor": (g.batch, g.query_heads, g.queries, g.total),
            "past_key_tensor": (g.batch, g.key_heads, g.past, g.size),
            "past_value_tensor": (g.batch, g.key_heads, g.past, g.value_size),
            "past_sequence_lengths_tensor": (g.batch,),
            "output_tensor": (g.batch, g.queries, g.query_heads * g.value_size),
            "output_present_key_tensor": (g.batch, g.key_heads, self._present(g, "key"), g.size),
            "output_present_value_tensor": (g.batch, g.key_heads, self._present(g, "value"), g.value_size),
        }

    def _present(self, g: Geometry, role: str) -> int:
        """Keys in a present output: all of them, or what its description has if that is allowed.

        New ones alone may be asked for; with lengths, as many places as the cache of the next step has.
        """
        tensor = getattr(self, f"output_present_{role}_tensor")
        if tensor is None:
            return g.total
        found: int = tensor.sizes[-2]
        allowed = found in (g.keys, g.total) if self.lengths is None else g.keys <= found <= g.total
        return found if allowed else g.total

    def infer(self) -> dict[str, tuple[int, ...]]:
        return {name: sizes for name, sizes in self._sizes().items() if name.startswith("output")}

    # Rules

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        for checks in (self._check_sources, self._check_heads):
            found = [*checks()]
            yield from found
            if found:
                return  # sizes follow from sources and heads
        yield from self._check_sizes()
        yield from self._check_mask()

    def _check_sources(self) -> Iterator[Violation]:
        present = {role: self._source(role) is not None for role in _ROLES}
        for role, names in _ROLES.items():
            given = [name for name in names if getattr(self, name) is not None]
            for name in given[1:]:
                expected = f"one source of {role}, {pascal(given[0])} being one"
                yield SOURCES(pascal(name), "a second source", expected, Remove(name))
            if not given and (role == "query" or getattr(self, f"past_{role}_tensor") is None):
                yield SOURCES(pascal(names[0]), "nothing", f"a source of {role}", Add(names[0]))
        if present["key"] != present["value"]:
            missing = "value" if present["key"] else "key"
            yield SOURCES(f"{pascal(missing)}Tensor", "nothing", "both keys and values, or past ones alone")
        if (self.past_key_tensor is None) != (self.past_value_tensor is None):
            missing = "past_key_tensor" if self.past_key_tensor is None else "past_value_tensor"
            yield SOURCES(pascal(missing), "nothing", "both past keys and past values", Add(missing))
        if self.lengths is not None and self.past_key_tensor is None:
            expected = "PastKeyTensor and PastValueTensor beside it"
            yield LENGTHS("PastSequenceLengthsTensor", "lengths of no past", expected, Add("past_key_tensor"))

    def _check_heads(self) -> Iterator[Violation]:
        query_heads, key_heads = self.head_counts
        if query_heads % key_heads:
            yield HEADS("QueryHeadCount", query_heads, f"a multiple of KeyValueHeadCount {key_heads}")
        is_shared = self.stacked_query_key_tensor is not None or self.stacked_query_key_value_tensor is not None
        if is_shared and query_heads != key_heads:
            expected = f"{query_heads} as QueryHeadCount, since queries and keys are stacked"
            yield HEADS("KeyValueHeadCount", key_heads, expected, Use(query_heads))
        for name, heads in (("query_tensor", query_heads), ("key_tensor", key_heads), ("value_tensor", key_heads)):
            tensor = getattr(self, name)
            if tensor is not None and tensor.sizes[-1] % heads:
                path = f"{pascal(name)}.Sizes[{tensor.rank - 1}]"
                yield HEADS(path, tensor.sizes[-1], f"a multiple of {heads}, the number of heads")

    def _check_sizes(self) -> Iterator[Violation]:
        for name, wanted in self._sizes().items():
            tensor = getattr(self, name, None)
            if tensor is None:
                continue
            whole = (1,) * (tensor.rank - len(wanted)) + wanted
            for axis, (found, size) in enumerate(zip(tensor.sizes, whole, strict=True)):
                if found != size:
                    yield SIZES(f"{pascal(name)}.Sizes[{axis}]", found, f"{size} of {whole}", Use(size))

    def _check_mask(self) -> Iterator[Violation]:
        mask, mask_type = self.mask_tensor, self.mask_type
        if (mask is None) != (mask_type is MaskType.NONE):
            found = "a mask" if mask is not None else "nothing"
            yield MASK("MaskTensor", found, f"{'no' if mask is not None else 'a'} mask for {mask_type.name}")
        if mask is None or mask_type is MaskType.NONE:
            return
        g = self.geometry()
        wanted = {
            MaskType.KEY_SEQUENCE_LENGTH: (g.batch,),
            MaskType.KEY_SEQUENCE_END_START: (2, g.batch),
            MaskType.KEY_QUERY_SEQUENCE_LENGTH_START_END: (3 * g.batch + 2,),
        }.get(mask_type)
        if wanted is None:
            yield from _check_broadcast(mask, (g.batch, g.query_heads, g.queries, g.total))
        elif mask.sizes != (1,) * (mask.rank - len(wanted)) + wanted:
            yield MASK("MaskTensor.Sizes", mask.sizes, f"{wanted} for {mask_type.name}, after any number of 1s")


def _sizes_of(tensor: TensorDesc, is_alone: bool, heads: int) -> tuple[int, int, int]:
    """Batches, sequence and head size of a source."""
    if is_alone:
        *_, batch, sequence, hidden = tensor.sizes
        return batch, sequence, hidden // heads
    batch, sequence, _, _, size = tensor.sizes
    return batch, sequence, size


def _check_broadcast(mask: TensorDesc, whole: tuple[int, ...]) -> Iterator[Violation]:
    """Whether the mask's sizes, counted from the last, are 1 or those of the scores."""
    wanted = ((1, *whole))[-mask.rank :]
    for axis, (found, size) in enumerate(zip(mask.sizes, wanted, strict=True)):
        if found not in (1, size):
            yield MASK(f"MaskTensor.Sizes[{axis}]", found, f"{size} of {wanted}, or 1", Use(size))


class MultiheadAttention(_Attention, since="6.1", id=164):
    """softmax(Q K^T * scale + position bias, masked) V for each head, with an optional bias of Q, K and V before.

    Queries, keys and values are tensors of their own or stacked ones. Past keys and values come before the new ones;
    the present outputs hold both, for the next step.
    """

    output_tensor: TensorDesc = tensor_output(_FLOATS, rank=_RANK_3)
    output_present_key_tensor: TensorDesc | None = tensor_output(_FLOATS, rank=_RANK_4, optional=True)
    output_present_value_tensor: TensorDesc | None = tensor_output(_FLOATS, rank=_RANK_4, optional=True)
    scale: float = attribute(Float())
    mask_filter_value: float = attribute(Float())
    head_count: int = attribute(_COUNT)
    mask_type: MaskType = attribute(Enumeration(MaskType))

    @property
    def head_counts(self) -> tuple[int, int]:
        return self.head_count, self.head_count

    def equivalent(self) -> Operator:
        values = {name: value for name, value in self.values().items() if value is not None}
        heads = values.pop("head_count")
        return MultiheadAttention1(**values, query_head_count=heads, key_value_head_count=heads)


class MultiheadAttention1(_Attention, since="6.3", id=172):
    """MULTIHEAD_ATTENTION in which several heads of queries may share one head of keys and values.

    Lengths of the past tell how much of the past keys and values is valid, for each batch; new ones follow right after
    that, and a query then sees no key that comes after its own.
    """

    past_sequence_lengths_tensor: TensorDesc | None = tensor_input(
        {"1.0": FLOAT_16_32 | INT32}, rank=_RANK_1, optional=True
    )
    output_tensor: TensorDesc = tensor_output(_FLOATS, rank=_RANK_3)
    output_present_key_tensor: TensorDesc | None = tensor_output(_FLOATS, rank=_RANK_4, optional=True)
    output_present_value_tensor: TensorDesc | None = tensor_output(_FLOATS, rank=_RANK_4, optional=True)
    scale: float = attribute(Float())
    mask_filter_value: float = attribute(Float())
    query_head_count: int = attribute(_COUNT)
    key_value_head_count: int = attribute(_COUNT)
    mask_type: MaskType = attribute(Enumeration(MaskType))

    @property
    def head_counts(self) -> tuple[int, int]:
        return self.query_head_count, self.key_value_head_count

    @property
    def lengths(self) -> TensorDesc | None:
        return self.past_sequence_lengths_tensor

    def compute(
        self,
        xp: Any,
        query_tensor: Any,
        key_tensor: Any,
        value_tensor: Any,
        stacked_query_key_tensor: Any,
        stacked_key_value_tensor: Any,
        stacked_query_key_value_tensor: Any,
        bias_tensor: Any,
        mask_tensor: Any,
        relative_position_bias_tensor: Any,
        past_key_tensor: Any,
        past_value_tensor: Any,
        past_sequence_lengths_tensor: Any = None,
    ) -> dict[str, Any]:
        g = self.geometry()
        pair, rest, all_three = stacked_query_key_tensor, stacked_key_value_tensor, stacked_query_key_value_tensor
        query = attending.heads_of(g.query_heads, query_tensor, [(pair, 0), (all_three, 0)])
        key = attending.heads_of(g.key_heads, key_tensor, [(pair, 1), (rest, 0), (all_three, 1)])
        value = attending.heads_of(g.key_heads, value_tensor, [(rest, 1), (all_three, 2)])
        if bias_tensor is not None:
            query, key, value = _biased((query, key, value), bias_tensor.reshape(-1))
        lengths = None
        if past_sequence_lengths_tensor is not None:
            lengths = attending.past_lengths(xp, past_sequence_lengths_tensor, g)
        keys = attending.extended(xp, past_key_tensor, key, lengths)
        values = attending.extended(xp, past_value_tensor, value, lengths)
        adjustments = [*self._adjustments(xp, g, relative_position_bias_tensor, mask_tensor, lengths)]
        result = attending.attend(xp, query, keys, values, self.scale, adjustments, self.element_count)
        return {
            "output_tensor": result.reshape(self.output_tensor.sizes),
            "output_present_key_tensor": self._presented(self.output_present_key_tensor, keys, key),
            "output_present_value_tensor": self._presented(self.output_present_value_tensor, values, value),
        }

    def _adjustments(self, xp: Any, g: Geometry, bias: Any, mask: Any, lengths: Any) -> Iterator[attending.Adjustment]:
        """What happens to scores, in order."""
        if bias is not None:
            yield attending.add_bias(bias)
        if mask is not None:
            yield attending.mask_keys(xp, self.mask_type, mask, g, self.mask_filter_value)
        if lengths is not None:
            yield attending.causal(xp, lengths, g, self.mask_filter_value)

    def _presented(self, tensor: TensorDesc | None, whole: Any, new: Any) -> Any:
        """The keys or values that a present output holds: all, the new ones, or the first places of a cache."""
        if tensor is None:
            return None
        count = tensor.sizes[-2]
        if self.lengths is None and count != whole.shape[2]:
            whole = new
        return whole[:, :, :count].reshape(tensor.sizes)


def _biased(arrays: tuple[Any, Any, Any], bias: Any) -> Iterator[Any]:
    """Queries, keys and values plus their part of the bias; absent ones stay absent."""
    start = 0
    for array in arrays:
        if array is None:
            yield None
            continue
        count = array.shape[1] * array.shape[3]
        yield array + bias[start : start + count].reshape(array.shape[1], 1, -1)
        start += count
