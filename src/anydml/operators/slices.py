"""SLICE, SLICE1 and SLICE_GRAD: a window over a tensor, and its reverse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.layout import Layout
from anydml.core.levels import FeatureLevel
from anydml.core.moves import Fill, Move
from anydml.core.rules import Rule, rule
from anydml.core.schema import Integer, Operator, per_dimension, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.core.windows import window_limits
from anydml.operators.types import ALL, FLOAT_16_32, INTEGERS_16, INTEGERS_32, UP_TO_32_BIT

WINDOW_SIZE = rule("slice1.window-size", "A window is not empty: each size is at least 1.")
WINDOW_INSIDE = rule("slice1.window-inside", "A window ends inside the tensor: offset + size <= its size.")
WINDOW_STRIDE = rule("slice1.window-stride", "A window's stride is not 0.")
OUTPUT_SIZE = rule(
    "slice1.output-size", "Along each dimension 1 to 1 + (window size - 1) / |stride| elements are copied."
)
SLICE_SIZES = rule("slice.sizes", "Sizes equals the output's sizes.")
SLICE_INSIDE = rule(
    "slice.inside", "The last element read lies inside the input: offset + (size - 1) * stride < its size."
)
SLICE_STRIDE = rule("slice.stride", "A slice's stride is at least 1.")
GRADIENT_SIZE = rule(
    "slice-grad.input-size", "The gradient has 1 to 1 + (window size - 1) / |stride| elements along each dimension."
)

_RANK = {"1.0": (4, 5), "3.0": (1, 8)}
_UNSIGNED, _SIGNED = Integer(), Integer(signed=True)


class Slice(Operator, since="1.0", id=60):
    """Copies every `strides`-th element of a box that starts at `offsets`: y[i] = x[offset + i * stride]."""

    rank = _RANK
    input_tensor: TensorDesc = tensor_input(
        {"1.0": FLOAT_16_32 | INTEGERS_32 | INTEGERS_16, "2.1": UP_TO_32_BIT, "4.1": ALL}
    )
    output_tensor: TensorDesc = tensor_output(
        {"1.0": FLOAT_16_32 | INTEGERS_32 | INTEGERS_16, "2.1": UP_TO_32_BIT, "4.1": ALL}
    )
    offsets: tuple[int, ...] = per_dimension("input_tensor", _UNSIGNED)
    sizes: tuple[int, ...] = per_dimension("input_tensor", _UNSIGNED)
    strides: tuple[int, ...] = per_dimension("input_tensor", _UNSIGNED)
    same = (same("input_tensor output_tensor", "DataType DimensionCount"),)

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        if self.output_tensor is not None and self.sizes != self.output_tensor.sizes:
            expected = f"{self.output_tensor.sizes} as OutputTensor has"
            yield SLICE_SIZES("Sizes", self.sizes, expected, Use(self.output_tensor.sizes))
        rows = zip(self.input_tensor.sizes, self.offsets, self.sizes, self.strides, strict=True)
        for i, (total, offset, size, stride) in enumerate(rows):
            if stride < 1:
                yield SLICE_STRIDE(f"Strides[{i}]", stride, "at least 1", "1, or Slice1 to go backwards")
            elif offset + (size - 1) * stride >= total:
                last = offset + (size - 1) * stride
                yield SLICE_INSIDE(f"Sizes[{i}]", f"a last element at {last}", f"below {total}", f"fewer than {size}")

    def infer(self) -> dict[str, tuple[int, ...]]:
        return {"output_tensor": self.sizes}

    def moves(self) -> Iterator[Move]:
        windows = tuple((size - 1) * stride + 1 for size, stride in zip(self.sizes, self.strides, strict=True))
        source = self.input_tensor.layout.window(self.offsets, windows, self.strides)
        yield Move("input_tensor", source, "output_tensor", self.output_tensor.layout)


def _check_windows(
    operator: Slice1 | SliceGrad, whole: TensorDesc, part: TensorDesc | None, part_path: str, limit_rule: Rule
) -> Iterator[Violation]:
    """The documented constraints of a window, each under a rule of its own."""
    rows = zip(
        whole.sizes,
        operator.input_window_offsets,
        operator.input_window_sizes,
        operator.input_window_strides,
        strict=True,
    )
    for i, (total, offset, size, stride) in enumerate(rows):
        if size < 1:
            yield WINDOW_SIZE(f"InputWindowSizes[{i}]", size, "at least 1", "1 or more")
        elif offset >= total:
            yield WINDOW_INSIDE(f"InputWindowOffsets[{i}]", offset, f"0 to {total - 1}", Use(0))
        elif offset + size > total:
            found, fix = f"offset {offset} + size {size} = {offset + size}", f"a size of at most {total - offset}"
            yield WINDOW_INSIDE(f"InputWindowSizes[{i}]", found, f"at most {total}", fix)
        if stride == 0:
            yield WINDOW_STRIDE(f"InputWindowStrides[{i}]", 0, "a stride other than 0", "1, or -1 to reverse")
        elif size >= 1 and part is not None:
            limit = 1 + (size - 1) // abs(stride)
            if part.sizes[i] > limit:
                yield limit_rule(f"{part_path}.Sizes[{i}]", part.sizes[i], f"1 to {limit}", Use(limit))


class Slice1(Operator, since="2.1", id=111):
    """Copies a window, forwards from its start or, with a negative stride, backwards from its end.

    y[i] = x[start + i * stride], where start is the offset, or offset + size - 1 for a negative stride.
    The output may take fewer elements than the window reaches.
    """

    rank = {"2.1": (4, 5), "3.0": (1, 8)}
    input_tensor: TensorDesc = tensor_input({"2.1": UP_TO_32_BIT, "4.1": ALL})
    output_tensor: TensorDesc = tensor_output({"2.1": UP_TO_32_BIT, "4.1": ALL})
    input_window_offsets: tuple[int, ...] = per_dimension("input_tensor", _UNSIGNED)
    input_window_sizes: tuple[int, ...] = per_dimension("input_tensor", _UNSIGNED)
    input_window_strides: tuple[int, ...] = per_dimension("input_tensor", _SIGNED)
    same = (same("input_tensor output_tensor", "DataType DimensionCount"),)
    partial_outputs = True

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        return _check_windows(self, self.input_tensor, self.output_tensor, "OutputTensor", OUTPUT_SIZE)

    def infer(self) -> dict[str, tuple[int, ...]]:
        return {"output_tensor": window_limits(self.input_window_sizes, self.input_window_strides)}

    def window(self, output_sizes: tuple[int, ...] | None = None) -> Layout:
        """Where in the input each output element comes from."""
        return self.input_tensor.layout.window(
            self.input_window_offsets,
            self.input_window_sizes,
            self.input_window_strides,
            output_sizes or self.output_tensor.sizes,
        )

    def moves(self) -> Iterator[Move]:
        yield Move("input_tensor", self.window(), "output_tensor", self.output_tensor.layout)


class SliceGrad(Operator, since="3.0", id=135):
    """Puts each gradient element back where SLICE1 took it from; everything else is 0."""

    rank = {"3.0": (4, 5), "3.1": (1, 8)}
    input_gradient_tensor: TensorDesc = tensor_input({"3.0": UP_TO_32_BIT, "4.1": ALL})
    output_gradient_tensor: TensorDesc = tensor_output({"3.0": UP_TO_32_BIT, "4.1": ALL})
    input_window_offsets: tuple[int, ...] = per_dimension("input_gradient_tensor", _UNSIGNED)
    input_window_sizes: tuple[int, ...] = per_dimension("input_gradient_tensor", _UNSIGNED)
    input_window_strides: tuple[int, ...] = per_dimension("input_gradient_tensor", _SIGNED)
    same = (same("input_gradient_tensor output_gradient_tensor", "DataType DimensionCount"),)
    partial_outputs = True  # the output is a free choice as long as the window fits

    def check(self, level: FeatureLevel) -> Iterable[Violation]:
        whole, part = self.output_gradient_tensor, self.input_gradient_tensor
        if whole is None:
            return ()
        return _check_windows(self, whole, part, "InputGradientTensor", GRADIENT_SIZE)

    def moves(self) -> Iterator[Move | Fill]:
        whole = self.output_gradient_tensor.layout
        window = whole.window(
            self.input_window_offsets,
            self.input_window_sizes,
            self.input_window_strides,
            self.input_gradient_tensor.sizes,
        )
        yield Fill("output_gradient_tensor", whole, 0)
        yield Move("input_gradient_tensor", self.input_gradient_tensor.layout, "output_gradient_tensor", window)
