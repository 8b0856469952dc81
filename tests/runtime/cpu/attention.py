"""Random attentions of every form, run on the processor and by definition."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

import anydml as dml
from tests.runtime.cpu.products import Array, buffer, layout, values

FORMS = (
    ("query_tensor", "key_tensor", "value_tensor"),
    ("stacked_query_key_tensor", "value_tensor"),
    ("query_tensor", "stacked_key_value_tensor"),
    ("stacked_query_key_value_tensor",),
    ("query_tensor",),
)
"""The last has nothing but past keys and values."""
MASKS = ("NONE", "KEY_SEQUENCE_LENGTH", "KEY_SEQUENCE_END_START", "KEY_QUERY_SEQUENCE_LENGTH_START_END", "BOOLEAN")
TOLERANCE = 3e-6
"""Of the largest magnitude in a result: rounding of scores, of their exponentials and of their sums."""


class Sizes:
    def __init__(self, random: Random, form: tuple[str, ...], most: int) -> None:
        few = (1, 1, 2, 3, random.randint(1, most))
        self.batch = random.choice((1, 1, 2, 3))
        self.queries, self.keys = random.choice(few), random.choice(few)
        self.size, self.value_size = (random.choice((1, 3, 4, 8, 17, 32)) for _ in range(2))
        self.key_heads = random.choice((1, 2, 3))
        self.heads = self.key_heads
        if form[0] == "query_tensor":
            self.heads *= random.choice((1, 1, 2, 3))
        if form[0].startswith("stacked_query"):
            self.keys = self.queries
        if "stacked_key_value_tensor" in form or (len(form) == 1 and form[0].startswith("stacked")):
            self.value_size = self.size
        self.past = random.choice((0, 0, 1, random.randint(1, most)))
        if form == FORMS[-1]:
            self.keys, self.past = 0, max(1, self.past)

    @property
    def total(self) -> int:
        return self.past + self.keys

    def of(self, name: str) -> tuple[int, ...]:
        hidden, keys, values = self.heads * self.size, self.key_heads * self.size, self.key_heads * self.value_size
        return {
            "query_tensor": (self.batch, self.queries, hidden),
            "key_tensor": (self.batch, self.keys, keys),
            "value_tensor": (self.batch, self.keys, values),
            "stacked_query_key_tensor": (self.batch, self.queries, self.heads, 2, self.size),
            "stacked_key_value_tensor": (self.batch, self.keys, self.key_heads, 2, self.size),
            "stacked_query_key_value_tensor": (self.batch, self.queries, self.heads, 3, self.size),
            "bias_tensor": (hidden + keys + values,),
            "relative_position_bias_tensor": (self.batch, self.heads, self.queries, self.total),
            "past_key_tensor": (self.batch, self.key_heads, self.past, self.size),
            "past_value_tensor": (self.batch, self.key_heads, self.past, self.value_size),
            "output_tensor": (self.batch, self.queries, self.heads * self.value_size),
        }[name]


def attention(random: Random, most: int = 40) -> tuple[Any, dict[str, Array]]:
    """An operator and its inputs."""
    form = random.choice(FORMS[:4] * 2 + FORMS[4:])
    sizes, data_type = Sizes(random, form, most), random.choice(("FLOAT32", "FLOAT32", "FLOAT16"))
    names = [*form, *(("past_key_tensor", "past_value_tensor") if sizes.past else ())]
    names += [name for name in ("bias_tensor", "relative_position_bias_tensor") if random.random() < 0.4]
    tensors = {name: layout(random, sizes.of(name), data_type) for name in names}
    inputs = {name: values(random, sizes.of(name), data_type) for name in names}
    options: dict[str, Any] = {"scale": sizes.size**-0.5, "mask_filter_value": random.choice((-1e4, -2.0, 0.0))}
    options["mask_type"] = random.choice(MASKS)
    if options["mask_type"] != "NONE":
        inputs["mask_tensor"] = mask = _mask(random, options["mask_type"], sizes)
        tensors["mask_tensor"] = layout(random, mask.shape, "INT32")
    if sizes.past and random.random() < 0.4:
        kind = random.choice(("INT32", "FLOAT32", "FLOAT16"))
        lengths = [random.choice((0, sizes.past, random.randint(0, sizes.past), -3, 10**4)) for _ in range(sizes.batch)]
        inputs["past_sequence_lengths_tensor"] = np.array(lengths, dml.DataType.parse(kind).numpy_dtype)
        tensors["past_sequence_lengths_tensor"] = layout(random, (sizes.batch,), kind)
    tensors["output_tensor"] = layout(random, sizes.of("output_tensor"), data_type)
    for role in ("key", "value"):
        if random.random() < 0.5:
            present = _present(random, sizes, role, "past_sequence_lengths_tensor" in tensors)
            tensors[f"output_present_{role}_tensor"] = layout(random, present, data_type)
    heads = {"query_head_count": sizes.heads, "key_value_head_count": sizes.key_heads}
    return dml.MultiheadAttention1(**tensors, **options, **heads), inputs


def _present(random: Random, sizes: Sizes, role: str, has_lengths: bool) -> tuple[int, ...]:
    """All keys or values, new ones alone, or with lengths any number between."""
    counts = [sizes.total, sizes.keys or sizes.total]
    if has_lengths:
        counts.append(random.randint(max(1, sizes.keys), sizes.total))
    size = sizes.size if role == "key" else sizes.value_size
    return (sizes.batch, sizes.key_heads, random.choice(counts), size)


def _mask(random: Random, mask_type: str, sizes: Sizes) -> Array:
    batch, total = sizes.batch, sizes.total
    ends = [random.choice((0, total, random.randint(1, total), 2**31 - 1)) for _ in range(batch)]
    if mask_type == "BOOLEAN":
        whole = (batch, sizes.heads, sizes.queries, total)
        chosen = tuple(size if random.random() < 0.7 else 1 for size in whole)[random.choice((0, 0, 1, 2)) :]
        generator = np.random.default_rng(random.getrandbits(32))
        mask = (generator.random(chosen) < 0.6).astype(np.int32) * random.choice((1, -5))
        mask[..., 0] = 1  # a filter value that is added to all scores of a row would leave few of their digits
        return mask
    if mask_type == "KEY_SEQUENCE_LENGTH":
        return np.array(ends, np.int32)
    if mask_type == "KEY_SEQUENCE_END_START":
        return np.array([ends, [random.randint(-2, total) for _ in range(batch)]], np.int32)
    queries = sorted(random.randint(0, batch * sizes.queries) for _ in range(batch + 1))
    keys = sorted(random.randint(0, batch * total) for _ in range(batch + 1))
    if random.random() < 0.2:
        random.shuffle(queries)
    return np.array([*ends, *queries, *keys], np.int32)


def results(operator: Any, inputs: dict[str, Array], device: str, threads: int | None = None) -> dict[str, Array]:
    """Every output; no byte but their elements may change."""
    from anydml.runtime.native.threads import get_threads, set_threads

    compiled = dml.Device(device).compile(operator)
    buffers: dict[str, Array] = {}
    for name, array in inputs.items():
        buffers[name], _ = buffer(getattr(operator, name), 0, 0)
        getattr(operator, name).view(buffers[name])[...] = array
    names = [f.name for f in operator.tensor_fields() if not f.is_input and getattr(operator, f.name) is not None]
    outputs = {name: buffer(getattr(operator, name), 0, 0xCD) for name in names}
    before = get_threads()
    set_threads(threads or before)
    try:
        compiled(**buffers, **{name: data for name, (data, _) in outputs.items()})
    finally:
        set_threads(before)
    return {name: _element_values(getattr(operator, name), *pair) for name, pair in outputs.items()}


def _element_values(desc: dml.TensorDesc, data: Array, memory: Array) -> Array:
    found = desc.view(data).copy()
    desc.view(data)[...] = np.frombuffer(b"\xcd" * 4, found.dtype)[0]
    assert (memory == 0xCD).all(), "bytes outside of the result were written"
    return found


def differences(found: Array, wanted: Array) -> Array:
    """Where results are further apart than rounding explains."""
    wide, right = found.astype(np.float64), wanted.astype(np.float64)
    largest = max(1.0, float(np.abs(right[np.isfinite(right)]).max(initial=0.0)))
    bound = TOLERANCE * largest + np.finfo(found.dtype).eps * np.abs(right)
    return np.argwhere(~((np.abs(wide - right) <= bound) | (np.isnan(wide) & np.isnan(right))))


def check(operator: Any, inputs: dict[str, Array]) -> None:
    found, wanted = (results(operator, inputs, device) for device in ("cpu", "reference"))
    for name in wanted:
        wrong = differences(found[name], wanted[name])
        assert not len(wrong), f"{operator}: {name}: {len(wrong)} of {found[name].size} differ, first at {wrong[0]}"
