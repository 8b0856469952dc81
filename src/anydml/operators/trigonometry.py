"""Trigonometric and hyperbolic functions and their inverses; angles are in radians."""

from __future__ import annotations

from typing import Any

from anydml.operators.elementwise import ANY_RANK, Binary, ScaledUnary, scaled


class ElementWiseSin(ScaledUnary, since="1.0", id=28):
    """sin(x)."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.sin(scaled(m, x, self.scale_bias))


class ElementWiseCos(ScaledUnary, since="1.0", id=9):
    """cos(x)."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.cos(scaled(m, x, self.scale_bias))


class ElementWiseTan(ScaledUnary, since="1.0", id=31):
    """tan(x)."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.tan(scaled(m, x, self.scale_bias))


class ElementWiseAsin(ScaledUnary, since="1.0", id=5):
    """The angle from -pi/2 to pi/2 whose sine is x; NaN outside -1 to 1."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.arcsin(scaled(m, x, self.scale_bias))


class ElementWiseAcos(ScaledUnary, since="1.0", id=3):
    """The angle from 0 to pi whose cosine is x; NaN outside -1 to 1."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.arccos(scaled(m, x, self.scale_bias))


class ElementWiseAtan(ScaledUnary, since="1.0", id=6):
    """The angle from -pi/2 to pi/2 whose tangent is x."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.arctan(scaled(m, x, self.scale_bias))


class ElementWiseAtanYx(Binary, since="3.1", id=141):
    """The angle from -pi to pi of the point with ordinate a and abscissa b."""

    rank = ANY_RANK

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return m.arctan2(a, b)


class ElementWiseSinh(ScaledUnary, since="2.0", id=82):
    """sinh(x) = (e^x - e^-x) / 2."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.sinh(scaled(m, x, self.scale_bias))


class ElementWiseCosh(ScaledUnary, since="2.0", id=83):
    """cosh(x) = (e^x + e^-x) / 2."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.cosh(scaled(m, x, self.scale_bias))


class ElementWiseTanh(ScaledUnary, since="2.0", id=84):
    """tanh(x) = sinh(x) / cosh(x)."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.tanh(scaled(m, x, self.scale_bias))


class ElementWiseAsinh(ScaledUnary, since="2.0", id=85):
    """The number whose hyperbolic sine is x."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.arcsinh(scaled(m, x, self.scale_bias))


class ElementWiseAcosh(ScaledUnary, since="2.0", id=86):
    """The number from 0 on whose hyperbolic cosine is x; NaN below 1."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.arccosh(scaled(m, x, self.scale_bias))


class ElementWiseAtanh(ScaledUnary, since="2.0", id=87):
    """The number whose hyperbolic tangent is x; NaN outside -1 to 1."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.arctanh(scaled(m, x, self.scale_bias))
