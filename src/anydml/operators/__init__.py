"""What each operator means: declared here and nowhere else, one module a family."""

from anydml.operators.activation import (
    ActivationCelu,
    ActivationElu,
    ActivationGelu,
    ActivationHardSigmoid,
    ActivationHardSwish,
    ActivationIdentity,
    ActivationLeakyRelu,
    ActivationLinear,
    ActivationParameterizedRelu,
    ActivationParametricSoftplus,
    ActivationRelu,
    ActivationReluGrad,
    ActivationScaledElu,
    ActivationScaledTanh,
    ActivationShrink,
    ActivationSigmoid,
    ActivationSoftplus,
    ActivationSoftsign,
    ActivationSwish,
    ActivationTanh,
    ActivationThresholdedRelu,
)
from anydml.operators.convolution import Convolution
from anydml.operators.creation import FillValueConstant, FillValueSequence
from anydml.operators.depth_space import DepthToSpace, DepthToSpace1, SpaceToDepth, SpaceToDepth1
from anydml.operators.elementwise import (
    ElementWiseAdd,
    ElementWiseAdd1,
    ElementWiseClip,
    ElementWiseClip1,
    ElementWiseLogicalLessThan,
)
from anydml.operators.matrix import Gemm
from anydml.operators.movement import Cast, ElementWiseIdentity, Join, ReverseSubsequences, Split, Tile
from anydml.operators.padding import Padding, Padding1
from anydml.operators.pooling import MaxPooling2
from anydml.operators.quantization import ElementWiseQuantizeLinear
from anydml.operators.recurrent import Rnn
from anydml.operators.reduction import CumulativeProduct, Reduce
from anydml.operators.resample import Upsample2D
from anydml.operators.slices import Slice, Slice1, SliceGrad

__all__ = [
    "ActivationCelu",
    "ActivationElu",
    "ActivationGelu",
    "ActivationHardSigmoid",
    "ActivationHardSwish",
    "ActivationIdentity",
    "ActivationLeakyRelu",
    "ActivationLinear",
    "ActivationParameterizedRelu",
    "ActivationParametricSoftplus",
    "ActivationRelu",
    "ActivationReluGrad",
    "ActivationScaledElu",
    "ActivationScaledTanh",
    "ActivationShrink",
    "ActivationSigmoid",
    "ActivationSoftplus",
    "ActivationSoftsign",
    "ActivationSwish",
    "ActivationTanh",
    "ActivationThresholdedRelu",
    "Cast",
    "Convolution",
    "CumulativeProduct",
    "DepthToSpace",
    "DepthToSpace1",
    "ElementWiseAdd",
    "ElementWiseAdd1",
    "ElementWiseClip",
    "ElementWiseClip1",
    "ElementWiseIdentity",
    "ElementWiseLogicalLessThan",
    "ElementWiseQuantizeLinear",
    "FillValueConstant",
    "FillValueSequence",
    "Gemm",
    "Join",
    "MaxPooling2",
    "Padding",
    "Padding1",
    "Reduce",
    "ReverseSubsequences",
    "Rnn",
    "Slice",
    "Slice1",
    "SliceGrad",
    "SpaceToDepth",
    "SpaceToDepth1",
    "Split",
    "Tile",
    "Upsample2D",
]
