"""Names for the sets of data types that support tables use again and again."""

from __future__ import annotations

from anydml.core.datatype import INTEGERS, DataType

FLOAT_16_32 = frozenset({DataType.FLOAT16, DataType.FLOAT32})
FLOAT16 = frozenset({DataType.FLOAT16})
UINT8 = frozenset({DataType.UINT8})
UINT32 = frozenset({DataType.UINT32})
UINT64 = frozenset({DataType.UINT64})
INT32 = frozenset({DataType.INT32})
FLOAT32 = frozenset({DataType.FLOAT32})
FLOAT64 = frozenset({DataType.FLOAT64})
SMALL_SIGNED = frozenset({DataType.INT8, DataType.INT16, DataType.INT32})
INTEGERS_8 = frozenset({DataType.INT8, DataType.UINT8})
INTEGERS_16 = frozenset({DataType.INT16, DataType.UINT16})
INTEGERS_32 = frozenset({DataType.INT32, DataType.UINT32})
INTEGERS_64 = frozenset({DataType.INT64, DataType.UINT64})
UNSIGNED_UP_TO_32_BIT = frozenset({DataType.UINT8, DataType.UINT16, DataType.UINT32})
UP_TO_32_BIT = FLOAT_16_32 | INTEGERS_8 | INTEGERS_16 | INTEGERS_32
WITHOUT_FLOAT64 = UP_TO_32_BIT | INTEGERS_64
ALL = WITHOUT_FLOAT64 | FLOAT64
ALL_INTEGERS = INTEGERS - {DataType.INT4, DataType.UINT4}
