"""The names of PyDirectML on anydml: programs written for that module run here, on any machine.

    import pydirectml as dml

    device = dml.Device()
    builder = dml.GraphBuilder(device)
    x = dml.input_tensor(builder, 0, dml.TensorDesc(dml.TensorDataType.FLOAT32, [1, 1, 2, 3]))
    model = builder.build(dml.ExecutionFlags.NONE, [y := dml.activation_relu(x)])
    [result] = device.compute(model, [dml.Binding(x, array)], [y])

Data have the types that tensors are described with, in both directions.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import NoReturn as _NoReturn

from anydml.core import arrays as _arrays  # noqa: F401 first: NumPy as a whole, or what is wrong where there is none
from anydml.process.loading import load_module as _load
from pydirectml.device import Device, GraphBuilder, Model
from pydirectml.enumerations import (
    EXPORTED as _EXPORTED,
)
from pydirectml.enumerations import (
    ConvolutionDirection,
    ConvolutionMode,
    ExecutionFlags,
    InterpolationMode,
    MatrixTransform,
    OperatorType,
    OutputOptions,
    PaddingMode,
    RecurrentNetworkDirection,
    TensorDataType,
    TensorFlags,
)
from pydirectml.functions import (
    activation_identity,
    activation_linear,
    activation_relu,
    activation_sigmoid,
    activation_soft_max,
    activation_tanh,
    add,
    average_pooling,
    batch_normalization,
    convolution,
    divide,
    gather,
    gemm,
    gru,
    input_tensor,
    join,
    local_response_normalization,
    max_pooling,
    mean_variance_normalization,
    multiply,
    padding,
    reinterpret,
    slice,
    subtract,
    up_sample_2d,
    value_scale_2d,
)
from pydirectml.types import (
    Binding,
    Dimensions,
    Expression,
    FusedActivation,
    GRUOutputs,
    MaxPoolingOutputs,
    Size2D,
    TensorData,
    TensorDesc,
    TensorPolicy,
)

if not _TYPE_CHECKING:  # type checkers see the imports above, and reject every other name

    def __getattr__(name: str) -> _NoReturn:
        """Tell somebody who misspells a name, or knows it from another library, what it is called here."""
        translate, closest = _load("anydml.core.foreign").translate, _load("anydml.core.naming").closest
        meant = (entry.split()[0].lower() for entry in translate(name)) if not name.startswith("_") else ()
        near = next((each for each in meant if each in __all__), None) or closest(name, __all__)
        hint = f"; try {near!r}" if near and not name.startswith("__") else ""
        raise AttributeError(f"module 'pydirectml' has no attribute {name!r}{hint}")


for _enumeration in _EXPORTED:
    globals().update(_enumeration.__members__)

__all__ = [
    "Binding",
    "ConvolutionDirection",
    "ConvolutionMode",
    "Device",
    "Dimensions",
    "ExecutionFlags",
    "Expression",
    "FusedActivation",
    "GRUOutputs",
    "GraphBuilder",
    "InterpolationMode",
    "MatrixTransform",
    "MaxPoolingOutputs",
    "Model",
    "OperatorType",
    "OutputOptions",
    "PaddingMode",
    "RecurrentNetworkDirection",
    "Size2D",
    "TensorData",
    "TensorDataType",
    "TensorDesc",
    "TensorFlags",
    "TensorPolicy",
    "activation_identity",
    "activation_linear",
    "activation_relu",
    "activation_sigmoid",
    "activation_soft_max",
    "activation_tanh",
    "add",
    "average_pooling",
    "batch_normalization",
    "convolution",
    "divide",
    "gather",
    "gemm",
    "gru",
    "input_tensor",
    "join",
    "local_response_normalization",
    "max_pooling",
    "mean_variance_normalization",
    "multiply",
    "padding",
    "reinterpret",
    "slice",
    "subtract",
    "up_sample_2d",
    "value_scale_2d",
]
