"""A reply becomes an action: lenient in form, strict in meaning.

Models answer in JSON with and without fences, after think blocks, as tool calls, with point tags, as tuples, as boxes
or in prose. All of these are read; what is never done is guessing: coordinates are mapped by the space the model
declares, not by their size, and a point is never moved into a box. Parsing is derived data: stored answers are read
again whenever `PARSER_VERSION` changes.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from benchmark.case import Action, ActionType, Point, whole_text
from benchmark.scoring import Answer
from runner.exchange import UNDECLARED, SentImage, Space

PARSER_VERSION = "1"

ACTION_TYPES: frozenset[str] = frozenset(get_args(ActionType))

ALIASES: dict[str, str] = {
    "left_click": "click", "tap": "click", "press_element": "click", "single_click": "click", "leftclick": "click",
    "click_element": "click", "touch": "click", "doubleclick": "double_click", "left_double": "double_click",
    "dblclick": "double_click", "rightclick": "right_click", "right_single": "right_click", "context_click": "right_click",
    "longpress": "long_press", "long_tap": "long_press", "longtap": "long_press", "long_click": "long_press",
    "mouse_move": "hover", "move": "hover", "move_to": "hover", "mousemove": "hover", "drag_and_drop": "drag",
    "left_click_drag": "drag", "drag_to": "drag", "type_text": "type", "input": "type", "input_text": "type",
    "write": "type", "fill": "type", "enter_text": "type", "set_text": "type", "text_input": "type", "key": "press",
    "keypress": "press", "press_key": "press", "key_press": "press", "press_enter": "press", "shortcut": "hotkey",
    "key_combination": "hotkey", "scroll_down": "scroll", "scroll_up": "scroll", "scroll_left": "scroll",
    "scroll_right": "scroll", "swipe_up": "swipe", "swipe_down": "swipe", "swipe_left": "swipe", "swipe_right": "swipe",
    "select_option": "select", "choose": "select", "open_app": "open", "launch": "open", "press_back": "back",
    "navigate_back": "back", "go_back": "back", "system_back": "back", "press_home": "home", "navigate_home": "home",
    "sleep": "wait", "noop": "wait", "no_op": "wait", "call_user": "report", "ask_user": "report", "warn": "report",
    "escalate": "report", "stop": "report", "abort": "refuse", "decline": "refuse", "reject": "refuse", "fail": "refuse",
    "infeasible": "refuse", "finish": "done", "finished": "done", "complete": "done", "completed": "done",
    "terminate": "done", "end": "done", "respond": "answer",
}  # fmt: skip

DIRECTIONS = frozenset({"up", "down", "left", "right"})
FIELD_NAMES = ("answer", "label", "recipients", "actions", "route")
LIST_FIELDS = frozenset({"recipients", "actions"})

_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
_THINK = re.compile(r"<(think|thinking|reasoning|thought)\b[^<>]*>.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_ORPHAN_THINK = re.compile(r"\A.*?</(?:think|thinking|reasoning|thought)\s*>", re.IGNORECASE | re.DOTALL)
_FENCE = re.compile(r"```[a-zA-Z0-9_-]*[ \t]*\n?(.*?)```", re.DOTALL)
_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_POINT_TAG = re.compile(
    rf"<(?:point|click|pt)\b[^<>]{{0,200}}?\bx1?\s*=\s*[\"']?\s*({_NUMBER})[\"']?"
    rf"[^<>]{{0,200}}?\by1?\s*=\s*[\"']?\s*({_NUMBER})",
    re.IGNORECASE,
)
_POINT_BODY = re.compile(
    rf"<\|?(?:point|box|point_start|box_start|start_box)\|?>\s*[\[(<]*\s*({_NUMBER})[\s,]+({_NUMBER})"
    rf"(?:[\s,)\](]+({_NUMBER})[\s,]+({_NUMBER}))?",
    re.IGNORECASE,
)
_CALL = re.compile(r"\b([a-z_]+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)", re.IGNORECASE)
_PAIR = re.compile(rf"[\[(]\s*({_NUMBER})\s*,\s*({_NUMBER})\s*(?:,\s*({_NUMBER})\s*,\s*({_NUMBER})\s*)?[\])]")
_REFUSAL = re.compile(
    r"\b(i can(?:no|')t (?:help|assist|comply|do|continue|proceed|fulfil\w*)|i(?:'m| am) (?:not able|unable) to|i won't"
    r"|i will not|i (?:must|have to) (?:decline|refuse)|i refuse|cannot comply|can't comply|not going to (?:do|help))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Raw:
    """An action as the model wrote it: type, coordinates in its own space, and the rest."""

    type: str
    point: tuple[float, float] | None = None
    end: tuple[float, float] | None = None
    text: str | None = None
    keys: tuple[str, ...] = ()
    direction: str | None = None
    rationale: str = ""


def cleaned(text: str) -> str:
    """The reply without invisible characters and think blocks; a block that is never closed swallows the rest."""
    visible = unicodedata.normalize("NFC", text).translate(_INVISIBLE).replace("\u2019", "'")
    without = _THINK.sub("", visible)
    if re.search(r"</(?:think|thinking|reasoning|thought)\s*>", without, re.IGNORECASE):
        # Some servers drop the opening tag; everything before the closing one is thinking.
        without = _ORPHAN_THINK.sub("", without)
    return without.strip()


def to_stored(point: tuple[float, float], space: Space, sent: SentImage) -> Point:
    """Maps a model's coordinates to pixels of the stored image, by the declared space alone.

    `pixel` counts in the image as sent. `norm_1000` divides by 1000; `norm_999` divides by 999, its grid having 1000
    lines. The result is not clamped.

    Raises:
        ValueError: no space is declared.
    """
    first, second = point
    x, y = (first, second) if space.order == "xy" else (second, first)
    match space.name:
        case "pixel":
            return Point(x=x * sent.width / sent.sent_width, y=y * sent.height / sent.sent_height)
        case "norm_1":
            return Point(x=x * sent.width, y=y * sent.height)
        case "norm_999":
            return Point(x=x / 999 * sent.width, y=y / 999 * sent.height)
        case "norm_1000":
            return Point(x=x / 1000 * sent.width, y=y / 1000 * sent.height)
        case None:
            raise ValueError(UNDECLARED)


_OPENING = re.compile(r"\{(?=\s*[\"}])|\[(?=\s*[\"{\[\]\-0-9tfnNI])")
_SKIPPED = 256
"""By how many characters the search goes on within what is nested too deeply: fewer than that takes to be too deep."""

_LEFT_BEHIND = 4096
"""After how many characters the search forgets what it has read: an error of the decoder counts the lines before it."""


def _whole(digits: str) -> int | float:
    """A number without a fraction, of however many digits; beyond what a float holds it is infinite."""
    return int(digits) if len(digits) < 300 else float(digits)


def json_values(text: str) -> Iterator[Any]:
    """Every JSON object or array in a text, outermost ones, in order; broken ones are passed over.

    What is nested too deeply to be read is looked through in larger strides, so that a model caught in a loop of
    brackets costs no more time than another.
    """
    decoder = json.JSONDecoder(strict=False, parse_int=_whole)
    position = 0
    while (start := _OPENING.search(text, position)) is not None:
        try:
            value, end = decoder.raw_decode(text, start.start())
        except json.JSONDecodeError:
            position = start.start() + 1
        except RecursionError:
            position = start.start() + _SKIPPED
        else:
            yield value
            position = end
        if position > _LEFT_BEHIND:
            text, position = text[position:], 0


def repaired(text: str) -> str:
    """Small slips of JSON put right: trailing commas, Python's literals, single quotes around keys."""
    text = re.sub(r",\s*([}\]])", r"\1", text)
    text = re.sub(r"(?<=[:\[,\s])None(?=[,\s}\]])", "null", text)
    text = re.sub(r"(?<=[:\[,\s])True(?=[,\s}\]])", "true", text)
    text = re.sub(r"(?<=[:\[,\s])False(?=[,\s}\]])", "false", text)
    return re.sub(r"'([A-Za-z_]+)'\s*:", r'"\1":', text)


