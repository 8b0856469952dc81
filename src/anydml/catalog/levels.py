"""Feature levels as a table: the release of DirectML that brought each, its operators, and what else is new."""

from __future__ import annotations

from typing import Any

import anydml.operators  # noqa: F401 - declares them all
from anydml.core.levels import LEVELS
from anydml.core.schema import OPERATORS

_BESIDES = {
    "2.0": "UINT8 outputs of logical operators",
    "2.1": "graphs of operators",
    "3.0": "8 dimensions, 64-bit data types, SYMMETRIC padding, negative indices",
    "4.0": "BATCH_NORMALIZATION ignores Spatial",
    "5.2": "MEAN_VARIANCE_NORMALIZATION takes a scale without a bias, and a bias without a scale",
    "6.0": "ELEMENT_WISE_CLIP can be fused into CONVOLUTION and GEMM",
    "6.1": "softmax can be fused into GEMM",
    "6.2": "zero points of quantization are optional, constants in graphs",
    "6.3": "UINT4 and INT4",
    "6.4": "WRAP padding, SOFTPLUS with a steepness below 1",
}


def level_rows() -> list[dict[str, Any]]:
    """One entry for each level, the lowest first."""
    return [
        {
            "feature_level": level.text,
            "value": level.value,
            "directml_version": facts.directml_version,
            "maximum_rank": facts.maximum_rank,
            "operators": sorted(name for name, operator in OPERATORS.items() if operator.since is level),
            "operator_count": sum(operator.since <= level for operator in OPERATORS.values()),
            "besides": _BESIDES.get(level.text, ""),
        }
        for level, facts in LEVELS.items()
    ]
