"""anydml: DirectML-compatible tensors and operators on any machine."""

from anydml import operators
from anydml.core.datatype import DataType
from anydml.core.enums import (
    AxisDirection,
    BindingType,
    ConvolutionDirection,
    ConvolutionMode,
    DepthSpaceOrder,
    ExecutionFlags,
    InterpolationMode,
    MatrixTransform,
    PaddingMode,
    RecurrentNetworkDirection,
    ReduceFunction,
)
from anydml.core.errors import (
    BindingError,
    DmlError,
    HResult,
    InvalidDescriptionError,
    ModelError,
    OutOfMemoryError,
    UnsupportedError,
    Violation,
)
from anydml.core.layout import Layout
from anydml.core.levels import FeatureLevel
from anydml.core.orders import OrderMatch
from anydml.core.policy import TensorPolicy
from anydml.core.schema import Operator
from anydml.core.tensor import TensorDesc, TensorFlags, calc_buffer_tensor_size
from anydml.operators import *  # noqa: F403 - every operator, declared in one place
from anydml.runtime.binding import BufferBinding
from anydml.runtime.compiled import BindingProperties, CompiledOperator
from anydml.runtime.device import Device
from anydml.runtime.table import BindingTable, OperatorInitializer

__version__ = "0.1.0"

__all__ = [
    "AxisDirection",
    "BindingError",
    "BindingProperties",
    "BindingTable",
    "BindingType",
    "BufferBinding",
    "CompiledOperator",
    "ConvolutionDirection",
    "ConvolutionMode",
    "DataType",
    "DepthSpaceOrder",
    "Device",
    "DmlError",
    "ExecutionFlags",
    "FeatureLevel",
    "HResult",
    "InterpolationMode",
    "InvalidDescriptionError",
    "Layout",
    "MatrixTransform",
    "ModelError",
    "Operator",
    "OperatorInitializer",
    "OrderMatch",
    "OutOfMemoryError",
    "PaddingMode",
    "RecurrentNetworkDirection",
    "ReduceFunction",
    "TensorDesc",
    "TensorFlags",
    "TensorPolicy",
    "UnsupportedError",
    "Violation",
    "calc_buffer_tensor_size",
]
__all__ += operators.__all__
