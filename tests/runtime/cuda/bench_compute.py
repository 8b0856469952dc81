"""python -m tests.runtime.cuda.bench_compute"""

import os
import sys
import time

import cupy
import numpy as np
import torch

import anydml as dml
from anydml.bench.gpu import seconds_of
from anydml.graph.graph import Graph

device = dml.Device("cuda")
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
rng = np.random.default_rng(0)


def bound(compiled, inputs, outputs):
    table = device.create_binding_table(compiled)
    table.bind_inputs(inputs)
    table.bind_outputs(outputs)
    return table.dispatch


def show(name, works, base=None, repeat=9, check=None):
    try:
        s = seconds_of(works, repeat)
    except Exception as error:
        print(f"{name}: FAILED {type(error).__name__}: {str(error)[:300]}", flush=True)
        return
    line = ", ".join(f"{k} {v * 1e6:.1f} us" for k, v in s.items())
    ratio = s["PyTorch"] / s["anydml"] if "PyTorch" in s else 0
    extra = f"; {s['anydml'] / base:.3f} copies" if base else ""
    print(f"{name}: {line}; PyTorch/anydml {ratio:.2f}{extra} {check if check is not None else ''}", flush=True)


def t(x):
    return torch.from_dlpack(x)


def desc(kind, sizes, **more):
    return dml.TensorDesc("FLOAT16" if kind == "f2" else "FLOAT32", list(sizes), **more)


