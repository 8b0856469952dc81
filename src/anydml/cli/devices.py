"""`anydml devices`: what operators can run on here, and what is missing for the rest."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import Any

from anydml.cli.messages import write


def add_parser(subparsers: Any) -> None:
    about = "The devices of this machine, and why others are missing."
    parser = subparsers.add_parser("devices", help="list the devices of this machine", description=about)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    found = [_device(name) for name in _names()]
    write((json.dumps(found, indent=2) if args.json else "\n".join(map(_line, found))) + "\n")
    return 0


def _names() -> list[str]:
    from anydml.runtime.backend import BACKENDS

    return list(BACKENDS)


def _device(name: str) -> dict[str, Any]:
    from anydml.runtime.backend import BACKENDS, fastest, find_backend, why_missing

    reason = why_missing(name)
    entry = {"name": name, "description": BACKENDS[name][0], "missing": reason, "is_auto": name == fastest()}
    describe = getattr(getattr(find_backend(name), "driver", None), "describe", None) if reason is None else None
    return entry | ({"hardware": describe()} if describe is not None else {})


def _line(entry: dict[str, Any]) -> str:
    facts = [entry["description"], entry.get("hardware"), "what 'auto' stands for" if entry["is_auto"] else None]
    if entry["missing"]:
        facts = [f"missing: {entry['missing']}"]
    return f"{entry['name']:<10} {'; '.join(fact for fact in facts if fact)}"
