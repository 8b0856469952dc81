"""Mutations of a model: of its bytes, and of its structure."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

NUMBERS = [
    0, 1, -1, 2, 3, 4, 7, 8, 16, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**63 - 1, 2**63,
    2**64, 10**15, -(2**31), -(2**63), 10**40, 0.5, -0.5, 1.0, -0.0, 1e-300, 1e300, 3.4e38, 65504.0, 1e39,
]  # fmt: skip
TEXTS = [
    "", "x", "nan", "inf", "-inf", "NaN", "Infinity", "deferred", "output", "../out.npy", "/tmp/out.npy", "C:\\out.npy",
    "a\u0000b", "\U0001f600", "ÿ", "name" * 100, "self", "cls", "__init__", "Type", "Desc", "desc", "type", "UNKNOWN",
    "FLOAT32", "FLOAT16", "FLOAT64", "INT4", "UINT4", "UINT8", "INT64", "DML_TENSOR_DATA_TYPE_UINT64", "OWNED_BY_DML",
    "NONE", "SLICE1", "GEMM", "JOIN", "SPLIT", "ELEMENT_WISE_IDENTITY", "DML_OPERATOR_CONVOLUTION", "ACTIVATION_RELU",
    "hlsl", "onnx", "dmlSerializedGraph", "dispatch", "print", "writeFile", "out.png", "out.jpg", "out.npy", "out.bin",
    "square.png", "ramp.npy", "missing.npy", "nul.bin", "CON", ".", "..", "SUM", "WRAP", "REFLECTION", "scale",
]  # fmt: skip
TOKENS = [
    b"{", b"}", b"[", b"]", b",", b":", b'"', b"//", b"/*", b"\\", b"\\u", b"\\ud800", b"null", b"true", b"NaN", b"-",
    b"1e999", b"*/", b"/**/", b"// x\n", b"/* \"", b"#", b",]", b",}", b"0" * 500, b"[" * 100, b'{"a":' * 70, b"\x00",
    b"\xff", b"\xef\xbb\xbf", b"\r", b"\xe2\x80\xa8", b"1e5",
]  # fmt: skip
TEXT_PIECES = [
    "[", "]", "{", "}", ",", ":", "1", "-2.5", "0", "01", "1e5", "1e999", '"a"', '"nan"', '"-INF"', '"', "//", "/*",
    "*/", "/", "\n", " ", "\r", "\t", "true", "null", "NaN", "#", "\\", "\\n", "\\ud83d", '"//"', '"/*"', '"*/"',
    "[1,2", ",3]", '{"a":', "[1,", "1,", "/**/", "// x\n", "/* , */", "é", "\U0001f600", "\u2028", "\ufeff", "\x00",
    "-", "1" * 30, "0.1", ', "inf"',
]  # fmt: skip
NATURALS = [0, 1, 1, 2, 3, 7, 15]
INTEGERS = [*NATURALS, -1, -2, -8]
FLOATS = [0.0, -0.0, 1.0, -1.5, 0.5, 2.0, 1e-40, 65504.0, 3e38, "nan", "inf", "-inf"]
Path = tuple[Any, ...]


def mutate(text: str, rng: random.Random) -> bytes:
    """The model with one to four things changed."""
    if rng.random() < 0.3:
        return mutate_bytes(text.encode(), rng)
    tree = json.loads(text)
    if rng.random() < 0.6:
        tree = with_room(tree)
    for _ in range(rng.choice([1, 1, 1, 1, 1, 2, 3, 4])):
        tree = rng.choice(TREE_MUTATIONS)(tree, rng)
    text = json.dumps(tree, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 1]))
    if rng.random() < 0.1:  # a key twice, which no tree can say
        text = text.replace("{", '{"type": 1, ', 1)
    return text.encode("utf-8", "surrogatepass")


def mutate_lightly(text: str, rng: random.Random) -> bytes:
    """The model with other input values, or with one change of a description, which it may survive."""
    tree = with_room(json.loads(text))
    if rng.random() < 0.5:
        tree = hostile_values(tree, rng)
    if rng.random() < 0.7:
        change = rng.choice([nudge_number, nudge_number, replace_everywhere, swap_text])
        tree["dispatchables"] = change(tree["dispatchables"], rng)
    return json.dumps(tree).encode()


def hostile_values(tree: Any, rng: random.Random) -> Any:
    """Inputs of numbers that no index, length or divisor should be."""
    for resource in tree["resources"].values():
        kind = resource["initialValuesDataType"]
        numbers = FLOATS if kind.startswith("FLOAT") else INTEGERS if kind.startswith("INT") else NATURALS
        count = 4096 if isinstance(resource["initialValues"], dict) else len(resource["initialValues"])
        resource["initialValues"] = [rng.choice(numbers) for _ in range(min(count, 64))]
        if count > 64:
            resource["sizeInBytes"] = 4 * count
    return tree


# Bytes


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.randint(1, 4)):
        data = rng.choice(BYTE_MUTATIONS)(data, rng)
    return data


def flip(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) or 1)
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def cut(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data) or 1)
    return data[:start] + data[start + rng.choice([1, 1, 2, 5, 50, 10**6]) :]


def insert(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) or 1)
    return data[:at] + rng.choice(TOKENS) + data[at:]


def repeat(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data) or 1)
    end = start + rng.randrange(1, 60)
    return data[:end] + data[start:end] * rng.randrange(1, 4) + data[end:]


# Structure


def paths(tree: Any, here: Path = ()) -> Iterator[Path]:
    yield here
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from paths(value, (*here, key))
    elif isinstance(tree, list):
        for i, value in enumerate(tree):
            yield from paths(value, (*here, i))


def at(tree: Any, path: Path) -> Any:
    for step in path:
        tree = tree[step]
    return tree


def replaced(tree: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    tree = copy.deepcopy(tree)
    at(tree, path[:-1])[path[-1]] = value
    return tree


def any_path(tree: Any, rng: random.Random) -> Path:
    return rng.choice(list(paths(tree)))


def replace_value(tree: Any, rng: random.Random) -> Any:
    return replaced(tree, any_path(tree, rng), any_value(rng))


def any_value(rng: random.Random, depth: int = 0) -> Any:
    kind = rng.randrange(10 if depth < 3 else 6)
    if kind < 3:
        return rng.choice(NUMBERS)
    if kind < 6:
        return rng.choice([*TEXTS, None, True, False])
    if kind < 8:
        return [any_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind < 9:
        return {rng.choice(TEXTS): any_value(rng, depth + 1) for _ in range(rng.randrange(4))}
    return rng.choice([[1, 1, 4, 4], [1, 2], [0], [2, 3], [8], {"valueCount": 3, "value": 1}])


def nudge_number(tree: Any, rng: random.Random) -> Any:
    """Small changes keep a model almost right, and reach deeper than large ones."""
    numbers = [path for path in paths(tree) if type(at(tree, path)) in (int, float)]
    if not numbers:
        return tree
    path = rng.choice(numbers)
    value = at(tree, path)
    return replaced(tree, path, rng.choice([value + 1, value - 1, -value, value * 2, rng.choice(NUMBERS), 0, 1, 2, 3]))


def swap_text(tree: Any, rng: random.Random) -> Any:
    texts = [path for path in paths(tree) if isinstance(at(tree, path), str)]
    if not texts:
        return tree
    other = at(tree, rng.choice(texts)) if rng.random() < 0.5 else rng.choice(TEXTS)
    return replaced(tree, rng.choice(texts), other)


def replace_everywhere(tree: Any, rng: random.Random) -> Any:
    """One value for another throughout: a changed type or size that stays consistent goes a long way."""
    leaves = [path for path in paths(tree) if isinstance(at(tree, path), (str, int, float))]
    if not leaves:
        return tree
    old = at(tree, rng.choice(leaves))
    same_kind = TEXTS if isinstance(old, str) else [0, 1, 2, 3, 4, 5, 6, -1, -2, 16]
    new = rng.choice(same_kind)
    for path in leaves:
        if type(at(tree, path)) is type(old) and at(tree, path) == old:
            tree = replaced(tree, path, new)
    return tree


def with_room(tree: Any) -> Any:
    """Larger buffers, so that tensors that grew a little still fit."""
    for path in list(paths(tree)):
        if path and path[-1] == "valueCount":
            tree = replaced(tree, path, 4096)
    return tree


def swap_parts(tree: Any, rng: random.Random) -> Any:
    part = copy.deepcopy(at(tree, any_path(tree, rng)))
    return replaced(tree, any_path(tree, rng), part)


def drop(tree: Any, rng: random.Random) -> Any:
    path = any_path(tree, rng)
    if not path:
        return tree
    tree = copy.deepcopy(tree)
    del at(tree, path[:-1])[path[-1]]
    return tree


def rename_key(tree: Any, rng: random.Random) -> Any:
    objects = [path for path in paths(tree) if isinstance(at(tree, path), dict) and at(tree, path)]
    if not objects:
        return tree
    path = rng.choice(objects)
    entries = at(tree, path)
    old = rng.choice(list(entries))
    new = rng.choice([old[:-1], old + "s", old.upper(), old.lower(), rng.choice(TEXTS)])
    return replaced(tree, path, {new if key == old else key: value for key, value in entries.items()})


def grow_list(tree: Any, rng: random.Random) -> Any:
    lists = [path for path in paths(tree) if isinstance(at(tree, path), list)]
    if not lists:
        return tree
    path = rng.choice(lists)
    entries = copy.deepcopy(at(tree, path))
    extra = copy.deepcopy(rng.choice(entries)) if entries and rng.random() < 0.7 else any_value(rng)
    entries[rng.randrange(len(entries) + 1) : 0] = [extra] * rng.choice([1, 1, 2, 9])
    return replaced(tree, path, entries)


def wrap(tree: Any, rng: random.Random) -> Any:
    path = any_path(tree, rng)
    inner = copy.deepcopy(at(tree, path))
    for _ in range(rng.choice([1, 1, 2, 80])):
        inner = rng.choice([[inner], {"Desc": inner}])
    return replaced(tree, path, inner)


BYTE_MUTATIONS: list[Callable[[bytes, random.Random], bytes]] = [flip, cut, insert, repeat]
TREE_MUTATIONS: list[Callable[[Any, random.Random], Any]] = [
    replace_value, nudge_number, nudge_number, nudge_number, replace_everywhere, replace_everywhere, swap_text,
    swap_text, swap_parts, drop, rename_key, grow_list, wrap,
]  # fmt: skip
