"""Declarations of DirectML's structures in C++, made from the facts, for tests to compile against."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

SPEC = Path(__file__).parents[1] / "spec"
TYPES = {
    "TENSOR": "const DML_TENSOR_DESC*",
    "TENSOR_ARRAY": "const DML_TENSOR_DESC*",
    "UINT": "UINT",
    "INT": "INT",
    "FLOAT": "FLOAT",
    "BOOL": "BOOL",
    "UINT_ARRAY": "const UINT*",
    "INT_ARRAY": "const INT*",
    "FLOAT_ARRAY": "const FLOAT*",
    "SCALE_BIAS": "const DML_SCALE_BIAS*",
    "SIZE_2D": "DML_SIZE_2D",
    "SCALAR_UNION": "DML_SCALAR_UNION",
    "FUSED_ACTIVATION": "const DML_OPERATOR_DESC*",
    "FUSED_ACTIVATION_ARRAY": "const DML_OPERATOR_DESC*",
}
BASE = """
#include <cmath>
#include <cstdint>
typedef unsigned int UINT; typedef int INT; typedef float FLOAT; typedef int BOOL; typedef unsigned char BYTE;
typedef uint64_t UINT64;
#define TRUE 1
#define FALSE 0
enum DML_TENSOR_FLAGS { DML_TENSOR_FLAG_NONE = 0, DML_TENSOR_FLAG_OWNED_BY_DML = 1 };
enum DML_TENSOR_TYPE { DML_TENSOR_TYPE_INVALID, DML_TENSOR_TYPE_BUFFER };
struct DML_TENSOR_DESC { DML_TENSOR_TYPE Type; const void* Desc; };
struct DML_OPERATOR_DESC { DML_OPERATOR_TYPE Type; const void* Desc; };
struct DML_SCALE_BIAS { FLOAT Scale; FLOAT Bias; };
struct DML_SIZE_2D { UINT Width; UINT Height; };
union DML_SCALAR_UNION {
    BYTE Bytes[8]; int8_t Int8; uint8_t UInt8; int16_t Int16; uint16_t UInt16; int32_t Int32; uint32_t UInt32;
    int64_t Int64; uint64_t UInt64; float Float32; double Float64;
};
struct DML_BUFFER_TENSOR_DESC {
    DML_TENSOR_DATA_TYPE DataType; DML_TENSOR_FLAGS Flags; UINT DimensionCount; const UINT* Sizes; const UINT* Strides;
    UINT64 TotalTensorSizeInBytes; UINT GuaranteedBaseOffsetAlignment;
};
struct DML_INPUT_GRAPH_EDGE_DESC { UINT GraphInputIndex, ToNodeIndex, ToNodeInputIndex; const char* Name; };
struct DML_OUTPUT_GRAPH_EDGE_DESC { UINT FromNodeIndex, FromNodeOutputIndex, GraphOutputIndex; const char* Name; };
struct DML_INTERMEDIATE_GRAPH_EDGE_DESC {
    UINT FromNodeIndex, FromNodeOutputIndex, ToNodeIndex, ToNodeInputIndex; const char* Name;
};
struct DML_CONSTANT_DATA_GRAPH_NODE_DESC { const void* Data; UINT64 DataSize; const char* Name; };
"""


def declarations() -> str:
    """Everything that printed operators and graphs name."""
    operators = json.loads((SPEC / "operators.json").read_text("utf-8"))
    enumerations = json.loads((SPEC / "enumerations.json").read_text("utf-8"))
    lines = [
        f"enum {name} {{ {', '.join(f'{name}_{m}' for m in members)} }};" for name, members in enumerations.items()
    ]
    types = ", ".join(f"DML_OPERATOR_{name} = {facts['id']}" for name, facts in operators.items())
    lines += [f"enum DML_OPERATOR_TYPE {{ {types} }};", BASE]
    lines += [line for name, facts in operators.items() for line in _struct(name, facts["fields"])]
    return "\n".join(lines)


def _struct(name: str, fields: list[list[str]]) -> Iterator[str]:
    yield f"struct DML_{name}_OPERATOR_DESC {{"
    for member, _, kind in fields:
        bare = kind.split(" ")[0]
        yield f"    {bare.removeprefix('ENUM:') if bare.startswith('ENUM:') else TYPES[bare]} {member};"
    yield "};"
