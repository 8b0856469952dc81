"""A GPU made of the host's C++ compiler: kernels' texts are compiled and run thread by thread, on the host's memory.

Blocks run one after another. Threads of a block take turns between barriers, so that shared memory and shuffles work.
It is slow and exact: what a kernel computes here it computes on a GPU, up to the last bits of functions such as exp.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from anydml.runtime.cuda.backend import CudaBackend
from anydml.runtime.cuda.text.pointwise import Launch
from anydml.runtime.cuda.text.prelude import DEVICE

HOST = r"""
#include <cmath>
#include <cstring>
#include <cstdint>
#include <vector>
#include <ucontext.h>
using namespace std;
#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define __restrict__
struct dim3_ { unsigned x, y, z; };
static dim3_ threadIdx, blockIdx, blockDim, gridDim;
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(16) float4 { float x, y, z, w; };
alignas(256) static unsigned char emulated_shared[1 << 18];
static ucontext_t emulated_main; static ucontext_t* emulated_self; static bool emulated_barrier;
static void __syncthreads() {
  dim3_ t = threadIdx; emulated_barrier = true; swapcontext(emulated_self, &emulated_main); threadIdx = t;
}
static void __syncwarp() { __syncthreads(); }
static unsigned long long emulated_lanes[1024];
template <typename T> static T __shfl_xor_sync(unsigned, T v, int m) {
  memcpy(&emulated_lanes[threadIdx.x], &v, sizeof v); __syncthreads();
  T r; memcpy(&r, &emulated_lanes[threadIdx.x ^ m], sizeof r); __syncthreads(); return r;
}
static double normcdf(double x) { return 0.5 * erfc(-x * sqrt(0.5)); }
static float normcdff(float x) { return normcdf((double)x); }
static int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static int __ffs(int x) { return __builtin_ffs(x); }
static void atomicAnd(unsigned* p, unsigned x) { *p &= x; }
static void atomicOr(unsigned* p, unsigned x) { *p |= x; }
"""
HOST_DEVICE = r"""
static float bits_float(uint32 x) { float y; memcpy(&y, &x, 4); return y; }
static double bits_double(uint64 x) { double y; memcpy(&y, &x, 8); return y; }
static uint32 float_bits(float x) { uint32 y; memcpy(&y, &x, 4); return y; }
static uint64 double_bits(double x) { uint64 y; memcpy(&y, &x, 8); return y; }
static float half_number(uint16 x) {
  int s = x >> 15, e = x >> 10 & 31, m = x & 1023;
  float v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexpf(1024 + m, e - 25) : ldexpf(m, -24);
  return s ? -v : v;
}
static uint16 double_number_half(double x) {
  uint16 s = signbit(x) ? 0x8000 : 0; double a = fabs(x);
  if (a >= 65520.0) return s | 0x7c00;
  if (a < ldexp(1, -14)) return s | (uint16)nearbyint(ldexp(a, 24));
  int e; double f = frexp(a, &e); double m = nearbyint(ldexp(f, 11));
  if (m == 2048) { m = 1024; e++; }
  return s | (uint16)((e + 14) << 10 | ((int)m - 1024));
}
static uint16 number_half(float x) { return double_number_half(x); }
static float power_of_two(float x) { return exp2f(x); }
static float about_inverse(float x) { return 1 / x; }
static uint32 shift_pair(uint32 low, uint32 high, uint32 bits) { return ((uint64)high << 32 | low) >> bits; }
static uint32 pick_bytes(uint32 low, uint32 high, uint32 which) {
  uint64 both = (uint64)high << 32 | low; uint32 found = 0;
  for (int n = 0; n < 4; n++) found |= (uint32)(both >> 8 * (which >> 4 * n & 7) & 255) << 8 * n;
  return found;
}
static uint32 high_product(uint32 a, uint32 b) { return (uint64)a * b >> 32; }
template <typename T> static T read_once(const T* p) { return *p; }
template <typename T> static void write_once(T* p, T x) { *p = x; }
"""
RUN = r"""
static const void* emulated_arguments;
static void emulated_thread() { kernel(*(const P*)emulated_arguments); }
extern "C" void run(const void* arguments, unsigned blocks, unsigned threads, int takes_turns) {
  emulated_arguments = arguments; blockDim = {threads, 1, 1}; gridDim = {blocks, 1, 1};
  vector<ucontext_t> contexts(takes_turns ? threads : 0); vector<vector<char>> stacks(contexts.size());
  for (auto& stack : stacks) stack.resize(1 << 16);
  for (unsigned block = 0; block < blocks; block++) {
    blockIdx = {block, 0, 0};
    if (!takes_turns) {
      for (unsigned t = 0; t < threads; t++) { threadIdx = {t, 0, 0}; emulated_thread(); }
      continue;
    }
    vector<bool> open(threads, true); unsigned left = threads;
    for (unsigned t = 0; t < threads; t++) {
      getcontext(&contexts[t]);
      contexts[t].uc_stack.ss_sp = stacks[t].data(); contexts[t].uc_stack.ss_size = stacks[t].size();
      contexts[t].uc_link = &emulated_main; makecontext(&contexts[t], emulated_thread, 0);
    }
    while (left) for (unsigned t = 0; t < threads; t++) if (open[t]) {
      threadIdx = {t, 0, 0}; emulated_self = &contexts[t]; emulated_barrier = false;
      swapcontext(&emulated_main, &contexts[t]);
      if (!emulated_barrier) { open[t] = false; left--; }
    }
  }
}
"""


def compiler() -> str | None:
    return shutil.which("g++") or shutil.which("clang++")


class _Data:
    def __init__(self, array: Any) -> None:
        self.ptr = array.ctypes.data


class Array(np.ndarray):
    """A NumPy array that tells its address as CuPy's do."""

    @property
    def data(self) -> Any:  # type: ignore[override]
        return _Data(self)


