"""DEPTH_TO_SPACE and SPACE_TO_DEPTH: blocks of pixels as channels, and back."""

from __future__ import annotations

from collections.abc import Iterator

from anydml.core.enums import DepthSpaceOrder
from anydml.core.errors import Violation
from anydml.core.layout import Layout
from anydml.core.levels import FeatureLevel
from anydml.core.moves import Move
from anydml.core.rules import rule
from anydml.core.schema import Enumeration, Integer, Operator, attribute, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.types import ALL, FLOAT_16_32, UP_TO_32_BIT

BLOCK = rule(
    "depth-space.block", "The block's area divides the depth's channels, or its side the space's height and width."
)
_OLD = {"1.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "5.0": ALL}
_NEW = {"2.1": UP_TO_32_BIT, "5.0": ALL}


class _DepthSpace(Operator, abstract=True):
    """What the four have in common: one side is deep, the other wide."""

    block_size: int
    order: DepthSpaceOrder
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    input_is_deep = True
    same = (same("input_tensor output_tensor", "DataType"),)

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        block, (_, channels, height, width) = self.block_size, self.input_tensor.sizes
        if self.input_is_deep and channels % (block * block):
            found = f"{channels} channels"
            yield BLOCK("InputTensor.Sizes[1]", found, f"a multiple of {block} * {block}")
        elif not self.input_is_deep:
            for i, size in ((2, height), (3, width)):
                if size % block:
                    yield BLOCK(f"InputTensor.Sizes[{i}]", size, f"a multiple of BlockSize {block}")

    def infer(self) -> dict[str, tuple[int, ...]]:
        block, (batch, channels, height, width) = self.block_size, self.input_tensor.sizes
        if self.input_is_deep:
            return {"output_tensor": (batch, channels // (block * block), height * block, width * block)}
        return {"output_tensor": (batch, channels * block * block, height // block, width // block)}

    def moves(self) -> Iterator[Move]:
        turns = (self._deep, self._wide) if self.input_is_deep else (self._wide, self._deep)
        source, destination = turns[0](self.input_tensor.layout), turns[1](self.output_tensor.layout)
        yield Move("input_tensor", source, "output_tensor", destination)

    def _deep(self, layout: Layout) -> Layout:
        """Axes N, C, H, block row, W, block column of the deep tensor."""
        block, channels = self.block_size, layout.sizes[1] // (self.block_size * self.block_size)
        if self.order is DepthSpaceOrder.DEPTH_COLUMN_ROW:
            return layout.split(1, (block, block, channels)).permute((0, 3, 4, 1, 5, 2))
        return layout.split(1, (channels, block, block)).permute((0, 1, 4, 2, 5, 3))

    def _wide(self, layout: Layout) -> Layout:
        """The same axes of the wide tensor."""
        block, (_, _, height, width) = self.block_size, layout.sizes
        return layout.split(3, (width // block, block)).split(2, (height // block, block))


class DepthToSpace(_DepthSpace, since="1.0", id=69):
    """Spreads groups of channels over blocks of pixels, blocks outermost in the depth.

    y[c, h * block + i, w * block + j] = x[(i * block + j) * channels + c, h, w].
    """

    rank = {"1.0": (4, 4)}
    input_tensor: TensorDesc = tensor_input(_OLD)
    output_tensor: TensorDesc = tensor_output(_OLD)
    block_size: int = attribute(Integer(minimum=1))
    order = DepthSpaceOrder.DEPTH_COLUMN_ROW


class DepthToSpace1(_DepthSpace, since="2.1", id=113):
    """DEPTH_TO_SPACE with a choice of how blocks lie in the depth."""

    rank = {"2.1": (4, 4)}
    input_tensor: TensorDesc = tensor_input(_NEW)
    output_tensor: TensorDesc = tensor_output(_NEW)
    block_size: int = attribute(Integer(minimum=1))
    order: DepthSpaceOrder = attribute(Enumeration(DepthSpaceOrder), default=DepthSpaceOrder.DEPTH_COLUMN_ROW)


class SpaceToDepth(_DepthSpace, since="1.0", id=68):
    """Gathers blocks of pixels into groups of channels, blocks outermost in the depth."""

    rank = {"1.0": (4, 4)}
    input_tensor: TensorDesc = tensor_input(_OLD)
    output_tensor: TensorDesc = tensor_output(_OLD)
    block_size: int = attribute(Integer(minimum=1))
    order = DepthSpaceOrder.DEPTH_COLUMN_ROW
    input_is_deep = False


class SpaceToDepth1(_DepthSpace, since="2.1", id=114):
    """SPACE_TO_DEPTH with a choice of how blocks lie in the depth."""

    rank = {"2.1": (4, 4)}
    input_tensor: TensorDesc = tensor_input(_NEW)
    output_tensor: TensorDesc = tensor_output(_NEW)
    block_size: int = attribute(Integer(minimum=1))
    order: DepthSpaceOrder = attribute(Enumeration(DepthSpaceOrder), default=DepthSpaceOrder.DEPTH_COLUMN_ROW)
    input_is_deep = False
