"""anydml: DirectML-compatible tensors and operators on any machine.

Every name is loaded when it is first used, so that importing the package takes no time.
"""

from typing import TYPE_CHECKING, Any

from anydml.process.loading import load_module

if TYPE_CHECKING:
    from anydml import slicing
    from anydml.catalog.support import min_feature_level, supports
    from anydml.core.datatype import DataType
    from anydml.core.enums import (
        AxisDirection,
        BindingType,
        ConvolutionDirection,
        ConvolutionMode,
        DepthSpaceOrder,
        ExecutionFlags,
        InterpolationMode,
        IsInfinityMode,
        MatrixTransform,
        MultiheadAttentionMaskType,
        PaddingMode,
        QuantizationType,
        RandomGeneratorType,
        RecurrentNetworkDirection,
        ReduceFunction,
        RoundingMode,
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
    from anydml.frontends.c_constants import *  # noqa: F403 - DirectML's constants and structures
    from anydml.frontends.c_names import DML_TENSOR_DESC as DML_TENSOR_DESC
    from anydml.frontends.c_names import DMLCalcBufferTensorSize as DMLCalcBufferTensorSize
    from anydml.frontends.c_names import DMLCreateDevice as DMLCreateDevice
    from anydml.frontends.c_names import DMLCreateDevice1 as DMLCreateDevice1
    from anydml.frontends.dxdispatch.running import run_model
    from anydml.graph.graph import ConstantNode, Graph, InputEdge, IntermediateEdge, OperatorNode, OutputEdge
    from anydml.graph.passes import Passes
    from anydml.operators import *  # noqa: F403 - every operator; the names are told once, there
    from anydml.runtime.binding import BufferBinding
    from anydml.runtime.compiled import BindingProperties, CompiledOperator
    from anydml.runtime.device import Device
    from anydml.runtime.initializer import OperatorInitializer
    from anydml.runtime.quick import run
    from anydml.runtime.table import BindingTable
    from anydml.slicing import slice1
    from anydml.view.explanation import Explanation, explain
    from anydml.view.subject import Window

__version__ = "0.1.0"

_ENUMS = (
    "AxisDirection",
    "BindingType",
    "ConvolutionDirection",
    "ConvolutionMode",
    "DepthSpaceOrder",
    "ExecutionFlags",
    "InterpolationMode",
    "IsInfinityMode",
    "MatrixTransform",
    "MultiheadAttentionMaskType",
    "PaddingMode",
    "QuantizationType",
    "RandomGeneratorType",
    "RecurrentNetworkDirection",
    "ReduceFunction",
    "RoundingMode",
)
_ERRORS = (
    "BindingError",
    "DmlError",
    "HResult",
    "InvalidDescriptionError",
    "ModelError",
    "OutOfMemoryError",
    "UnsupportedError",
    "Violation",
)
_LATER = {
    "BindingProperties": "anydml.runtime.compiled",
    "BindingTable": "anydml.runtime.table",
    "BufferBinding": "anydml.runtime.binding",
    "CompiledOperator": "anydml.runtime.compiled",
    "DataType": "anydml.core.datatype",
    "Device": "anydml.runtime.device",
    "FeatureLevel": "anydml.core.levels",
    "Layout": "anydml.core.layout",
    "Operator": "anydml.core.schema",
    **dict.fromkeys(
        ("ConstantNode", "Graph", "InputEdge", "IntermediateEdge", "OperatorNode", "OutputEdge"), "anydml.graph.graph"
    ),
    "Passes": "anydml.graph.passes",
    "OperatorInitializer": "anydml.runtime.initializer",
    "Explanation": "anydml.view.explanation",
    "Window": "anydml.view.subject",
    "explain": "anydml.view.explanation",
    "run": "anydml.runtime.quick",
    "run_model": "anydml.frontends.dxdispatch.running",
    "OrderMatch": "anydml.core.orders",
    "TensorDesc": "anydml.core.tensor",
    "TensorFlags": "anydml.core.tensor",
    "TensorPolicy": "anydml.core.policy",
    "calc_buffer_tensor_size": "anydml.core.tensor",
    **dict.fromkeys(("min_feature_level", "supports"), "anydml.catalog.support"),
    "slice1": "anydml.slicing",
    **dict.fromkeys(_ERRORS, "anydml.core.errors"),
    **dict.fromkeys(_ENUMS, "anydml.core.enums"),
}


def _load(name: str) -> Any:
    """A name that was not loaded yet: an operator, a device, an enumeration, or one of DirectML's own spellings."""
    if name == "slicing":
        return load_module("anydml.slicing")
    if not name.startswith("_"):
        if name.startswith("DML"):
            found = load_module("anydml.frontends.c_names").find(name)
            if found is not None:
                return found
        module = _module(_LATER.get(name, "anydml.operators"))
        if name in _LATER or name in module.__all__:
            globals()[name] = value = getattr(module, name)
            return value
        hint = load_module("anydml.core.schema.names").hint(name, __all__)
        raise AttributeError(f"module 'anydml' has no attribute {name!r}{hint}")
    raise AttributeError(f"module 'anydml' has no attribute {name!r}")


def _module(name: str) -> Any:
    try:
        return load_module(name)
    except ImportError:
        load_module("anydml.core.interpreters").load_arrays()  # says it better, if it is NumPy that is missing
        raise


if not TYPE_CHECKING:  # type checkers see the imports above, and reject every other name
    __getattr__ = _load


def __dir__() -> list[str]:
    return sorted({*__all__, *load_module("anydml.operators").__all__})


__all__ = [
    "AxisDirection",
    "BindingError",
    "BindingProperties",
    "BindingTable",
    "BindingType",
    "BufferBinding",
    "CompiledOperator",
    "ConstantNode",
    "ConvolutionDirection",
    "ConvolutionMode",
    "DataType",
    "DepthSpaceOrder",
    "Device",
    "DmlError",
    "ExecutionFlags",
    "Explanation",
    "FeatureLevel",
    "Graph",
    "HResult",
    "InputEdge",
    "IntermediateEdge",
    "InterpolationMode",
    "InvalidDescriptionError",
    "IsInfinityMode",
    "Layout",
    "MatrixTransform",
    "ModelError",
    "MultiheadAttentionMaskType",
    "Operator",
    "OperatorInitializer",
    "OperatorNode",
    "OrderMatch",
    "OutOfMemoryError",
    "OutputEdge",
    "PaddingMode",
    "Passes",
    "QuantizationType",
    "RandomGeneratorType",
    "RecurrentNetworkDirection",
    "ReduceFunction",
    "RoundingMode",
    "TensorDesc",
    "TensorFlags",
    "TensorPolicy",
    "UnsupportedError",
    "Violation",
    "Window",
    "calc_buffer_tensor_size",
    "explain",
    "min_feature_level",
    "run",
    "run_model",
    "slice1",
    "slicing",
    "supports",
]
