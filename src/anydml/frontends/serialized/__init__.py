"""Serialized DirectML graphs: a flatbuffer of nodes and names, and a file of bytes for each large constant.

`read_graph(path)` and `write_graph(graph, path)` do files; `parse_graph` and `serialize_graph` do bytes.
"""

from anydml.frontends.serialized.reading import parse_graph, read_graph
from anydml.frontends.serialized.writing import serialize_graph, write_graph

__all__ = ["parse_graph", "read_graph", "serialize_graph", "write_graph"]
