"""How large caches are: what Linux tells, within bounds, and a usual size elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from anydml.runtime.native import caches


def _told(monkeypatch: pytest.MonkeyPatch, folder: Path, *sizes: str) -> int:
    for number, size in enumerate(sizes):
        (folder / f"index{number}").mkdir(parents=True)
        (folder / f"index{number}" / "size").write_text(size)
    monkeypatch.setattr(caches, "_CACHES", folder)
    return caches.last_level_bytes()


@pytest.mark.parametrize(
    ("sizes", "wanted"),
    [
        (("48K\n", "32K\n", "1024K\n", "16384K\n"), 16 << 20),
        (("48K", "24M"), 24 << 20),
        (("48K", "266240K"), 32 << 20),
        (("32K", "512K"), 8 << 20),
        (("48K", "", "x", "KK"), 8 << 20),
        ((), 32 << 20),
    ],
)
def test_last_level__is_the_largest_within_bounds(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sizes: tuple[str, ...], wanted: int
) -> None:
    assert _told(monkeypatch, tmp_path / "cache", *sizes) == wanted


def test_far__is_more_than_all_caches_hold() -> None:
    assert 10 << 20 <= caches.far_bytes() == 5 * caches.last_level_bytes() // 4 <= 40 << 20
