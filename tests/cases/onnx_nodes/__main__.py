"""Run the ONNX node tests whose names contain a text: python -m tests.cases.onnx_nodes softmax_axis_0"""

from __future__ import annotations

import sys

from tests.cases.framework import spec
from tests.cases.framework.run import check
from tests.cases.onnx_nodes.nodes import Untranslatable, node_tests
from tests.cases.onnx_nodes.table import translate
from tests.cases.onnx_nodes.verify import tolerance_of
from tests.operators.memory import DEVICES

for node in node_tests():
    if sys.argv[1:] and not any(text in node.name for text in sys.argv[1:]):
        continue
    try:
        case, expected = translate(node)
    except Untranslatable as reason:
        print(f"{node.name}: not translated: {reason}")
        continue
    if spec.class_of(case.operator) is None:
        print(f"{node.name}: {case.operator} is not declared yet")
        continue
    for device in DEVICES:
        check(case, expected, device, tolerance_of(case))
    print(f"{node.name}: {case.operator} agrees on {', '.join(DEVICES)}")
