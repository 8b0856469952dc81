"""Command lines put together from words that belong there and words that do not."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from pathlib import Path

import numpy as np

from tests.fuzz.harness import Summary, call_cleanly, leftovers, run_cases
from tests.fuzz.models import EXAMPLES

NAMES = [
    "reduce.json", "slice1_reversed.json", "numpy_files.json", "edges.json", "bad.json", "none.json", "ramp.npy",
    "pipe", "folder", "link.json", "loop", "out.npy", ".", "/", "", "a\0b", "\udcff", "\u202e.json", "x" * 300,
    "ä/ö.json",
]  # fmt: skip
NUMBERS = ["0", "1", "2", "3", "-1", "1.5", "1e3", "nan", "inf", "many", "", "9" * 50, "0x10", "²", "-0"]
LISTS = [
    "2,3", "2x3", "1,3,4,4", "[2,3]", "2,,3", "0,1", "-1,2", "2 3", "9" * 30, "x", "", "65535,65535", "1" + ",1" * 9,
    "4",
]  # fmt: skip
WORDS = [
    "SLICE1", "pool", "Softmax", "torch.cat", "Reshape", "zzz", "dml_operator_gemm", "", " ", ".", "ä", "\udcff",
    "a\0b", "x" * 300, "soft max", "*", "[",
]  # fmt: skip
OPTIONS: dict[str, list[str]] = {
    "--level": ["6.4", "1.0", "7.0", "five", ""],
    "--without": ["fuse", "prune", "fusion", ""],
    "--device": ["cpu", "reference", "null", "gpu", "", "CPU"],
    "--dml_feature_level": ["6.4", "2.1", "1.0", "7.0", "0x5000", "five", ""],
    "--input_path": NAMES,
    "--output_path": ["folder", "folder/new", "out.npy", "pipe", "loop", "\udcff", "folder/" + "a/" * 40],
    "--compare": [*NAMES, *(f"output={name}" for name in NAMES), "=ramp.npy", "output="],
    "--ulp": NUMBERS,
    "--atol": NUMBERS,
    "--rtol": NUMBERS,
    "-i": NUMBERS,
    "--strides": LISTS,
    "--order": ["NHWC", "WH", "HW", "XY", "", "NN"],
    "--offset": NUMBERS,
    "--total-bytes": NUMBERS,
    "--alignment": NUMBERS,
    "--window": ["offsets=0,1", "sizes=1,2", "strides=-1,2", "output=1,1", "x=1", "offsets", "=", ""],
    "--svg": ["a.svg", "folder", "none/a.svg", "pipe", "loop", "", "link.svg", "a\0b"],
    "--html": ["a.html", "a.svg", "/dev/full", "\udcff.html", "loop", "x" * 300],
}
FLAGS = [
    "--json", "--verbose", "--print_commands", "--allow-outside",
    "--plan", "--graph", "--levels", "--model", "--help", "--version", "-h",
    "--", "-", "--fast", "--js",
]  # fmt: skip
BELONGING = {
    "check": ["--dml_feature_level", "--input_path", "--allow-outside", "--json"],
    "run": ["--dml_feature_level", "--input_path", "--json", "--device", "--output_path", "--compare", "-i",
            "--verbose", "--allow-outside"],
    "explain": ["--strides", "--order", "--offset", "--total-bytes", "--alignment", "--window", "--svg", "--html",
                "--plan", "--json"],
    "graph": ["--graph", "--graph", "--device", "--without", "--svg", "--json", "--allow-outside",
              "--input_path"],
    "ops": ["--level", "--levels", "--model", "--json"],
}  # fmt: skip


def fuzz_command_lines(seed: int, count: int | None = None, seconds: float | None = None) -> Summary:
    """Run them in a folder of files, links, a pipe and a broken model; nothing is written outside of it."""
    rng, summary = random.Random(seed), Summary("command lines", seed)
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "here"
        try:

            def case() -> None:
                _fresh(folder)
                os.chdir(folder)
                words = command_line(rng)
                call_cleanly(summary, words, repr(words))
                os.chdir(before)
                if leftovers(name) or [path.name for path in Path(name).iterdir()] != ["here"]:
                    summary.fail(f"left something behind: {words}")

            return run_cases(summary, case, count, seconds)
        finally:
            os.chdir(before)


def _fresh(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "folder").mkdir(parents=True)
    for name in ("reduce.json", "slice1_reversed.json", "numpy_files.json", "edges.json", "ramp.npy", "square.png"):
        shutil.copy(EXAMPLES / name, folder)
    (folder / "bad.json").write_text('{"resources": {}, // nothing\n "commands": [}')
    np.save(folder / "out.npy", np.zeros(4, np.float32))
    for link, target in (("link.json", "reduce.json"), ("loop", "loop"), ("link.svg", "reduce.json")):
        (folder / link).symlink_to(target)
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe")


def command_line(rng: random.Random) -> list[str]:
    """A command with what it takes; in one of three, anything can be anywhere."""
    command = rng.choice(["run", "run", "check", "explain", "explain", "graph", "ops", "exlpain", ""])
    options = BELONGING.get(command, []) if rng.random() < 0.7 else [*OPTIONS, *FLAGS]
    words = ["explain" if command == "graph" else command]
    if command == "ops":
        words += rng.choices(WORDS, k=rng.choice([0, 1, 1, 1, 2]))
    elif command == "explain":
        words += [rng.choice(["FLOAT32", "uint8", "INT4", "FLOAT23", ""]), rng.choice(LISTS)]
    else:
        words += [rng.choice(NAMES) for _ in range(rng.choice([0, 1, 1, 1, 1, 2, 3]))]
    for option in rng.choices(options, k=rng.randrange(4)) if options else ():
        value = rng.choice(OPTIONS.get(option, [""]))
        if option in FLAGS:
            words.append(option)
        else:
            words += [f"{option}={value}"] if rng.random() < 0.2 else [option, value]
    if rng.random() < 0.05:
        rng.shuffle(words)
    return words