class Library:
    """NumPy under CuPy's name."""

    ndarray = Array

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        if name in ("empty", "ascontiguousarray", "asarray"):
            return lambda *args, **kwargs: found(*args, **kwargs).view(Array)
        return found


class EmulatedBlas:
    """Products as cuBLAS defines them, by NumPy on the very memory."""

    def product(self, shape: Any, addresses: tuple[int, int, int], is_fast: bool) -> Any:
        return lambda: self._run(shape, *addresses)

    def _run(self, shape: Any, left: int, right: int, target: int) -> None:
        a = _matrices(
            left,
            shape.types[0],
            shape.count,
            shape.left_step,
            shape.rows,
            shape.depth,
            shape.left_pitch,
            shape.left_transposed,
        )
        b = _matrices(
            right,
            shape.types[1],
            shape.count,
            shape.right_step,
            shape.depth,
            shape.columns,
            shape.right_pitch,
            shape.right_transposed,
        )
        c = _matrices(
            target, shape.types[2], shape.count, shape.target_step, shape.rows, shape.columns, shape.target_pitch, False
        )
        wide = np.float64 if shape.types[2].name == "FLOAT64" else np.float32
        with np.errstate(all="ignore"):
            c[...] = np.matmul(a.astype(wide), b.astype(wide)) * wide(shape.alpha)


def _matrices(
    address: int, kind: Any, count: int, step: int, rows: int, columns: int, pitch: int, is_transposed: bool
) -> Any:
    item = kind.element_bytes
    strides = (step * item, *((item, pitch * item) if is_transposed else (pitch * item, item)))
    size = ((count - 1) * step + (max(rows, columns) - 1) * pitch + max(rows, columns)) * item
    return np.ndarray(
        (count, rows, columns), kind.numpy_dtype, (ctypes.c_char * size).from_address(address), 0, strides
    )


class DefaultStream:
    """The one stream there is."""

    ptr = 0


class EmulatedDriver:
    """What `Driver` offers, on the host."""

    arrays = Library()
    number = 0
    started = ""
    blas = EmulatedBlas()
    dnn = None

    def __init__(self) -> None:
        self._kernels: dict[str, Any] = {}
        kept = os.environ.get("ANYDML_EMULATION")
        self._temporary = None if kept else tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.folder = Path(kept or self._temporary.name)  # type: ignore[union-attr]
        """Where compiled kernels are kept: a folder that goes with the process, or one to keep between runs."""

    def describe(self) -> str:
        return "the host's processor"

    def allocate(self, size: int) -> tuple[int, Any]:
        raw = np.full(size + 256, 0xA5, np.uint8)
        start = -raw.ctypes.data % 256
        return raw.ctypes.data + start, raw

    def copy(self, destination: int, source: int, size: int) -> None:
        ctypes.memmove(destination, source, size)

    def upload(self, destination: int, data: Any) -> None:
        ctypes.memmove(destination, data.ctypes.data, data.size)

    def download(self, data: Any, source: int) -> None:
        ctypes.memmove(data.ctypes.data, source, data.size)

    def synchronize(self) -> None:
        """Nothing runs on its own."""

    def current_stream(self) -> DefaultStream:
        return DefaultStream()

    def is_memory(self, address: int) -> bool:
        return True

    def use(self) -> None:
        """There is one device."""

    def array(self, address: int, size: int, owner: Any, shape: Any, dtype: Any, strides: Any = None) -> Any:
        dtype = np.dtype(dtype)
        raw = (ctypes.c_char * max(size, 1)).from_address(address)
        if strides is None:
            return np.ndarray(shape, dtype, raw).view(Array)
        return np.ndarray(shape, dtype, raw, 0, strides).view(Array)

    def kernel(self, text: str, shared_bytes: int = 0) -> Any:
        found = self._kernels.get(text)
        if found is None:
            found = self._kernels[text] = ctypes.CDLL(str(self._compile(text))).run
        return found

    def _compile(self, text: str) -> Path:
        self.folder.mkdir(exist_ok=True, parents=True)
        shared = "extern __shared__"
        source = (
            HOST
            + text.replace(DEVICE, HOST_DEVICE).replace(
                f"{shared} __align__(16) uint8 tile[];", "static unsigned char* tile = emulated_shared;"
            )
            + RUN
        )
        target = self.folder / f"checked-{sha256(source.encode()).hexdigest()}.so"
        if not target.exists():
            with tempfile.TemporaryDirectory() as folder:
                place = Path(folder) / "kernel.cpp"
                place.write_text(source)
                program = compiler()
                assert program is not None
                # GPUs refuse addresses that are no multiple of what is read there; this makes the processor do so too.
                checks = ["-fsanitize=alignment", "-fsanitize-undefined-trap-on-error"]
                options = [*checks, "-O1", "-std=c++17", "-shared", "-fPIC", "-w", "-ffp-contract=off", "-fwrapv"]
                subprocess.run([program, *options, str(place), "-o", f"{folder}/kernel.so"], check=True)
                shutil.move(f"{folder}/kernel.so", target)
        return target

    def launcher(self, launch: Launch) -> Any:
        function = self.kernel(launch.text, launch.shared_bytes)
        takes_turns = int("__syncthreads" in launch.text or "__shfl" in launch.text)

        def run() -> None:
            function(launch.arguments, launch.blocks, launch.threads, takes_turns)

        return run

    def failed(self, name: str, error: Exception) -> Exception:
        return error

    def record(self, runs: Any) -> Any:
        return lambda: [run() for run in runs]


BACKEND = CudaBackend(EmulatedDriver())  # type: ignore[arg-type]