def pointwise():
    n = 16384
    x, y, row = (cupy.random.standard_normal(s, dtype="f4") for s in ((n, n), (n, n), (1, n)))
    out = cupy.empty((n, n), "f4")
    base = seconds_of({"c": lambda: cupy.cuda.runtime.memcpyAsync(out.data.ptr, x.data.ptr, x.nbytes, 3, 0)}, 9)["c"]
    print(f"copy {base * 1e6:.1f} us")
    d = desc("f4", (n, n))
    for name, op, f in (
        ("add", dml.ElementWiseAdd(a_tensor=d, b_tensor=d), lambda: torch.add(t(x), t(y), out=t(out))),
        ("gelu", dml.ActivationGelu(input_tensor=d), lambda: torch.nn.functional.gelu(t(x))),
        ("tanh", dml.ActivationTanh(input_tensor=d), lambda: torch.tanh(t(x), out=t(out))),
        ("softmax", dml.ActivationSoftmax1(input_tensor=d, axes=[1]), lambda: torch.softmax(t(x), 1)),
        ("sum of rows", dml.Reduce(function="SUM", input_tensor=d, axes=[1]), lambda: torch.sum(t(x), 1)),
        ("max of rows", dml.Reduce(function="MAX", input_tensor=d, axes=[1]), lambda: torch.amax(t(x), 1)),
        ("sum of columns", dml.Reduce(function="SUM", input_tensor=d, axes=[0]), lambda: torch.sum(t(x), 0)),
        ("max of columns", dml.Reduce(function="MAX", input_tensor=d, axes=[0]), lambda: torch.amax(t(x), 0)),
    ):
        run = device.compile(op)
        inputs = [x, y] if name == "add" else [x]
        target = out if run.outputs[0].total == out.nbytes else cupy.empty(run.outputs[0].total // 4, "f4")
        show(name, {"anydml": bound(run, inputs, [target]), "PyTorch": f}, base)
    from anydml.runtime.cuda.text import pointwise as _  # noqa

    d4 = desc("f4", (1, 1, n, n))
    one = desc("f4", (1, 1, 1, n))
    wide = desc("f4", (1, 1, n, n), strides=[0, 0, 0, 1])
    try:
        mvn = dml.MeanVarianceNormalization1(
            input_tensor=d4, scale_tensor=one, bias_tensor=one, axes=[3], normalize_variance=True, epsilon=1e-5
        )
        run = device.compile(mvn)
        w, b = (cupy.random.standard_normal((n,), dtype="f4") for _ in range(2))
        show(
            "layer normalization",
            {
                "anydml": bound(run, [x, w, b], [out]),
                "PyTorch": lambda: torch.nn.functional.layer_norm(t(x), (n,), t(w), t(b), 1e-5),
            },
            base,
        )
    except Exception as error:
        print("layer normalization", type(error).__name__, str(error)[:300])
    # (x + row) * y, sigmoid, * x
    d = desc("f4", (n, n))
    r = desc("f4", (n, n), strides=[0, 1])
    g = Graph(
        [
            dml.ElementWiseAdd(a_tensor=d, b_tensor=r),
            dml.ElementWiseMultiply(a_tensor=d, b_tensor=d),
            dml.ActivationSigmoid(input_tensor=d),
            dml.ElementWiseMultiply(a_tensor=d, b_tensor=d),
        ],
        [(0, 0, 0), (1, 0, 1), (2, 1, 1), (0, 3, 1)],
        [(3, 0, 0)],
        [(0, 0, 1, 0), (1, 0, 2, 0), (2, 0, 3, 0)],
    )
    run = device.compile_graph(g)
    show(
        "chain of four",
        {"anydml": bound(run, [x, row, y], [out]), "PyTorch": lambda: torch.sigmoid((t(x) + t(row)) * t(y)) * t(x)},
        base,
    )


def gemm():
    for kind in ("f4", "f2"):
        for n in (1024, 4096, 8192):
            a, b = (cupy.random.standard_normal((n, n), dtype="f4").astype(kind) for _ in range(2))
            out = cupy.empty((n, n), kind)
            d = desc(kind, (n, n))
            run = device.compile(dml.Gemm(a_tensor=d, b_tensor=d))
            ta, tb, to = t(a), t(b), t(out)
            show(f"GEMM {kind} {n}", {"anydml": bound(run, [a, b, None], [out]), "PyTorch": lambda: torch.mm(ta, tb, out=to)})


def conv():
    cases = [
        (1, 64, 64, 3, 56, 1, 1),
        (32, 64, 64, 3, 56, 1, 1),
        (32, 256, 256, 3, 14, 1, 1),
        (32, 64, 256, 1, 56, 1, 1),
        (32, 3, 64, 7, 224, 2, 1),
        (32, 96, 96, 3, 112, 1, 96),
    ]
    for kind in ("f4", "f2"):
        for n, c, k, r, s, stride, groups in cases:
            x = cupy.random.standard_normal((n, c, s, s), dtype="f4").astype(kind)
            w = (cupy.random.standard_normal((k, c // groups, r, r), dtype="f4") / (c // groups * r * r) ** 0.5).astype(
                kind
            )
            pad = [r // 2] * 2
            op = dml.Convolution(
                input_tensor=desc(kind, x.shape),
                filter_tensor=desc(kind, w.shape),
                strides=[stride] * 2,
                start_padding=pad,
                end_padding=pad,
                group_count=groups,
            )
            run = device.compile(op)
            tx, tw = t(x), t(w)
            wanted = torch.conv2d(tx, tw, stride=stride, padding=pad, groups=groups)
            out = cupy.empty(tuple(wanted.shape), kind)
            go = bound(run, [x, w, None], [out])
            go()
            error = float((t(out).float() - wanted.float()).abs().max())
            how = run.plan.steps[0].describe(run.plan.name_of).split()[0]
            show(
                f"conv {kind} {n}x{c}->{k} {r}x{r}/{stride} {s} g{groups} [{how}]",
                {"anydml": go, "PyTorch": lambda: torch.conv2d(tx, tw, stride=stride, padding=pad, groups=groups)},
                check=f"error {error:.1e}",
            )


def overhead():
    d = desc("f4", (256,))
    x, y = (cupy.zeros(256, "f4") for _ in range(2))
    go = bound(device.compile(dml.ActivationRelu(input_tensor=d)), [x], [y])
    for _ in range(100):
        go()
    cupy.cuda.Device().synchronize()
    s = time.perf_counter()
    for _ in range(2000):
        go()
    e = time.perf_counter()
    cupy.cuda.Device().synchronize()
    print(f"launch of a prepared operator {(e - s) / 2000 * 1e6:.2f} us")
    run = device.compile(dml.ActivationRelu(input_tensor=d))
    s = time.perf_counter()
    for _ in range(500):
        run(x, output_tensor=y)
    print(f"call of a compiled operator {(time.perf_counter() - s) / 500 * 1e6:.2f} us")
    os.environ["ANYDML_CACHE"] = ""
    worst = []
    for sizes, strides in (((700, 500), (1, 700)), ((3, 70000), (1, 3)), ((100, 1000), (2000, 1))):
        s = time.perf_counter()
        op = dml.ElementWiseIdentity(
            input_tensor=dml.TensorDesc("UINT16", sizes, strides=strides), output_tensor=dml.TensorDesc("UINT16", sizes)
        )
        run = device.compile(op)
        a = cupy.zeros(run.inputs[0].total, "u1")
        b = cupy.zeros(run.outputs[0].total, "u1")
        run(a, output_tensor=b)
        cupy.cuda.Device().synchronize()
        worst.append(time.perf_counter() - s)
    print(f"first use of move kernels {[f'{w * 1e3:.0f} ms' for w in worst]}")


for part in (sys.argv[1] if len(sys.argv) > 1 else "overhead,pointwise,gemm,conv").split(","):
    try:
        globals()[part]()
    except Exception as error:
        import traceback

        traceback.print_exc()
