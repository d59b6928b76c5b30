"""Variables of a function that may still be read at the head of each of its loops, by its source."""

from __future__ import annotations

import ast

Names = frozenset[str]
NONE: Names = frozenset()


def live_at_loops(function: ast.FunctionDef) -> dict[ast.stmt, Names]:
    """Return the variables that may be read before they are written, from the head of each loop on."""
    heads: dict[ast.stmt, Names] = {}
    _block(function.body, NONE, NONE, NONE, heads)
    return heads


def _read(*nodes: ast.AST | None) -> Names:
    found = (n for node in nodes if node is not None for n in ast.walk(node) if isinstance(n, ast.Name))
    return frozenset(n.id for n in found if not isinstance(n.ctx, ast.Store))


def _written(*nodes: ast.AST) -> Names:
    return frozenset(n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)) - _read(*nodes)


def _block(body: list[ast.stmt], after: Names, at_break: Names, again: Names, heads: dict[ast.stmt, Names]) -> Names:
    for one in reversed(body):
        after = _statement(one, after, at_break, again, heads)
    return after


def _statement(one: ast.stmt, after: Names, at_break: Names, again: Names, heads: dict[ast.stmt, Names]) -> Names:
    match one:
        case ast.Assign(targets=targets, value=value):
            return (after - _written(*targets)) | _read(*targets, value)
        case ast.Return(value=value):
            return _read(value)
        case ast.Break():
            return at_break
        case ast.Continue():
            return again
        case ast.If(test=test, body=body, orelse=orelse):
            ways = (_block(some, after, at_break, again, heads) for some in (body, orelse))
            return _read(test).union(*ways)
        case ast.While(test=test, body=body):
            endless = isinstance(test, ast.Constant) and bool(test.value)  # by a break only
            return _loop(one, body, NONE if endless else after | _read(test), NONE, after, heads)
        case ast.For(target=target, iter=several, body=body):
            return _loop(one, body, after, _written(target), after, heads) | _read(several)
    return after | _read(one) | _written(one)  # whatever else it is


def _loop(
    one: ast.stmt, body: list[ast.stmt], head: Names, begun: Names, after: Names, heads: dict[ast.stmt, Names]
) -> Names:
    """Go round until no more variables are found; ``begun`` are those that each round begins with."""
    while (more := head | (_block(body, head, after, head, heads) - begun)) != head:
        head = more
    heads[one] = head
    return head
