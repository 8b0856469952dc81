"""What every kernel's text starts with: short names of types, conversions and exact integer division.

No header is included, so that a kernel compiles in a few milliseconds.
"""

from __future__ import annotations

NAMES = """
typedef signed char int8; typedef short int16; typedef int int32; typedef long long int64;
typedef unsigned char uint8; typedef unsigned short uint16; typedef unsigned int uint32;
typedef unsigned long long uint64;
"""

DEVICE = """
__device__ __forceinline__ float bits_float(uint32 x) { return __uint_as_float(x); }
__device__ __forceinline__ double bits_double(uint64 x) { return __longlong_as_double((int64)x); }
__device__ __forceinline__ uint32 float_bits(float x) { return __float_as_uint(x); }
__device__ __forceinline__ uint64 double_bits(double x) { return (uint64)__double_as_longlong(x); }
__device__ __forceinline__ float half_number(uint16 x) {
  float y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x)); return y;
}
__device__ __forceinline__ uint16 number_half(float x) {
  uint16 y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y;
}
__device__ __forceinline__ uint16 double_number_half(double x) {
  uint16 y; asm("cvt.rn.f16.f64 %0, %1;" : "=h"(y) : "d"(x)); return y;
}
__device__ __forceinline__ uint32 shift_pair(uint32 low, uint32 high, uint32 bits) {
  return __funnelshift_r(low, high, bits);
}
__device__ __forceinline__ uint32 pick_bytes(uint32 low, uint32 high, uint32 which) {
  return __byte_perm(low, high, which);
}
__device__ __forceinline__ uint32 high_product(uint32 a, uint32 b) { return __umulhi(a, b); }
__device__ __forceinline__ float power_of_two(float x) {
  float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y;
}
__device__ __forceinline__ float about_inverse(float x) {
  float y; asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y;
}
template <typename T> __device__ __forceinline__ T read_once(const T* p) { return __ldcs(p); }
template <typename T> __device__ __forceinline__ void write_once(T* p, T x) { __stcs(p, x); }
"""

CONVERSIONS = """
// NaN keeps its sign and high bits and becomes quiet, as processors do it.
__device__ __forceinline__ float half_to_float(uint16 x) {
  if ((x & 0x7fff) > 0x7c00) return bits_float((uint32)(x & 0x8000) << 16 | 0x7fc00000u | (uint32)(x & 0x3ff) << 13);
  return half_number(x);
}
__device__ __forceinline__ uint16 float_to_half(float x) {
  uint32 b = float_bits(x);
  if (x != x) return (uint16)((b >> 16 & 0x8000) | 0x7e00 | (b >> 13 & 0x3ff));
  return number_half(x);
}
__device__ __forceinline__ uint16 double_to_half(double x) {
  uint64 b = double_bits(x);
  if (x != x) return (uint16)((b >> 48 & 0x8000) | 0x7e00 | (b >> 42 & 0x3ff));
  return double_number_half(x);
}
__device__ __forceinline__ double float_to_double(float x) {
  uint64 b = float_bits(x);
  if (x != x) return bits_double((b >> 31) << 63 | 0x7ff8000000000000ull | (b & 0x7fffff) << 29);
  return (double)x;
}
__device__ __forceinline__ float double_to_float(double x) {
  uint64 b = double_bits(x);
  if (x != x) return bits_float((uint32)(b >> 63) << 31 | 0x7fc00000u | (uint32)(b >> 29 & 0x7fffff));
  return (float)x;
}
__device__ __forceinline__ float round_half(float x) { return half_to_float(float_to_half(x)); }
// Toward zero, kept inside the range; `limit` is the first number too large.
template <typename T, typename F> __device__ __forceinline__ T to_integer(F x, F least, F limit, T low, T high) {
  return x != x ? (T)0 : x >= limit ? high : x < least ? low : (T)x;
}
"""

