"""Code that gets no fault: text, types, allowances for rounding alone, and functions that build strategies."""

import ast

OUTCOMES = frozenset({"AtMost", "Equal", "Frequency"})


def draws_cases(statement: ast.stmt) -> bool:
    """Whether this function builds strategies: which cases are tried is no claim that a check could notice."""
    inside = ast.walk(statement) if isinstance(statement, ast.FunctionDef) else ()
    return any(isinstance(node, ast.Name) and node.id == "st" for node in inside)


def untouchable(statement: ast.stmt) -> set[ast.AST]:
    """Docstrings, annotations, decorators, messages, and what concerns rounding: no claim depends on these."""
    out, scales = set[ast.AST](), _only_scales(statement)
    for node in ast.walk(statement):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            out.add(node.value)
        elif isinstance(node, ast.FunctionDef):
            for part in (
                *node.decorator_list,
                node.returns,
                *(a.annotation for a in ast.walk(node.args) if isinstance(a, ast.arg)),
            ):
                out |= set(ast.walk(part)) if part is not None else set()
        elif isinstance(node, ast.AnnAssign):
            out |= set(ast.walk(node.annotation))
        elif isinstance(node, ast.JoinedStr | ast.Raise | ast.Assert):
            out |= set(ast.walk(node))
        elif isinstance(node, ast.Assign):
            for target, value in _assigned(node):
                if isinstance(target, ast.Name) and target.id in scales:
                    out |= set(ast.walk(value))
    return out.union(*map(ast.walk, _scales(statement)))


def _scales(statement: ast.stmt) -> list[ast.expr]:
    """Scales of rounding, which outcomes are given by keyword, and numbers of digits to work with."""
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    given = [call for call in calls if getattr(call.func, "id", "") in OUTCOMES and call.args]
    scales = [keyword.value for call in given for keyword in call.keywords if keyword.arg == "scale"]
    return scales + [digits for call in calls if getattr(call.func, "attr", "") == "workdps" for digits in call.args]


def _only_scales(statement: ast.stmt) -> set[str]:
    """Names of values that serve as scales of rounding or for others of them, and otherwise at most in a condition."""
    walked = list(ast.walk(statement))
    loads = [node for node in walked if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    values = [pair for node in walked if isinstance(node, ast.Assign) for pair in _assigned(node)]
    tests = [node.test for node in walked if isinstance(node, ast.If | ast.IfExp)]
    scales, found = _scales(statement), set[str]()
    seen: set[str] | None = None
    while found != seen:
        inside, allowed = ({id(n) for spot in spots for n in ast.walk(spot)} for spots in (scales, [*scales, *tests]))
        names = {node.id for node in loads if id(node) in inside} - {n.id for n in loads if id(n) not in allowed}
        found, seen = names, found
        scales += [value for target, value in values if isinstance(target, ast.Name) and target.id in found]
    return found


def _assigned(node: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """Targets and values of an assignment, one by one where both are listed."""
    (target, *_), value = node.targets, node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]
