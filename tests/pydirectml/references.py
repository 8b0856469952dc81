"""The same networks in PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

Arrays = dict[str, np.ndarray[Any, Any]]


class Reference:
    """Tensors of a network's weights, and the layers that use them by name."""

    def __init__(self, weights: Arrays) -> None:
        self.weights = {name: torch.tensor(np.asarray(data, np.float32)) for name, data in weights.items()}

    def convolution(self, x: torch.Tensor, name: str, **options: Any) -> torch.Tensor:
        return F.conv2d(x, self.weights[f"{name}_weight"], self.weights[f"{name}_bias"].reshape(-1), **options)

    def instance(self, x: torch.Tensor, name: str) -> torch.Tensor:
        w = self.weights
        return F.instance_norm(x, weight=w[f"{name}_scale"], bias=w[f"{name}_shift"], eps=1e-5)

    def batch(self, x: torch.Tensor, name: str) -> torch.Tensor:
        mean, variance, scale, shift = (self.weights[f"{name}_{k}"] for k in ("mean", "variance", "scale", "shift"))
        return F.batch_norm(x, mean, variance, scale, shift, eps=1e-5)


def tensor(image: np.ndarray[Any, Any]) -> torch.Tensor:
    return torch.tensor(np.asarray(image, np.float32))


def mnist(image: np.ndarray[Any, Any], weights: Arrays) -> np.ndarray[Any, Any]:
    w = Reference(weights).weights
    x = tensor(image)
    x = F.max_pool2d(F.relu(F.conv2d(x, w["Parameter5"], padding=2) + w["Parameter6"]), 2)
    x = F.max_pool2d(F.relu(F.conv2d(x, w["Parameter87"], padding=2) + w["Parameter88"]), 3)
    scores = x.reshape(1, 256) @ w["Parameter193"].reshape(256, 10) + w["Parameter194"]
    return F.softmax(scores, dim=1).numpy()


def squeezenet(image: np.ndarray[Any, Any], weights: Arrays) -> np.ndarray[Any, Any]:
    net = Reference(weights)
    x = F.relu(net.convolution(tensor(image)[None], "squeezenet0_conv0", stride=2))
    number = 1
    for fire in range(8):
        if fire in (0, 2, 4):
            x = F.max_pool2d(x, 3, stride=2)
        squeezed = F.relu(net.convolution(x, f"squeezenet0_conv{number}"))
        one = F.relu(net.convolution(squeezed, f"squeezenet0_conv{number + 1}"))
        three = F.relu(net.convolution(squeezed, f"squeezenet0_conv{number + 2}", padding=1))
        x, number = torch.cat([one, three], 1), number + 3
    x = F.avg_pool2d(F.relu(net.convolution(x, "squeezenet0_conv25")), 13)
    return F.softmax(x.reshape(1, -1), dim=1).numpy()


def style_transfer(image: np.ndarray[Any, Any], weights: Arrays) -> np.ndarray[Any, Any]:
    net = Reference(weights)
    x = tensor(image) - torch.tensor([103.939, 116.779, 123.68]).reshape(1, 3, 1, 1)
    x = F.pad(x, (4, 4, 4, 4), mode="reflect")
    x = F.relu(net.instance(net.convolution(x, "first"), "first"))
    x = F.relu(net.instance(net.convolution(x, "down", stride=2, padding=1), "down"))
    inner = F.relu(net.instance(net.convolution(x, "residual1"), "residual1"))
    inner = net.instance(net.convolution(inner, "residual2"), "residual2")
    x = inner + x[:, :, 2:-2, 2:-2]
    x = F.conv_transpose2d(x, net.weights["up_weight"], net.weights["up_bias"], stride=2)[:, :, 1:, 1:]
    x = F.interpolate(F.relu(net.instance(x, "up")), scale_factor=2, mode="nearest")
    x = torch.tanh(net.convolution(x, "last", padding=1)) * 150
    return (x + net.weights["mean"].reshape(1, 3, 1, 1)).numpy()


def mobilenet(image: np.ndarray[Any, Any], weights: Arrays) -> np.ndarray[Any, Any]:
    net = Reference(weights)

    def layer(x: torch.Tensor, name: str, **options: Any) -> torch.Tensor:
        return net.batch(F.conv2d(x, net.weights[f"{name}_weight"], **options), name)

    x = F.relu(layer(tensor(image), "first", stride=2, padding=1))
    for block, stride in enumerate([1, 2, 1]):
        wide = F.relu(layer(x, f"block{block}_expand"))
        deep = F.relu(layer(wide, f"block{block}_depth", stride=stride, padding=1, groups=wide.shape[1]))
        narrow = layer(deep, f"block{block}_project")
        x = x + narrow if block == 2 else narrow
    return F.linear(x.mean((2, 3)), net.weights["classes"], net.weights["shift"]).numpy()


def super_resolution(image: np.ndarray[Any, Any], weights: Arrays) -> np.ndarray[Any, Any]:
    net = Reference(weights)
    x = tensor(image)
    for name, border in (("conv1", 2), ("conv2", 1), ("conv3", 1)):
        x = F.relu(net.convolution(x, name, padding=border))
    return F.pixel_shuffle(x, 3).numpy()
