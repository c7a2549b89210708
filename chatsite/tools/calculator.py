"""Arithmetic by a small grammar over Python's own parser; nothing is ever evaluated as code.

Numbers are exact: integers, and fractions in decimal form (1.1 + 2.2 is 3.3). Sizes are bounded before each
operation, so that no expression costs more than a few milliseconds.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from decimal import Context, Decimal, Overflow
from fractions import Fraction

LONGEST = 500
MOST_BITS = 8192
DEEPEST = 60
DIGITS = 28
Number = int | Fraction | float

CONSTANTS: dict[str, float] = {"pi": math.pi, "e": math.e, "tau": math.tau}
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos,
    "atan": math.atan, "exp": math.exp, "ln": math.log, "log10": math.log10, "log2": math.log2,
}  # fmt: skip
WRITTEN = str.maketrans(
    {"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "^": "**", "（": "(", "）": ")", "，": ","}
)
"""Signs as people write them; ^ means power here."""


class CalculationError(ValueError):
    """The expression cannot be computed; the message says why, for the model and the reader."""


def calculate(expression: str) -> str:
    """The value of an expression as text, without thousands separators, at most 28 digits when inexact.

    Knows + - * / // % ** ^ ( ), pi, e, tau, sqrt, abs, round, floor, ceil, min, max, factorial, gcd, and the
    usual functions of one argument. Raises CalculationError.

    >>> calculate("0.1 + 0.2"), calculate("23 × 17"), calculate("2^10"), calculate("1/3")
    ('0.3', '391', '1024', '0.3333333333333333333333333333')
    """
    if len(expression) > LONGEST:
        raise CalculationError(f"The expression is longer than {LONGEST} characters.")
    text = expression.strip().translate(WRITTEN).rstrip("= ?？")
    if not re.search(r"[a-z]\d* *\(", text):
        # Outside of a call, where it separates arguments, a comma can only part thousands.
        text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CalculationError(f"This is not an arithmetic expression: {expression[:80]}") from error
    try:
        return _write(_value(tree.body, text, 0))
    except ZeroDivisionError as error:
        raise CalculationError("Division by zero.") from error
    except OverflowError as error:
        raise CalculationError("The result is too large.") from error
    except ValueError as error:
        if isinstance(error, CalculationError):
            raise
        raise CalculationError(f"Not defined for this value: {error}") from error


def _value(node: ast.expr, text: str, depth: int) -> Number:
    if depth > DEEPEST:
        raise CalculationError("The expression is nested too deeply.")
    if isinstance(node, ast.Constant):
        return _literal(node, text)
    if isinstance(node, ast.Name) and node.id in CONSTANTS:
        return CONSTANTS[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _value(node.operand, text, depth + 1)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, text, depth + 1), _value(node.right, text, depth + 1)
        return _bounded(_operate(node.op, left, right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _bounded(_call(node.func.id, [_value(a, text, depth + 1) for a in node.args]))
    what = ast.get_source_segment(text, node) or type(node).__name__
    raise CalculationError(f"Only numbers, operators and known functions are allowed, not {what[:60]!r}.")


def _literal(node: ast.Constant, text: str) -> Number:
    source = ast.get_source_segment(text, node) or ""
    if isinstance(node.value, bool) or not isinstance(node.value, int | float):
        raise CalculationError(f"Only numbers are allowed, not {source[:60]!r}.")
    if isinstance(node.value, int):
        return _bounded(node.value)
    if abs(Decimal(source.replace("_", "")).adjusted()) > 300:
        raise CalculationError("The number is too large or too small.")
    return Fraction(source.replace("_", ""))


def _operate(operator: ast.operator, left: Number, right: Number) -> Number:
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return Fraction(left) / Fraction(right) if _exact(left, right) else float(left) / float(right)
        case ast.FloorDiv():
            return left // right
        case ast.Mod():
            return left % right
        case ast.Pow():
            return _power(left, right)
    raise CalculationError("Only + - * / // % and ** are allowed.")


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        exponent = exponent.numerator
    if isinstance(exponent, int) and isinstance(base, int | Fraction):
        bits = max(Fraction(base).numerator.bit_length(), Fraction(base).denominator.bit_length())
        if bits > 1 and bits * abs(exponent) > MOST_BITS:
            raise CalculationError("The result is too large.")
        if abs(base) == 1:
            return base if exponent % 2 else 1
        if base == 0 and exponent < 0:
            raise ZeroDivisionError
        exact: Fraction = Fraction(base) ** exponent
        return exact
    value = float(base) ** float(exponent)
    if not isinstance(value, float):
        raise CalculationError("The result is not a real number.")
    return value


def _call(name: str, arguments: list[Number]) -> Number:
    if name in ("min", "max") and arguments:
        return min(arguments) if name == "min" else max(arguments)
    if name == "gcd" and len(arguments) == 2 and all(isinstance(a, int) for a in arguments):
        return math.gcd(*(int(a) for a in arguments))
    if name == "round" and len(arguments) == 2:
        digits = arguments[1]
        if not isinstance(digits, int) or abs(digits) > 50:
            raise CalculationError("round takes up to 50 digits.")
        return round(Fraction(arguments[0]), digits)
    if len(arguments) != 1:
        raise CalculationError(f"{name[:40]} is not known with {len(arguments)} arguments.")
    return _call_one(name, arguments[0])


def _call_one(name: str, value: Number) -> Number:
    if name == "abs":
        return -value if value < 0 else value
    if name == "round":
        return round(value)
    if name == "floor":
        return math.floor(value)
    if name == "ceil":
        return math.ceil(value)
    if name == "factorial":
        if not isinstance(value, int) or not 0 <= value <= 500:
            raise CalculationError("factorial takes a whole number from 0 to 500.")
        return math.factorial(value)
    if name == "sqrt":
        return _root(value)
    if name in FUNCTIONS:
        result = FUNCTIONS[name](float(value))
        # A float of pi is not pi: without rounding sin(pi) would be 1.2e-16.
        return round(result, 15) if name in ("sin", "cos", "tan") else result
    raise CalculationError(f"The function {name[:40]!r} is not known.")


def _root(value: Number) -> Number:
    """The exact root of a perfect square, otherwise the nearest float."""
    if isinstance(value, int | Fraction) and value >= 0:
        exact = Fraction(value)
        top, bottom = math.isqrt(exact.numerator), math.isqrt(exact.denominator)
        if top * top == exact.numerator and bottom * bottom == exact.denominator:
            return Fraction(top, bottom)
    return math.sqrt(value)


def _exact(*values: Number) -> bool:
    return not any(isinstance(value, float) for value in values)


def _bounded(value: Number) -> Number:
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            raise CalculationError("The result is too large.")
        return value
    if isinstance(value, Fraction):
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > MOST_BITS:
            raise CalculationError("The result is too large.")
        return value.numerator if value.denominator == 1 else value
    if value.bit_length() > MOST_BITS:
        raise CalculationError("The result is too large.")
    return value


def _write(value: Number) -> str:
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return str(value.numerator)
        context = Context(prec=DIGITS)
        try:
            number = context.divide(Decimal(value.numerator), Decimal(value.denominator))
        except Overflow as error:
            raise OverflowError from error
        return _plain(number)
    if isinstance(value, float):
        return _plain(Decimal(repr(value)))
    return str(value)


def _plain(number: Decimal) -> str:
    """Without exponent where that stays readable."""
    if number == number.to_integral_value() and abs(number) < Decimal(10) ** 21:
        return str(number.quantize(Decimal(1)))
    if -7 <= number.adjusted() < 21:
        text = format(number, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return str(number)