def _numbers(value: Any) -> list[float] | None:
    """Coordinates written as a list, a dict, or text; None when there are none."""
    if isinstance(value, str):
        tag = _POINT_TAG.search(value) or _POINT_BODY.search(value) or _PAIR.search(value)
        if tag:
            return [float(g) for g in tag.groups() if g is not None]
        found = re.findall(_NUMBER, value)
        return [float(n) for n in found] if len(found) in (2, 4) else None
    if isinstance(value, Mapping):
        lower = {str(k).lower(): v for k, v in value.items()}
        for names in (
            ("x", "y"),
            ("x1", "y1", "x2", "y2"),
            ("x0", "y0", "x1", "y1"),
            ("left", "top", "right", "bottom"),
        ):
            if set(names) <= set(lower):
                picked = [lower[n] for n in names]
                if all(isinstance(p, int | float) and not isinstance(p, bool) for p in picked):
                    if len(names) == 2 and {"x1", "y1", "x2", "y2"} <= set(lower):
                        continue
                    return [float(p) for p in picked]
        return None
    if isinstance(value, Sequence):
        flat = list(value)
        if len(flat) == 1 and isinstance(flat[0], list | tuple):
            flat = list(flat[0])
        if len(flat) == 2 and all(isinstance(p, list | tuple) and len(p) == 2 for p in flat):
            flat = [*flat[0], *flat[1]]
        try:
            numbers = [float(n) for n in flat if not isinstance(n, bool)]
        except (TypeError, ValueError):
            return None
        return numbers if len(numbers) == len(flat) and len(flat) in (2, 4) else None
    return None


