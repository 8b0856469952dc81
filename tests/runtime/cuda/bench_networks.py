"""python -m tests.runtime.cuda.bench_networks"""

import time
import traceback

import cupy
import numpy as np
import torch
import torch.nn.functional as F

import anydml as dml
from anydml.bench.gpu import seconds_of
from anydml.graph.graph import ConstantNode, Graph

device = dml.Device("cuda")
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
rng = np.random.default_rng(0)


class Net:
    """A graph and the same calls of PyTorch, built side by side."""

    def __init__(self):
        self.nodes, self.inner, self.inputs, self.calls, self.sizes = [], [], [], [], {}

    def input(self, sizes):
        self.sizes["x"] = tuple(sizes)
        self.calls.append(("x", None))
        return ("in", 0, tuple(sizes), "x")

    def constant(self, array):
        self.nodes.append(ConstantNode(array))
        return len(self.nodes) - 1

    def add(self, op, operands, call, name=None):
        self.nodes.append(op)
        me = len(self.nodes) - 1
        for index, operand in enumerate(operands):
            if operand is None:
                continue
            if isinstance(operand, int):
                self.inner.append((operand, 0, me, index))
            elif operand[0] == "in":
                self.inputs.append((operand[1], me, index))
            else:
                self.inner.append((operand[0], 0, me, index))
        sizes = op.points("output")[0].tensor.sizes
        key = f"v{me}"
        self.calls.append((key, call))
        return (me, 0, sizes, key)

    def conv(self, x, k, r, stride=1, relu=True, groups=1):
        c = x[2][1]
        w = (rng.standard_normal((k, c // groups, r, r)) * (2 / (c // groups * r * r)) ** 0.5).astype("f4")
        b = rng.standard_normal((1, k, 1, 1)).astype("f4") * 0.1
        p = [r // 2] * 2
        op = dml.Convolution(
            input_tensor=dml.TensorDesc("FLOAT32", x[2]), filter_tensor=dml.TensorDesc("FLOAT32", w.shape),
            bias_tensor=dml.TensorDesc("FLOAT32", b.shape), strides=[stride] * 2, start_padding=p, end_padding=p, group_count=groups,
        )
        tw, tb, key = torch.from_numpy(w).cuda(), torch.from_numpy(b.reshape(-1)).cuda(), x[3]
        y = self.add(op, [x, self.constant(w), self.constant(b)], lambda v: F.conv2d(v[key], tw, tb, stride, r // 2, 1, groups))
        return self.relu(y) if relu else y

    def relu(self, x):
        key = x[3]
        return self.add(dml.ActivationRelu(input_tensor=dml.TensorDesc("FLOAT32", x[2])), [x], lambda v: torch.relu(v[key]))

    def plus(self, x, y):
        a, b = x[3], y[3]
        d = dml.TensorDesc("FLOAT32", x[2])
        return self.add(dml.ElementWiseAdd(a_tensor=d, b_tensor=d), [x, y], lambda v: v[a] + v[b])

    def pool(self, x, r, stride, pad):
        key = x[3]
        op = dml.MaxPooling(input_tensor=dml.TensorDesc("FLOAT32", x[2]), strides=[stride] * 2, window_size=[r] * 2, start_padding=[pad] * 2, end_padding=[pad] * 2)
        return self.add(op, [x], lambda v: F.max_pool2d(v[key], r, stride, pad))

    def mean(self, x):
        key = x[3]
        op = dml.Reduce(function="AVERAGE", input_tensor=dml.TensorDesc("FLOAT32", x[2]), axes=[2, 3])
        return self.add(op, [x], lambda v: v[key].mean((2, 3), keepdim=True))

    def join(self, x, y):
        a, b = x[3], y[3]
        op = dml.Join(input_tensors=[dml.TensorDesc("FLOAT32", x[2]), dml.TensorDesc("FLOAT32", y[2])], axis=1)
        return self.add(op, [x, y], lambda v: torch.cat((v[a], v[b]), 1))

    def linear(self, x, n, bias=True):
        key, (rows, k) = x[3], x[2][-2:]
        w = (rng.standard_normal((n, k)) / k**0.5).astype("f4")
        b = rng.standard_normal((1, n)).astype("f4") * 0.1
        op = dml.Gemm(
            a_tensor=dml.TensorDesc("FLOAT32", (rows, k)), b_tensor=dml.TensorDesc("FLOAT32", w.shape), trans_b="TRANSPOSE",
            c_tensor=dml.TensorDesc("FLOAT32", (rows, n), strides=[0, 1]),
        )
        tw, tb = torch.from_numpy(w).cuda(), torch.from_numpy(b.reshape(-1)).cuda()
        return self.add(op, [x, self.constant(w), self.constant(b)], lambda v: F.linear(v[key], tw, tb))

    def norm(self, x):
        key, n = x[3], x[2][-1]
        w, b = rng.standard_normal((2, 1, n)).astype("f4")
        d, s = dml.TensorDesc("FLOAT32", x[2]), dml.TensorDesc("FLOAT32", (1, n))
        op = dml.MeanVarianceNormalization1(input_tensor=d, scale_tensor=s, bias_tensor=s, axes=[1], normalize_variance=True, epsilon=1e-5)
        tw, tb = (torch.from_numpy(a.reshape(-1).copy()).cuda() for a in (w, b))
        return self.add(op, [x, self.constant(w.copy()), self.constant(b.copy())], lambda v: F.layer_norm(v[key], (n,), tw, tb, 1e-5))

    def gelu(self, x):
        key = x[3]
        return self.add(dml.ActivationGelu(input_tensor=dml.TensorDesc("FLOAT32", x[2])), [x], lambda v: F.gelu(v[key]))

    def attention(self, q, k, v_, heads):
        s, n = q[2]
        d = n // heads
        def view(t):
            return dml.TensorDesc("FLOAT32", (1, heads, s, d), strides=[s * n, d, n, 1])
        a, b, c = q[3], k[3], v_[3]
        scores = self.add(dml.Gemm(a_tensor=view(q), b_tensor=view(k), trans_b="TRANSPOSE", alpha=d**-0.5), [q, k],
                          lambda v: (v[a].view(s, heads, d).transpose(0, 1) @ v[b].view(s, heads, d).permute(1, 2, 0)) * d**-0.5)
        e = scores[3]
        soft = self.add(dml.ActivationSoftmax1(input_tensor=dml.TensorDesc("FLOAT32", (1, heads, s, s)), axes=[3]), [scores], lambda v: torch.softmax(v[e], -1))
        f = soft[3]
        op = dml.Gemm(a_tensor=dml.TensorDesc("FLOAT32", (1, heads, s, s)), b_tensor=view(v_), output_tensor=view(q))
        y = self.add(op, [soft, v_], lambda v: (v[f] @ v[c].view(s, heads, d).transpose(0, 1)).transpose(0, 1).reshape(s, n))
        return (y[0], y[1], (s, n), y[3])

    def finish(self, y):
        self.graph = Graph(self.nodes, self.inputs, [(y[0], 0, 0)], self.inner)
        self.last = y[3]
        return self

    def torch(self, x):
        v = {"x": x}
        for key, call in self.calls[1:]:
            v[key] = call(v)
        return v[self.last]


def resnet50():
    net = Net()
    x = net.pool(net.conv(net.input((1, 3, 224, 224)), 64, 7, 2), 3, 2, 1)
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(count):
            s = stride if i == 0 else 1
            y = net.conv(net.conv(net.conv(x, width, 1), width, 3, s), width * 4, 1, relu=False)
            x = net.relu(net.plus(y, net.conv(x, width * 4, 1, s, relu=False) if i == 0 else x))
    return net.finish(net.mean(x))


def squeezenet():
    net = Net()
    x = net.pool(net.conv(net.input((1, 3, 224, 224)), 64, 3, 2), 3, 2, 0)
    for i, (s, e) in enumerate(((16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192), (64, 256), (64, 256))):
        if i in (2, 4):
            x = net.pool(x, 3, 2, 0)
        y = net.conv(x, s, 1)
        x = net.join(net.conv(y, e, 1), net.conv(y, e, 3))
    return net.finish(net.mean(net.conv(x, 1000, 1)))


def transformer():
    net = Net()
    x = net.input((128, 768))
    h = net.norm(x)
    y = net.plus(x, net.linear(net.attention(net.linear(h, 768), net.linear(h, 768), net.linear(h, 768), 12), 768))
    return net.finish(net.plus(y, net.linear(net.gelu(net.linear(net.norm(y), 3072)), 768)))


for make in (squeezenet, resnet50, transformer):
    try:
        net = make()
        started = time.perf_counter()
        run = device.compile_graph(net.graph)
        x = cupy.random.standard_normal(net.sizes["x"], dtype="f4")
        tx = torch.from_dlpack(x)
        with torch.no_grad():
            wanted = net.torch(tx)
            out = cupy.empty(run.outputs[0].total // 4, "f4")
            table = device.create_binding_table(run)
            table.bind_inputs([x])
            table.bind_outputs([out])
            table.dispatch()
            cupy.cuda.Device().synchronize()
            first = time.perf_counter() - started
            table.dispatch()
            table.dispatch()
            error = float((torch.from_dlpack(out).reshape(-1) - wanted.reshape(-1)).abs().max() / wanted.abs().max())
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                net.torch(tx)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                net.torch(tx)
            s = seconds_of({"anydml": table.dispatch, "PyTorch": lambda: net.torch(tx), "PyTorch graph": graph.replay}, 30)
        kinds = {}
        for step in run.plan.steps:
            kinds[type(step).__name__] = kinds.get(type(step).__name__, 0) + 1
        replay = next(iter(run._executable._bound.values()))
        print(make.__name__, {k: f"{v * 1e6:.0f} us" for k, v in s.items()}, f"error {error:.1e}, compile and first run {first:.2f} s, steps {kinds}, runs {len(replay.runs)}", flush=True)
    except Exception:
        traceback.print_exc()
