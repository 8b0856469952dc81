"""Every family of cases, by name: the module that has it as `FAMILY`."""

from __future__ import annotations

from importlib import import_module

from anydml.bench.compute.case import Family

FAMILIES = {
    "pointwise": "anydml.bench.compute.pointwise",
    "products": "anydml.bench.compute.products",
    "recurrent": "anydml.bench.compute.recurrent",
    "reductions": "anydml.bench.compute.reductions",
}


def family(name: str) -> Family:
    found: Family = import_module(FAMILIES[name]).FAMILY
    return found