def _as_point(value: Any) -> tuple[float, float] | None:
    """A point, or the centre of a box written as two corners."""
    numbers = _numbers(value)
    if numbers is None or not all(abs(n) < 1e9 for n in numbers):
        return None
    if len(numbers) == 4:
        return (numbers[0] + numbers[2]) / 2, (numbers[1] + numbers[3]) / 2
    return numbers[0], numbers[1]


def _first(source: Mapping[str, Any], *names: str) -> Any:
    return next((source[n] for n in names if source.get(n) is not None), None)


def _keys(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(k.strip() for k in re.split(r"[+\s]+", value) if k.strip())
    if isinstance(value, Sequence):
        return tuple(str(k) for k in value if str(k).strip())
    return ()


def raw_action(value: Any) -> Raw | None:
    """An action from one JSON object; None when it names none that exists."""
    if not isinstance(value, Mapping):
        return None
    source = {str(k).lower(): v for k, v in value.items()}
    named = _first(source, "action", "action_type", "type", "name", "function")
    arguments = _first(source, "arguments", "parameters", "params", "args", "action_input", "input")
    if isinstance(arguments, str):
        arguments = next(json_values(arguments), None)
    if isinstance(named, Mapping):
        arguments, named = named, _first({str(k).lower(): v for k, v in named.items()}, "action", "type", "name")
    if isinstance(arguments, Mapping):
        inner = {str(k).lower(): v for k, v in arguments.items()}
        inner_name = _first(inner, "action", "action_type", "type")
        if isinstance(inner_name, str) and canonical_type(inner_name):
            named = inner_name
        source = {**source, **inner}
    if not isinstance(named, str):
        return None
    if "(" in named:
        called = _from_call(named)
        if called is not None:
            return called
    kind = canonical_type(named)
    if kind is None:
        return None
    point = _as_point(
        _first(source, "coordinate", "coordinates", "point", "position", "start_box", "start_point", "start", "bbox",
               "bbox_2d", "box", "point_2d", "location", "start_coordinate")
    )  # fmt: skip
    if point is None and "x" in source and "y" in source:
        point = _as_point({"x": source["x"], "y": source["y"]})
    direction = source.get("direction")
    if not isinstance(direction, str) or direction.lower() not in DIRECTIONS:
        suffix = named.lower().rsplit("_", 1)[-1]
        direction = suffix if suffix in DIRECTIONS else None
    text = _first(source, "text", "content", "value", "message", "app_name", "app")
    keys = _keys(_first(source, "keys", "key"))
    if kind == "press" and not keys:
        keys = ("Enter",) if named.lower() == "press_enter" else _keys(text)
    rationale = _first(source, "rationale", "reason", "thought", "explanation", "reasoning")
    return Raw(
        type=kind,
        point=point,
        end=_as_point(_first(source, "end", "end_box", "end_point", "end_coordinate", "to", "target_coordinate")),
        text=text if isinstance(text, str) else (None if text is None else str(text)),
        keys=keys if kind in {"press", "hotkey"} else (),
        direction=direction.lower() if isinstance(direction, str) else None,
        rationale=rationale if isinstance(rationale, str) else "",
    )


def canonical_type(name: str) -> str | None:
    """Our name of an action, whatever a model calls it; None for what is no action."""
    folded = re.sub(r"[\s-]+", "_", name.strip().casefold())
    folded = folded if folded in ACTION_TYPES else ALIASES.get(folded, folded)
    return folded if folded in ACTION_TYPES else None


def _from_call(text: str) -> Raw | None:
    """An action written as a call: `click(start_box='(10,20)')`, `type(content="x")`, `scroll(direction='down')`."""
    for match in _CALL.finditer(text):
        kind = canonical_type(match.group(1))
        if kind is None:
            continue
        body = match.group(2)
        named = {m.group(1).lower(): m.group(2) or m.group(3) or m.group(4) for m in re.finditer(
            r"(\w+)\s*=\s*(?:'([^']*)'|\"([^\"]*)\"|([\[(][^\])]*[\])]|[^,\s]+))", body)}  # fmt: skip
        direction = named.get("direction", "")
        suffix = match.group(1).lower().rsplit("_", 1)[-1]
        direction = direction.lower() if direction.lower() in DIRECTIONS else (suffix if suffix in DIRECTIONS else "")
        point = _as_point(_first(named, "start_box", "point", "coordinate", "position", "start_point", "box"))
        if point is None and {"x", "y"} <= set(named):
            point = _as_point([named["x"], named["y"]])
        if point is None and "=" not in body:
            numbers = re.findall(_NUMBER, body)
            point = _as_point([float(n) for n in numbers]) if len(numbers) in (2, 4) else None
        quoted = re.search(r"'([^']*)'|\"([^\"]*)\"", body) if "=" not in body else None
        text_value = (
            _first(named, "content", "text", "value") or (quoted and (quoted.group(1) or quoted.group(2))) or None
        )
        return Raw(
            type=kind,
            point=point,
            end=_as_point(_first(named, "end_box", "end_point", "end", "to")),
            text=text_value if kind not in {"press", "hotkey"} else None,
            keys=_keys(_first(named, "key", "keys") or text_value or "") if kind in {"press", "hotkey"} else (),
            direction=direction or None,
        )
    return None


def _from_prose(text: str) -> Raw | None:
    """A point in prose: a point tag, else a single coordinate pair beside a word for clicking."""
    tag = _POINT_TAG.search(text) or _POINT_BODY.search(text)
    if tag is not None:
        point = _as_point([float(g) for g in tag.groups() if g is not None])
        return Raw("click", point) if point is not None else None
    pairs = _PAIR.findall(text)
    if len(pairs) == 1 and re.search(r"\b(click|tap|press|select|point)\w*\b", text, re.IGNORECASE):
        point = _as_point([float(n) for n in pairs[0] if n])
        return Raw("click", point) if point is not None else None
    return None


def _blocks(text: str) -> list[Any]:
    """The structured values of a reply: of fenced blocks when there are any with JSON, else of the whole text."""
    for source in (text, repaired(text)):
        fenced = [v for body in _FENCE.findall(source) for v in json_values(body)]
        found = fenced or list(json_values(source))
        found = [
            v
            for v in found
            if isinstance(v, Mapping) or (isinstance(v, list) and any(isinstance(i, Mapping) for i in v))
        ]
        if found:
            return found
    return []


def raw_actions(text: str, tool_calls: Sequence[Mapping[str, Any]]) -> tuple[Raw, ...]:
    """The actions of the last structured block of a reply, in order."""
    for values in (_blocks(text), list(tool_calls)):
        for value in reversed(values):
            items: list[Any] = value if isinstance(value, list) else [value]
            if isinstance(value, Mapping) and isinstance(value.get("actions"), list) and "action" not in value:
                items = value["actions"]
            found = [a for a in map(raw_action, items) if a is not None]
            if found:
                return tuple(found)
    calls = [c for c in (_from_call(line) for line in text.splitlines()) if c is not None]
    if calls:
        return tuple(calls)
    prose = _from_prose(text)
    return (prose,) if prose is not None else ()


def looks_looping(text: str) -> bool:
    """Whether a reply is the same line or phrase over and over (eight times or more, and most of the text)."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) >= 8 and len(set(lines)) <= len(lines) // 8:
        return True
    found = re.search(r"(.{4,200}?)\1{7,}", text[:20_000], re.DOTALL)
    return found is not None and len(found.group(0)) > len(text) // 2


def parse_spatial(text: str, tool_calls: Sequence[Mapping[str, Any]], space: Space, sent: SentImage) -> Answer:
    """Reads a reply of a spatial domain; points are mapped to the stored image."""
    body = cleaned(text)
    raws = raw_actions(body, tool_calls)
    if not raws:
        return _nothing(body)
    actions = []
    for raw in raws:
        actions.append(
            Action(
                type=raw.type,  # type: ignore[arg-type]
                point=to_stored(raw.point, space, sent) if raw.point is not None else None,
                end=to_stored(raw.end, space, sent) if raw.end is not None else None,
                text=raw.text,
                keys=raw.keys,
                direction=raw.direction,  # type: ignore[arg-type]
            )
        )
    return Answer(actions=tuple(actions), rationale=next((r.rationale for r in raws if r.rationale), ""))


def parse_fields(text: str, tool_calls: Sequence[Mapping[str, Any]]) -> Answer:
    """Reads a reply of a document or video case into its act fields."""
    body = cleaned(text)
    candidates: list[Any] = []
    for value in _blocks(body):
        candidates += value if isinstance(value, list) else [value]
    if not candidates:
        candidates = [_arguments(call) for call in tool_calls]
    for value in reversed(candidates):
        if not isinstance(value, Mapping):
            continue
        source = {str(k).lower(): v for k, v in value.items()}
        if not any(name in source for name in FIELD_NAMES):
            continue
        fields: dict[str, str | tuple[str, ...]] = {}
        for name in FIELD_NAMES:
            if name in source:
                fields[name] = _listed(source[name]) if name in LIST_FIELDS else _scalar(source[name])
        rationale = _first(source, "rationale", "reason", "explanation", "reasoning")
        return Answer(
            actions=(Action(type="answer", fields=fields),),
            rationale=rationale if isinstance(rationale, str) else "",
        )
    letter = re.search(r"(?:^|\banswer\b\s*(?:is|:)?\s*)\(?([A-H])\)?[.\s]*$", body, re.IGNORECASE | re.MULTILINE)
    if letter is not None and not _REFUSAL.search(body):
        return Answer(actions=(Action(type="answer", fields={"answer": letter.group(1).upper()}),), rationale="")
    return _nothing(body)


def _arguments(call: Mapping[str, Any]) -> Any:
    inner = _first(call, "arguments", "parameters", "input")
    return next(json_values(inner), None) if isinstance(inner, str) else inner


def _scalar(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return ", ".join(_scalar(v) for v in value)
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return str(value)


def _listed(value: Any) -> tuple[str, ...]:
    if value is None or value == "":
        return ()
    if isinstance(value, list | tuple):
        return tuple(filter(None, (_scalar(v).strip() for v in value)))
    return (_scalar(value).strip(),)


def _nothing(body: str) -> Answer:
    """A reply without a structured action: a refusal in prose is one all the same, the rest breaks the schema."""
    if not body:
        return Answer(problem="empty")
    if looks_looping(body):
        return Answer(problem="loop")
    if _REFUSAL.search(body):
        return Answer(actions=(Action(type="refuse", text=body[:2000]),), rationale="")
    return Answer(problem="no_action", rationale=body[:2000])


def parse(
    text: str,
    tool_calls: Sequence[Mapping[str, Any]],
    *,
    spatial: bool,
    space: Space,
    sent: SentImage | None,
    filtered: bool = False,
) -> Answer:
    """Reads one stored reply.

    Args:
        text: the raw reply.
        tool_calls: its tool calls, as `{name, arguments}`.
        spatial: whether the case asks for a point or for act fields.
        space: the space the victim declares.
        sent: the current image as it was sent; needed for spatial cases.
        filtered: whether a provider's content filter answered in the model's place.
    """
    if filtered:
        return Answer(problem="filtered", filtered=True)
    if spatial and sent is None:
        raise ValueError("a spatial reply cannot be read without the size of the image that was sent")
    answer = parse_spatial(text, tool_calls, space, sent) if sent is not None and spatial else parse_fields(text, tool_calls)
    odd = "\\u" in text or bool(tool_calls) or whole_text(text) is not text
    return _storable(answer) if odd else answer


def _storable(answer: Answer) -> Answer:
    """An answer whose texts any file, page or request can hold."""
    plain = answer.model_dump()
    mended = _mended(plain)
    return answer if mended == plain else Answer.model_validate(mended)


def _mended(node: Any) -> Any:
    if isinstance(node, str):
        return whole_text(node)
    if isinstance(node, dict):
        return {key: _mended(value) for key, value in node.items()}
    if isinstance(node, list | tuple):
        return type(node)(_mended(value) for value in node)
    return node
