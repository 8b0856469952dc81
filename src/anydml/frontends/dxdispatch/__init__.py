"""DxDispatch's JSON models: read, checked and run."""

from anydml.frontends.dxdispatch.model import Model
from anydml.frontends.dxdispatch.parse import parse_model, read_model

__all__ = ["Model", "parse_model", "read_model"]
