"""Small faults in a Python source: where they can be planted, and the source with one of them."""

import ast
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tools.mutation.pieces import functions
from tools.mutation.untouchable import OUTCOMES, draws_cases, untouchable

LOOSER = "1.1"
"""Factor on the right side of an inequality."""
SWAPPED_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.Pow: "*",
}
SWAPPED_COMPARISONS: dict[type[ast.AST], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
}
SWAPPED_CALLS = {"all": "any", "any": "all", "min": "max", "max": "min", "ceil": "floor", "floor": "ceil"}
DROPPED_CALLS = frozenset({"sqrt", "abs", "exp", "log"})
BINARY = "0.6931471805599453"
"""Divisor that makes a natural logarithm one to base 2."""
LESS = "0.98"
"""Factor on a parameter of privacy or of noise."""
PARAMETERS = frozenset({"epsilon", "delta", "scale", "sigma", "kappa", "rho", "mu", "eta", "beta"})
SYMMETRIC = frozenset(
    {"max", "min", "maximum", "minimum", "hypot", "logaddexp", "Equal", "zip", "print", "isinstance", "getattr"}
    | {"inner", "ball_constant", "ball_measure", "principal_angles"}
)
"""Functions that take two arguments in either order, or whose arguments are of different kinds."""
ALIKE = {"maximum": "max", "minimum": "min", "amax": "max", "amin": "min", "fsum": "sum", "fprod": "prod"}
"""Names of float64 and of the oracle for the same thing."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of one piece of a source."""

    kind: str
    line: int
    start: int
    """Offset of the first byte replaced."""
    end: int
    before: str
    after: str
    function: str
    """Name of the function, class or face that holds the piece, as in `pieces`, or empty."""
    shape: str
    """Key that twins in the two faces share: the part of an outcome, or the piece without its arithmetic."""

    def __str__(self) -> str:
        return f"{self.kind}: {' '.join(self.before.split())} -> {' '.join(self.after.split())}"


def edits(source: str) -> list[Edit]:
    """Return every fault that can be planted in a source, in order of place."""
    tree, lines = ast.parse(source), _Places(source)
    found = []
    for function, statement in functions(tree):
        if draws_cases(statement):
            continue
        skipped = untouchable(statement)
        for node in ast.walk(statement):
            if node not in skipped:
                for kind, target, after in _faults(node, lines):
                    start, end = lines.span(target)
                    before = lines.text(start, end)
                    shape = f"{kind}: {_part(node) or f'{_neutral(before)} -> {_neutral(after)}'}"
                    found.append(Edit(kind, target.lineno, start, end, before, after, function, shape))
    return sorted(found, key=lambda edit: (edit.start, edit.kind, edit.after))


def apply(source: str, chosen: list[Edit]) -> str:
    """Return the source with these edits, which must not overlap."""
    data = source.encode()
    for edit in sorted(chosen, key=lambda e: e.start, reverse=True):
        data = data[: edit.start] + edit.after.encode() + data[edit.end :]
    return data.decode()


class _Places:
    """Byte offsets of the nodes of a source."""

    def __init__(self, source: str) -> None:
        self._data = source.encode()
        self._starts = [0]
        for line in self._data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, start: int, end: int) -> str:
        return self._data[start:end].decode()

    def of(self, node: ast.expr | ast.stmt) -> str:
        return self.text(*self.span(node))


def _faults(node: ast.AST, places: _Places) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    """Yield the faults at one node: kind, piece to replace, replacement."""
    for kind, rule in _RULES.items():
        for target, after in rule(node, places):
            yield kind, target, after


Rule = Callable[[ast.AST, _Places], Iterator[tuple[ast.expr | ast.stmt, str]]]


def _constant(node: ast.AST, places: _Places) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        number = places.of(node)
        yield node, f"({number} + 1)" if isinstance(node.value, int) or not node.value else f"({number} * {LOOSER})"


def _operator(node: ast.AST, places: _Places) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.BinOp) and type(node.op) in SWAPPED_OPERATORS:
        yield node, f"(({places.of(node.left)}) {SWAPPED_OPERATORS[type(node.op)]} ({places.of(node.right)}))"


def _comparison(node: ast.AST, places: _Places) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPPED_COMPARISONS:
        sign = SWAPPED_COMPARISONS[type(node.ops[0])]
        yield node, f"({places.of(node.left)} {sign} {places.of(node.comparators[0])})"


def _call(node: ast.AST, places: _Places) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.Call) and node.args:
        name = _called(node)
        if name in SWAPPED_CALLS:
            whole = places.of(node.func)
            yield node.func, whole.removesuffix(name) + SWAPPED_CALLS[name]
        elif name in DROPPED_CALLS and len(node.args) == 1 and not node.keywords:
            yield node, f"({places.of(node.args[0])})"


def _boolean(node: ast.AST, places: _Places) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.BoolOp):
        word = " or " if isinstance(node.op, ast.And) else " and "
        yield node, "(" + word.join(f"({places.of(value)})" for value in node.values) + ")"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, f"({places.of(node.operand)})"


