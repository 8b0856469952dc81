"""anydml: DirectML-compatible tensors and operators on any machine."""

from anydml.core.datatype import DataType
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
from anydml.core.tensor import TensorDesc, TensorFlags, calc_buffer_tensor_size

__version__ = "0.1.0"

__all__ = [
    "BindingError",
    "DataType",
    "DmlError",
    "FeatureLevel",
    "HResult",
    "InvalidDescriptionError",
    "Layout",
    "ModelError",
    "OrderMatch",
    "OutOfMemoryError",
    "TensorDesc",
    "TensorFlags",
    "TensorPolicy",
    "UnsupportedError",
    "Violation",
    "calc_buffer_tensor_size",
]
