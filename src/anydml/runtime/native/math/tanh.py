"""The hyperbolic tangent of float32.

Where tables can be held in registers it is a polynomial for each of 32 pieces; elsewhere it follows from the tangent of
half the number, which is a quotient of polynomials.
"""

from __future__ import annotations

from anydml.runtime.native.math.lookup import Pieces, can_look_up, numbers
from anydml.runtime.native.math.values import (
    Vector,
    absolute,
    at_least,
    at_most,
    fused,
    multiply_add,
    polynomial,
    with_sign,
)

_LARGEST = 9.125
"""From here on the result is 1."""
_CENTRES = numbers(
    """
    0.0 0.093742445 0.15621144 0.21874551 0.28121307 0.34375155 0.43750852 0.56240565 0.6874732 0.8123744 0.9374493
    1.0624788 1.187622 1.3125731 1.5003363 1.749765 2.000336 2.2495773 2.4997172 2.749523 3.0006678 3.2493773 3.6246552
    4.124435 4.6244826 5.125995 5.625512 6.1236353 6.6255703 7.0753136 7.971178 8.664333
    """
)
_COEFFICIENTS = (
    numbers(
        """
        0.015862046 0.060647175 0.0969318 0.12727442 0.14998713 0.16408676 0.16963527 0.15375464 0.119433016 0.07990742
        0.043373376 0.014428804 -0.0055544293 -0.017652651 -0.024783295 -0.023471717 -0.017894294 -0.012341414
        -0.0080670295 -0.0051137996 -0.0031847013 -0.0019630217 -0.0009487286 -0.00035165792 -0.00012972439
        -4.7755868e-05 -1.75769e-05 -6.4705814e-06 -2.3796756e-06 -8.8246725e-07 -2.0070699e-07 -3.534269e-08
        """
    ),
    numbers(
        """
        -0.33390158 -0.32163835 -0.30177966 -0.27359062 -0.23876235 -0.19932939 -0.13618554 -0.05457357 0.014079235
        0.06391294 0.09451027 0.10862089 0.11050906 0.10441514 0.08773143 0.06301476 0.042177837 0.02718612 0.01708579
        0.010593582 0.0064952173 0.0039810054 0.0019132551 0.0007068154 0.00026035795 9.553512e-05 3.5186695e-05
        1.2994921e-05 4.762018e-06 1.9270956e-06 3.308531e-07 8.12118e-08
        """
    ),
    numbers(
        """
        5.775223e-06 -0.09265207 -0.15123247 -0.20533893 -0.25345045 -0.2946161 -0.34185725 -0.37729755 -0.3842675
        -0.36892402 -0.33852357 -0.2998903 -0.25838393 -0.21787882 -0.16347887 -0.10718459 -0.06806682 -0.04254416
        -0.026250632 -0.016097363 -0.009804177 -0.005985105 -0.002834305 -0.0010450201 -0.0003846581 -0.00014110962
        -5.19667e-05 -1.9190786e-05 -7.0323676e-06 -2.8635366e-06 -4.7140827e-07 -1.1957455e-07
        """
    ),
    numbers(
        """
        1.0 0.99126357 0.9759895 0.9536364 0.92490894 0.89055645 0.83060426 0.7401447 0.64435947 0.5498961 0.4611736
        0.38124377 0.31136587 0.25190476 0.18059684 0.11386218 0.07060472 0.04350057 0.026606852 0.016229494 0.009852842
        0.0060031065 0.0028381762 0.0010455026 0.00038470913 0.0001411165 5.1966308e-05 1.9189496e-05 7.032208e-06
        2.860794e-06 4.76269e-07 1.1916829e-07
        """
    ),
    numbers(
        """
        0.0 0.093468815 0.15495309 0.21532206 0.27402744 0.3308225 0.41157714 0.50976014 0.5963563 0.670898 0.7340481
        0.7866107 0.8298399 0.864925 0.905209 0.9413488 0.9640513 0.97800773 0.9866068 0.991852 0.99506134 0.9969939
        0.9985797 0.999477 0.9998076 0.9999294 0.999974 0.9999904 0.9999965 0.99999857 0.99999976 0.99999994
        """
    ),
)
_PIECES = Pieces(0.625, _LARGEST, _CENTRES, _COEFFICIENTS)
_LARGEST_DOUBLED = 9.59
_ABOVE = (-0.0009636870405834386, -0.08333329795993347)
_BELOW = (-7.043176129236152e-08, 0.0010375669733386065, 0.11156349648796185, 1.0)
"""2 tanh(x / 2) / x - 1 as z above(z) / below(z) with z = x^2, for x up to the largest."""


def tanh(x: Vector) -> Vector:
    if can_look_up(x.lanes):
        return with_sign(_pieced(at_most(absolute(x), _LARGEST)), x)
    return _doubled(at_least(at_most(x, _LARGEST_DOUBLED), -_LARGEST_DOUBLED))


def _pieced(size: Vector) -> Vector:
    value, slope, distance = _PIECES.around(size)
    return fused(slope, distance, value)


def _doubled(x: Vector) -> Vector:
    """t / (1 + t^2 / 4) with t = 2 tanh(x / 2); errors of t hardly count where that is near 2.

    The rounding of the sum is put right afterwards. Both corrections are +0 where x is 0, which keeps its sign.
    """
    z = x * x
    change = multiply_add(z, polynomial(z, _ABOVE), 0.0) / polynomial(z, _BELOW)
    t = multiply_add(x, change, x)
    square = t * 0.25 * t
    below = square + 1.0
    share = t / below
    return multiply_add(share, (below - 1.0) - square, share)
