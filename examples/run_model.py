"""A model file from Python: one call, the resources as arrays."""

from pathlib import Path

import anydml as dml

resources = dml.run_model(Path(__file__).parent / "slice1_reversed.json")
for name, array in resources.items():
    print(name, array.ravel())
