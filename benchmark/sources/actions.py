"""Actions as other people write them, turned into ours: Python source, chat phrases, calls of a phone.

Source code is parsed into a syntax tree and read off; it is never executed, and what is not a plain call with plain
values is refused by name. Points are in pixels of the screenshot unless a function says otherwise.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from benchmark.case import Action, ActionType, Point
from benchmark.sources.records import Fields, Malformed, cleaned, finite

Direction = Literal["up", "down", "left", "right"]
DIRECTIONS: Mapping[str, Direction] = {"up": "up", "down": "down", "left": "left", "right": "right"}

CLICKS: Mapping[str, ActionType] = {
    "click": "click", "leftclick": "click", "left_click": "click", "tripleclick": "click", "triple_click": "click",
    "doubleclick": "double_click", "double_click": "double_click", "rightclick": "right_click",
    "right_click": "right_click", "middleclick": "click", "move": "hover", "moveto": "hover", "move_to": "hover",
    "hover": "hover",
}  # fmt: skip

KEYS: Mapping[str, str] = {
    "return": "Enter", "enter": "Enter", "esc": "Escape", "escape": "Escape", "tab": "Tab", "space": "Space",
    "backspace": "Backspace", "delete": "Delete", "del": "Delete", "ctrl": "Control", "control": "Control",
    "ctrlleft": "Control", "alt": "Alt", "shift": "Shift", "win": "Meta", "super": "Meta", "cmd": "Meta",
    "command": "Meta", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight",
    "pageup": "PageUp", "pagedown": "PageDown", "pgup": "PageUp", "pgdn": "PageDown", "home": "Home", "end": "End",
}  # fmt: skip


def key_names(keys: Sequence[Any]) -> tuple[str, ...]:
    """Key names as ours, from names as `pyautogui` or `Ctrl+A` have them."""
    found = []
    for key in keys:
        if not isinstance(key, str) or not key.strip():
            raise Malformed("a key should be a text")
        parts = key.split("+") if len(key) > 1 else [key]
        found += [
            KEYS.get(p.strip().casefold(), p.strip()[:1].upper() + p.strip()[1:] if len(p.strip()) > 1 else p.strip())
            for p in parts
            if p.strip()
        ]
    return tuple(cleaned(key)[:40] for key in found)


def pressed(keys: Sequence[Any]) -> Action:
    """Keys pressed; several at once are a hotkey."""
    names = key_names(keys)
    if not names:
        raise Malformed("no key is named")
    return Action(type="hotkey" if len(names) > 1 else "press", keys=names)


def scrolled(amount: float, across: bool = False) -> Action:
    """A scroll by a signed amount; positive is up, or right."""
    if across:
        return Action(type="scroll", direction="right" if amount > 0 else "left")
    return Action(type="scroll", direction="up" if amount > 0 else "down")


def merged(actions: Sequence[Action]) -> Action:
    """Several actions of one step as the one that a victim could answer with.

    A pointer's move before a click gives the click its place, a click before typing the text its field; else the first
    action that does something counts.
    """
    if not actions:
        raise Malformed("the step holds no action")
    at: Point | None = None
    for action in actions:
        if action.type == "hover":
            at = action.point
            continue
        if action.point is None and action.type in {"click", "double_click", "right_click", "drag", "scroll"}:
            action = action.model_copy(update={"point": at})
        if action.type == "click":
            later = actions[actions.index(action) + 1 :] if action in actions else ()
            typed = next((a for a in later if a.type not in {"wait", "press", "hotkey"}), None)
            if typed is not None and typed.type == "type" and typed.point is None:
                return typed.model_copy(update={"point": action.point})
        return action
    return actions[-1]


def of_python(source: str) -> Action:
    """The action of a piece of `pyautogui` source.

    Raises:
        Malformed: it is no Python, or holds something other than plain calls.
    """
    bare = source.strip().strip("`").strip()
    word = bare.strip("'\"").upper()
    if word in {"WAIT", "FAIL", "DONE"}:
        return {"WAIT": Action(type="wait"), "FAIL": Action(type="refuse"), "DONE": Action(type="done")}[word]
    if len(source) > 20_000:
        raise Malformed("the action is longer than any action")
    try:
        tree = ast.parse(bare)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Malformed(f"the action is no Python: {bare[:60]!r}") from None
    values: dict[str, Any] = {}
    found: list[Action] = []
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            values[node.targets[0].id] = _value(node.value, values)
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            raise Malformed(f"the action is more than plain calls: {type(node).__name__} on its line {node.lineno}")
        action = _call(node.value, values)
        if action is not None:
            found.append(action)
    return merged(found)


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:
    """A literal, or a name that was given one before."""
    if isinstance(node, ast.Name) and node.id in values:
        return values[node.id]
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(part, values) for part in node.elts]
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        inner = node.operand.value
        if isinstance(inner, int | float):
            return -inner
    raise Malformed(f"the action holds {type(node).__name__} where a plain value is wanted")


def _call(call: ast.Call, values: Mapping[str, Any]) -> Action | None:
    name = (
        call.func.attr
        if isinstance(call.func, ast.Attribute)
        else call.func.id
        if isinstance(call.func, ast.Name)
        else ""
    )
    if name == "sleep":
        return None
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        raise Malformed(f"{name} is called with unpacked values")
    args = [_value(a, values) for a in call.args]
    named = {str(k.arg): _value(k.value, values) for k in call.keywords}
    return of_call(name, args, named)


def of_call(name: str, args: Sequence[Any], named: Mapping[str, Any]) -> Action | None:
    """One call by name, with its values; None for one that does nothing on the screen."""
    low = name.casefold()
    if low in CLICKS:
        at = _point(args, named)
        kind = CLICKS[low]
        button = named.get("button")
        clicks = named.get("clicks", named.get("num_clicks", args[2] if len(args) > 2 and low == "click" else 1))
        if button == "right":
            kind = "right_click"
        elif kind == "click" and clicks == 2:
            kind = "double_click"
        return Action(type=kind, point=at)
    if low in {"dragto", "drag_to", "drag"}:
        return Action(type="drag", end=_point(args, named))
    if low in {"write", "typewrite", "type", "typing"}:
        said = named.get("message", named.get("text", args[0] if args else None))
        if isinstance(said, list):
            return pressed(said)
        if not isinstance(said, str):
            raise Malformed(f"{name} enters no text")
        return Action(type="type", text=cleaned(said))
    if low == "press":
        keys = named.get("keys", named.get("key", args[0] if args else None))
        return pressed(keys if isinstance(keys, list) else [keys])
    if low == "hotkey":
        keys = named.get("keys", args)
        return pressed(keys[0] if len(keys) == 1 and isinstance(keys[0], list) else keys)
    if low in {"scroll", "vscroll", "hscroll"}:
        amount = named.get("clicks", named.get("dy", args[0] if args else None))
        across = low == "hscroll" or (not amount and bool(named.get("dx")))
        return scrolled(finite(named.get("dx") if across and amount in (None, 0) else amount, "the scroll"), across)
    if low in {"keydown", "keyup", "mousedown", "mouseup", "key_down", "key_up", "mouse_down", "mouse_up"}:
        if low.startswith("key"):
            return pressed([named.get("key", args[0] if args else None)]) if low.endswith("down") else None
        return Action(type="click", point=_point(args, named)) if low.endswith("down") else None
    raise Malformed(f"the call {name or '?'}(...) is no known action")


def _point(args: Sequence[Any], named: Mapping[str, Any]) -> Point | None:
    first = args[0] if args else None
    if isinstance(first, list) and len(first) == 2:
        args = first
    x, y = named.get("x", args[0] if len(args) > 0 else None), named.get("y", args[1] if len(args) > 1 else None)
    if x is None and y is None:
        return None
    return Point(x=finite(x, "x"), y=finite(y, "y"))


def of_fields(value: Fields) -> Action:
    """An action as `{action_type, parameters}` or with its parameters beside the type."""
    kind = value.text("action_type")
    word = kind.strip().upper()
    if word in {"WAIT", "FAIL", "DONE"}:
        return of_python(word)
    inner = value.object("parameters").value if value.has("parameters") else value.value
    plain = {k: v for k, v in inner.items() if k != "action_type"}
    found = of_call(kind.strip(), (), plain)
    if found is None:
        raise Malformed(f"the action {kind[:40]!r} does nothing that a victim could answer")
    return found


PHONE = re.compile(r"^\s*([a-z][a-z_-]*)\s*\((.*)\)\s*$", re.IGNORECASE | re.DOTALL)


def phone_call(text: str) -> tuple[str, list[Any]]:
    """Name and values of a call such as `tap(5)` or `replace-text(5, "x")`.

    Raises:
        Malformed: it is no such call.
    """
    match = PHONE.match(text)
    if match is None:
        raise Malformed(f"the action {text[:60]!r} is no call")
    try:
        tree = ast.parse(f"_({match[2]})", mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Malformed(f"the values of the action {text[:60]!r} cannot be read") from None
    if not isinstance(tree.body, ast.Call):
        raise Malformed(f"the action {text[:60]!r} is no call")
    return match[1].casefold().replace("_", "-"), [_value(a, {}) for a in tree.body.args] + [
        _value(k.value, {}) for k in tree.body.keywords
    ]
