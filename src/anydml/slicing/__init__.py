"""Slices in six forms: NumPy, ONNX, TensorFlow, WebNN, DML_SLICE and DML_SLICE1, by way of one `Selection`."""

from anydml.core import arrays as _arrays  # noqa: F401 first: NumPy as a whole, or what is wrong where there is none
from anydml.slicing.arrays import slice1
from anydml.slicing.onnx_slice import OnnxSlice
from anydml.slicing.selection import Selection
from anydml.slicing.tensorflow_slice import TensorFlowSlice
from anydml.slicing.windows import DmlSlice, DmlSlice1, WebnnSlice

__all__ = ["DmlSlice", "DmlSlice1", "OnnxSlice", "Selection", "TensorFlowSlice", "WebnnSlice", "slice1"]
