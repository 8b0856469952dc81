"""python -m tests.runtime.cuda.bench_moves SIZE TYPES"""

import sys

from anydml.bench import gpu
from anydml.core.datatype import DataType


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 30
    print(gpu.machine(), flush=True)
    for name in (sys.argv[2] if len(sys.argv) > 2 else "float32").split(","):
        results = []
        for pattern in gpu.chosen_patterns():
            try:
                results.append(gpu.measure_moves(pattern, size, DataType.parse(name), 5, True))
            except Exception as error:
                print("failed", pattern.name, type(error).__name__, str(error)[:300])
        print(name)
        print(gpu.move_table(results))
        print("\n".join(gpu.move_goals(results)), flush=True)


main()