def _index(node: ast.AST, places: _Places) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.Subscript):
        last = {"0": "-1", "-1": "0"}.get(places.of(node.slice))
        if last is not None:
            yield node.slice, last


def _right_side(node: ast.AST, places: _Places) -> Iterator[tuple[ast.expr, str]]:
    if _is_outcome(node) and isinstance(node, ast.Call) and getattr(node.func, "id", "") == "AtMost":
        limit = node.args[1]
        if getattr(limit, "value", None) != 0:  # which is the same times a factor
            yield limit, f"({places.of(limit)}) * {LOOSER}"


def _lost_part(node: ast.AST, places: _Places) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.Tuple) and len(node.elts) > 1 and any(map(_is_outcome, node.elts)):
        for i, element in enumerate(node.elts):
            if _is_outcome(element):
                rest = [places.of(other) for other in node.elts[:i] + node.elts[i + 1 :]]
                yield node, "(" + ", ".join(rest) + ",)"
    elif isinstance(node, ast.Yield) and node.value is not None and _is_outcome(node.value):
        yield node, "(yield from ())"


def _parameter(node: ast.AST, places: _Places) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in PARAMETERS:
        yield node, f"({LESS} * {node.id})"


def _dropped(node: ast.AST, places: _Places) -> Iterator[tuple[ast.expr, str]]:
    """Terms and factors."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
        yield node, f"({places.of(node.left)})"
        if isinstance(node.op, ast.Add | ast.Mult):
            yield node, f"({places.of(node.right)})"


def _logarithm(node: ast.AST, places: _Places) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.Call) and len(node.args) == 1 and _called(node) in ("log", "log1p"):
        yield node, f"({places.of(node)} / {BINARY})"


def _arguments(node: ast.AST, places: _Places) -> Iterator[tuple[ast.expr, str]]:
    """Yield the first two arguments, swapped."""
    if isinstance(node, ast.Call) and len(node.args) > 1 and _called(node) not in SYMMETRIC:
        one, other, *rest = map(places.of, node.args)
        if one != other and not any(isinstance(x, ast.Starred | ast.GeneratorExp) for x in node.args):
            given = [f"{keyword.arg}={places.of(keyword.value)}" for keyword in node.keywords if keyword.arg]
            if len(given) == len(node.keywords):
                yield node, f"{places.of(node.func)}({', '.join([other, one, *rest, *given])})"


def _dimension(node: ast.AST, places: _Places) -> Iterator[tuple[ast.expr, str]]:
    size = isinstance(node, ast.Call) and _called(node) == "len"
    size |= isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr in ("rows", "cols")
    size |= isinstance(node, ast.Subscript) and getattr(node.value, "attr", "") == "shape"
    if size and isinstance(node, ast.expr):
        yield node, f"({places.of(node)} + 1)"


def _statement(node: ast.AST, places: _Places) -> Iterator[tuple[ast.stmt, str]]:
    calls = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    if isinstance(node, ast.AugAssign) or calls:
        assert isinstance(node, ast.stmt)
        yield node, "pass"


def _refusal(node: ast.AST, places: _Places) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise):
        yield node.test, "False"


def _premise(node: ast.AST, places: _Places) -> Iterator[tuple[ast.expr, str]]:
    """Yield a condition under which parts are stated, or under which none is."""
    if isinstance(node, ast.If):
        last = node.body[-1]
        if isinstance(last, ast.Return) and (last.value is None or ast.unparse(last.value) == "()"):
            yield node.test, "False"
        elif any(isinstance(inner, ast.Yield | ast.YieldFrom) for part in node.body for inner in ast.walk(part)):
            yield node.test, "True"


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _is_outcome(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in OUTCOMES and len(node.args) > 1


_RULES: dict[str, Rule] = {
    "constant": _constant,
    "operator": _operator,
    "comparison": _comparison,
    "call": _call,
    "boolean": _boolean,
    "index": _index,
    "right side": _right_side,
    "lost part": _lost_part,
    "parameter": _parameter,
    "dropped": _dropped,
    "logarithm": _logarithm,
    "arguments": _arguments,
    "dimension": _dimension,
    "statement": _statement,
    "refusal": _refusal,
    "premise": _premise,
}


class _Neutral(ast.NodeTransformer):
    """Removes what tells the two arithmetics apart: the module of a function, conversions, names of local values."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        return ast.Name(ALIKE.get(node.attr, node.attr), ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = getattr(node.func, "id", "")
        if name in ("mpf", "float", "exact") and len(node.args) == 1:
            return node.args[0]
        return node


@functools.cache
def _neutral(text: str) -> str:
    try:
        tree = ast.parse(f"({text})", mode="eval")
    except SyntaxError:  # a statement
        return text
    return ast.unparse(_Neutral().visit(tree))


def _part(node: ast.AST) -> str:
    """Name of the part that an outcome, yielded or not, belongs to; empty for any other node."""
    if isinstance(node, ast.Yield) and node.value is not None:
        return _part(node.value)
    if isinstance(node, ast.Call) and _is_outcome(node):
        for keyword in node.keywords:
            if keyword.arg == "part":
                return ast.unparse(keyword.value)
    return ""
