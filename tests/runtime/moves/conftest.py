"""Small tensors reach the kernels in these tests."""

from __future__ import annotations

import pytest

from anydml.runtime.moves import engine


@pytest.fixture
def natively(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even one element is moved by a kernel, and shared among threads."""
    monkeypatch.setattr(engine, "SMALL_BYTES", 0)
    monkeypatch.setattr(engine, "SHARED_BYTES", 0)


@pytest.fixture(params=["cached", "streamed"])
def stores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to write."""
    monkeypatch.setattr(engine, "STREAMED_BYTES", 0 if request.param == "streamed" else 1 << 60)
    return str(request.param)
