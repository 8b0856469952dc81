"""Slices in six forms: NumPy, ONNX, TensorFlow, WebNN, DML_SLICE and DML_SLICE1, by way of one `Selection`."""

from anydml.process import with_numpy  # noqa: F401 - before all others

# isort: split

from anydml.slicing.arrays import slice1
from anydml.slicing.onnx_slice import OnnxSlice
from anydml.slicing.selection import Selection
from anydml.slicing.tensorflow_slice import TensorFlowSlice
from anydml.slicing.windows import DmlSlice, DmlSlice1, WebnnSlice

__all__ = ["DmlSlice", "DmlSlice1", "OnnxSlice", "Selection", "TensorFlowSlice", "WebnnSlice", "slice1"]
