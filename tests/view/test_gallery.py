from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_gallery__is_up_to_date() -> None:
    loader = SourceFileLoader("gallery_script", str(ROOT / "scripts" / "gallery"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    gallery = importlib.util.module_from_spec(spec)
    sys.modules[loader.name] = gallery  # dataclasses look their module up
    loader.exec_module(gallery)
    drawn = gallery.files()
    assert len(drawn) >= 15
    for path, text in drawn.items():
        assert (ROOT / path).read_text("utf-8") == text, f"{path} is out of date: run scripts/gallery"


def test_walk__names_every_pass() -> None:
    from anydml.graph.passes import PASSES

    picture = (ROOT / "docs" / "pictures" / "walk.svg").read_text("utf-8")
    assert all(each.name in picture for each in PASSES)