ARITHMETIC = """
template <typename T> __device__ __forceinline__ T least_of(T a, T b) { return a != a || a < b ? a : b; }
template <typename T> __device__ __forceinline__ T largest_of(T a, T b) { return a != a || a > b ? a : b; }
__device__ __forceinline__ float modulo(float a, float b) { return fmodf(a, b); }
__device__ __forceinline__ double modulo(double a, double b) { return fmod(a, b); }
template <typename F> __device__ __forceinline__ F floor_modulo(F a, F b) {
  F m = modulo(a, b);
  if (b == 0) return m;
  if (m != 0) return (b < 0) != (m < 0) ? m + b : m;
  return copysign((F)0, b);
}
template <typename F> __device__ __forceinline__ F floor_quotient(F a, F b) {
  if (b == 0) return a / b;
  F m = modulo(a, b), q = (a - m) / b;
  if (m != 0 && (b < 0) != (m < 0)) q -= 1;
  if (q == 0) return copysign((F)0, a / b);
  F whole = floor(q);
  return q - whole > (F)0.5 ? whole + 1 : whole;
}
// Whole powers of whole numbers are whole: what rounding left beside them is taken back.
__device__ __forceinline__ double exact_power(double x, double y) {
  const double p = pow(x, y);
  const bool is_whole = x == floor(x) && y == floor(y) && (y >= 0 || fabs(x) == 1);
  return is_whole && fabs(p) < 9007199254740992.0 ? rint(p) : p;
}
// The chance that a standard normal variable lies below x: a tail, or 1 less a tail. With s = |x| the tail is
// e^(-s^2 / 2) / 2 / (s + 1.375), times a polynomial of that fraction. Half the time of normcdff, and within 7 ULP.
__device__ __forceinline__ float normal_cdf(float x) {
  const float s = fabsf(x), square = s * s, lost = fmaf(s, s, -square);
  const float shifted = fmaf(square, -0.72134751f, 12582912.0f), n = shifted - 12582912.0f;
  float r = fmaf(square, -0.72134751f, -n);
  r = fmaf(lost, -0.72134751f, fmaf(square, -9.629815e-9f, r));
  const float power = bits_float(float_bits(power_of_two(r)) + (float_bits(shifted) << 23));
  const float share = 0.5f * about_inverse(s + 1.375f), u = fmaf(share, -1.375f, 0.1191098094f);
  float p = fmaf(u, 3414.348876953125f, 8504.716796875f);
  p = fmaf(u, p, 9090.1474609375f);
  p = fmaf(u, p, 5274.33447265625f);
  p = fmaf(u, p, 1605.5028076171875f);
  p = fmaf(u, p, 74.28459930419922f);
  p = fmaf(u, p, -133.57745361328125f);
  p = fmaf(u, p, -38.77494430541992f);
  p = fmaf(u, p, 8.452972412109375f);
  p = fmaf(u, p, 6.887324810028076f);
  p = fmaf(u, p, -0.8042635321617126f);
  p = fmaf(u, p, -1.7029653787612915f);
  const float tail = s > 13.0f ? 0.0f : share * power * fmaf(u, p, 1.0f);
  return x < 0 ? tail : 1.0f - tail;
}
// x times that chance. Minus infinity is held back: times 0 it would be no number.
__device__ __forceinline__ float gelu(float x) { return largest_of(x, -3.402823466e+38f) * normal_cdf(x); }
__device__ __forceinline__ double gelu(double x) { return largest_of(x, -1.7976931348623157e+308) * normcdf(x); }
// e is only raised to negative powers, so nothing overflows.
__device__ __forceinline__ float sigmoid(float x) {
  const float power = expf(-fabsf(x));
  return (x < 0 ? power : 1.0f) / (1.0f + power);
}
__device__ __forceinline__ double sigmoid(double x) {
  const double power = exp(-fabs(x));
  return (x < 0 ? power : 1.0) / (1.0 + power);
}
template <typename T> __device__ __forceinline__ T whole_modulo(T a, T b) {
  if (b == 0 || (b == (T)-1 && (T)-1 < (T)0)) return 0;
  return a % b;
}
template <typename T> __device__ __forceinline__ T whole_quotient(T a, T b) {
  if (b == 0) return 0;
  return b == (T)-1 && (T)-1 < (T)0 ? (T)(0 - (uint64)a) : (T)(a / b);
}
// The low bits of a power; a negative exponent leaves what is left after cutting off toward zero.
template <typename T> __device__ __forceinline__ T whole_power(T x, T n) {
  if (n < 0) return x == 1 ? (T)1 : x == (T)-1 ? (n & 1 ? (T)-1 : (T)1) : (T)0;
  uint64 result = 1, factor = (uint64)x;
  for (uint64 left = (uint64)n; left; left >>= 1, factor *= factor) if (left & 1) result *= factor;
  return (T)result;
}
template <typename T> __device__ __forceinline__ T whole_floor_modulo(T a, T b) {
  T m = whole_modulo(a, b);
  return m != 0 && (m < 0) != (b < 0) ? (T)(m + b) : m;
}
template <typename T> __device__ __forceinline__ T whole_floor_quotient(T a, T b) {
  if (b == 0) return 0;
  if (b == (T)-1 && (T)-1 < (T)0) return (T)(0 - (uint64)a);
  return (T)(a / b - (T)(a % b != 0 && (a < 0) != (b < 0)));
}
"""

