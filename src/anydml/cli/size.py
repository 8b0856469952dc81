"""`anydml size`: the least buffer for a tensor, as DMLCalcBufferTensorSize computes it."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from anydml.cli.explain import read_numbers, read_sizes
from anydml.cli.messages import write
from anydml.core.tensor import TensorDesc

if TYPE_CHECKING:
    from argparse import _SubParsersAction


def add_parser(subparsers: _SubParsersAction[ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "size",
        help="the least size of a buffer in bytes",
        description="The least size of a buffer that holds a tensor, rounded up to 4 bytes (DMLCalcBufferTensorSize).",
    )
    parser.add_argument("data_type", metavar="TYPE", help="FLOAT32, UINT8, INT4, ... or a NumPy name")
    parser.add_argument("sizes", metavar="SIZES", nargs="+", help="2,3 or 2x3")
    parser.add_argument("--strides", metavar="LIST", help="in elements, one for each size; packed when left out")
    parser.add_argument("--order", metavar="LETTERS", help="the order of axes in memory instead: NHWC, WH, ...")
    parser.add_argument("--json", action="store_true", help="print the figures for machines instead")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    # Words that are no numbers go in as they are: the description names each by its field.
    sizes: Any = read_sizes(args.sizes)
    strides: Any = None if args.strides is None else read_numbers(args.strides, "--strides")
    desc = TensorDesc(args.data_type, sizes, strides, order=args.order)
    total, span = desc.total_tensor_size_in_bytes, desc.layout.span
    if args.json:
        write(json.dumps({"bytes": total, "elements": span, "bits_per_element": desc.data_type.bits}) + "\n")
        return 0
    bits = desc.data_type.bits
    each = f"{bits // 8} bytes" if bits > 8 else "1 byte" if bits == 8 else f"{bits} bits"
    rest = total - desc.minimum_size_in_bytes
    rounded = f", {rest} more up to a multiple of 4" if rest else ""
    write(f"{total} bytes: {span:,} element{'s' * (span != 1)} of {each}{rounded}\n")
    return 0
