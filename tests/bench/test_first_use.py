"""First use of operators: measured in processes of their own, and judged."""

from __future__ import annotations

import pytest

from anydml.bench.first_use import OPERATORS, OperatorUse, measure_operator, operator_table
from anydml.cli.main import main


def test_measure_operator__runs_it_in_new_processes() -> None:
    use = measure_operator("add", 1)
    assert use.name == "add"
    assert min(use.from_disk, use.from_disk_with_imports, use.compiled, use.compiled_with_imports) > 0


@pytest.mark.parametrize(("compiled", "found", "verdict"), [(59, 9, "PASS"), (61, 9, "MISS"), (59, 11, "MISS")])
def test_table__judges(compiled: float, found: float, verdict: str) -> None:
    line = operator_table([OperatorUse("add", compiled / 1e3, found / 1e3, 1.0, 1.0)]).splitlines()[2]
    assert line.split() == ["add", f"{compiled}.0", f"{found}.0", "1000.0", "1000.0", verdict]


def test_cases__that_are_not_there_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "first-use", "--cases", "division"]) == 2
    error = capsys.readouterr().err
    assert "division" in error and all(name in error for name in OPERATORS)