INDEXING = """
// 16 bytes from any address, out of the aligned blocks that hold them.
__device__ __forceinline__ uint4 join(uint4 a, uint4 b, uint32 bytes) {
  uint32 w[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
  if (bytes & 8) { w[0] = w[2]; w[1] = w[3]; w[2] = w[4]; w[3] = w[5]; w[4] = w[6]; w[5] = w[7]; }
  if (bytes & 4) { w[0] = w[1]; w[1] = w[2]; w[2] = w[3]; w[3] = w[4]; w[4] = w[5]; }
  const uint32 bits = (bytes & 3) * 8;
  uint4 found;
  found.x = shift_pair(w[0], w[1], bits); found.y = shift_pair(w[1], w[2], bits);
  found.z = shift_pair(w[2], w[3], bits); found.w = shift_pair(w[3], w[4], bits);
  return found;
}
__device__ __forceinline__ uint4 read_anywhere(const void* p) {
  const uint32 bytes = (uint32)(uint64)p & 15;
  const uint4* block = (const uint4*)((uint64)p & ~15ull);
  const uint4 first = block[0];
  return bytes ? join(first, block[1], bytes) : first;
}
// n / d for n below 2^31, by a multiplication: the low half of `magic` is the factor, the high half the shift.
__device__ __forceinline__ uint32 divide(uint32 n, uint64 magic) {
  return (high_product(n, (uint32)magic) + n) >> (uint32)(magic >> 32);
}
__device__ __forceinline__ int read_nibble(const uint8* p, int64 i) { return p[i >> 1] >> (4 * (i & 1)) & 15; }
// Threads share words: each changes its own four bits.
__device__ __forceinline__ void write_nibble(uint8* p, int64 i, int x) {
  uint64 byte = (uint64)(p + (i >> 1));
  uint32* word = (uint32*)(byte & ~3ull);
  int shift = 8 * (int)(byte & 3) + 4 * (int)(i & 1);
  atomicAnd(word, ~(15u << shift));
  atomicOr(word, (uint32)(x & 15) << shift);
}
"""

MOVING = NAMES + DEVICE + INDEXING
"""What kernels that only move elements need: less text is compiled sooner."""
PRELUDE = NAMES + DEVICE + CONVERSIONS + ARITHMETIC + INDEXING
OPTIONS = ("--std=c++17", "--fmad=false", "--device-as-default-execution-space")
"""Products and sums are rounded one by one, as their definitions are."""
