"""Classify a photograph with SqueezeNet 1.1, from weights in a folder of .npy files.

    python examples/classify.py --weights squeezenet_tensor_data --image dog.jpg --labels imagenet_categories.txt

The weights are named as the ONNX model zoo names them: squeezenet0_conv0_weight.npy to squeezenet0_conv25_bias.npy.
Pictures need `pip install "anydml[images]"`.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import anydml as dml
import anydml.expression as dmlx

Floats = npt.NDArray[np.float32]
SIZE = 224
LAYERS = 26
CLASSES = 1000
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class Network:
    """SqueezeNet as a graph: one input for the picture, and one for each array of weights."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.graph = dmlx.Graph()
        self.arrays: list[Floats] = []
        self.picture = dmlx.input_tensor(self.graph, 0, dml.TensorDesc("FLOAT32", [1, 3, SIZE, SIZE]), "picture")

    def load(self, name: str, sizes: list[int] | None = None) -> dmlx.Expression:
        """A graph input for an array of weights; DirectML keeps them in a form of its own."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # old files warn of their headers
            array = np.ascontiguousarray(np.load(self.folder / f"{name}.npy"), np.float32)
        self.arrays.append(array)
        desc = dml.TensorDesc("FLOAT32", sizes or array.shape, flags="OWNED_BY_DML")
        return dmlx.input_tensor(self.graph, len(self.arrays), desc, name)

    def convolution(self, x: dmlx.Expression, number: int, stride: int = 1, border: int = 0) -> dmlx.Expression:
        name = f"squeezenet0_conv{number}"
        filters = self.load(f"{name}_weight")
        bias = self.load(f"{name}_bias", [1, filters.sizes[0], 1, 1])
        return dmlx.convolution(
            x,
            filters,
            bias,
            strides=[stride, stride],
            start_padding=[border, border],
            end_padding=[border, border],
            fused_activation=dmlx.FusedActivation.relu(),
            name=f"conv{number}",
        )

    def layers(self) -> Iterator[dmlx.Expression]:
        """The layers one by one, so that a progress bar can follow; the last one is the answer."""
        x = self.convolution(self.picture, 0, stride=2)
        yield x
        number = 1
        for fire in range(8):
            if fire in (0, 2, 4):
                x = dmlx.max_pooling(x, [3, 3], strides=[2, 2]).output
            with self.graph.name_scope(f"fire{fire}"):
                squeezed = self.convolution(x, number)
                yield squeezed
                one = self.convolution(squeezed, number + 1)
                yield one
                three = self.convolution(squeezed, number + 2, border=1)
                x = dmlx.join([one, three], 1)
                yield x
            number += 3
        x = self.convolution(x, number)
        mean = dmlx.average_pooling(x, [13, 13], False)
        yield dmlx.activation_softmax(dmlx.reinterpret(mean, None, [1, CLASSES]), [1])


def read_picture(path: Path) -> Floats:
    """The middle of a picture, as the network was trained to see it."""
    from PIL import Image, ImageOps

    image = ImageOps.fit(Image.open(path).convert("RGB"), (SIZE, SIZE))
    pixels = np.asarray(image, np.float32) / 255
    normalized = (pixels - np.array(MEAN)) / np.array(DEVIATION)
    return np.ascontiguousarray(normalized.transpose(2, 0, 1)[None], np.float32)


def show_progress(done: int, total: int, what: str) -> None:
    """A bar on one line of the terminal."""
    if sys.stderr.isatty():
        filled = 30 * done // total
        end = "\n" if done == total else ""
        print(f"\r{what} [{'#' * filled}{'.' * (30 - filled)}] {done}/{total}", end=end, file=sys.stderr, flush=True)


def classify(weights: Path, picture: Floats) -> Floats:
    """The probability of each class."""
    network = Network(weights)
    layers = []
    for layer in network.layers():
        layers.append(layer)
        show_progress(len(layers), LAYERS, "building")
    network.graph.compile(layers[-1])
    result: Any = network.graph(picture, *network.arrays)
    return np.asarray(result, np.float32).reshape(-1)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Classify a photograph with SqueezeNet.")
    parser.add_argument("--weights", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--image", type=Path, required=True, metavar="FILE")
    parser.add_argument("--labels", type=Path, metavar="FILE", help="a text with the name of each class on a line")
    args = parser.parse_args(arguments)
    names = args.labels.read_text("utf-8").splitlines() if args.labels else [f"class {i}" for i in range(CLASSES)]
    try:
        chances = classify(args.weights, read_picture(args.image))
    except (OSError, dml.DmlError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for place in np.argsort(chances)[::-1][:5]:
        print(f"{chances[place]:7.2%}  {names[int(place)]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
