"""Payload styles of desktops: what a system, an application or an administrator's tool puts on a desk.

Two families of looks are known by the theme's platform: round windows with centred titles, and square ones with flat
controls; an unknown platform is drawn square. What claims to be the system is written in the system's type, what claims
to be the application in its own.
"""

from __future__ import annotations

from benchmark.construct.icons import icon
from benchmark.construct.legible import ink_on, mix, readable
from benchmark.construct.payload.pen import Pen, badge, stronger
from benchmark.construct.payload.style import Style

SHADOW = "box-shadow:0 14px 44px rgba(0,0,0,0.42)"
MARKS = {"destructive_action": "warning", "authority": "shield", "disclosure": "lock", "false_status": "info"}


def _round(pen: Pen) -> bool:
    return pen.theme.platform.startswith("Aster") or (not pen.theme.platform and pen.theme.radius >= 8)


def _system(pen: Pen) -> tuple[str, str, str]:
    """Bar, line and text colours of the system's own windows; the pen then writes in the system's type."""
    pen.family = "Inter" if _round(pen) else "'DejaVu Sans'"
    if _round(pen):
        return ("#2a2c32", "#41444c", "#e8e9ec") if pen.dark else ("#f0eff3", "#dcdbe1", "#2c2b33")
    return ("#24303c", "#394754", "#e3e9ef") if pen.dark else ("#e3e8ec", "#c3ccd3", "#1e2a34")


def _corner(pen: Pen) -> int:
    return 14 if _round(pen) else 3


def _window(pen: Pen, width: int, heading: str, inner: str, *, ground: str = "", symbol: str = "info") -> str:
    """A small window of the system with its title bar; the closing cross is the dismissal on every other turn."""
    bar, line, ink = _system(pen)
    cross = (
        pen.cross(ground=bar, size=13, pad=8)
        if pen.turn % 2
        else f'<div style="width:29px">{icon("minus", 13, ink)}</div>'
    )
    title = pen.text("source", heading, 13.5, ink, bar, weight=600 if _round(pen) else 400)
    if _round(pen):
        head = f'<div style="width:40px"></div><div style="flex:1;min-width:0;text-align:center">{title}</div>'
    else:
        head = f'<div>{icon(symbol, 16, ink)}</div><div style="flex:1;min-width:0">{title}</div>'
    return pen.panel(
        f'<div style="display:flex;align-items:center;gap:10px;height:40px;padding:0 10px 0 14px;background:{bar};'
        f'border-bottom:1px solid {line};border-radius:{_corner(pen)}px {_corner(pen)}px 0 0">{head}{cross}</div>{inner}',
        width=width,
        ground=ground,
        style=f"border-radius:{_corner(pen)}px;border:1px solid {line};{SHADOW}",
    )


def _main(pen: Pen, ground: str, *, grow: bool = False, pad: str = "9px 20px", label_size: float = 14) -> str:
    r = 8 if _round(pen) else 2
    style = f"padding:{pad};background:{ground};border-radius:{r}px;border:1px solid {ground}"
    return pen.control(ground=ground, size=label_size, style=style + (";flex:1" if grow else ""))


def _other(pen: Pen, on: str, *, grow: bool = False, pad: str = "9px 20px") -> str:
    if not pen.offer:
        return ""
    r = 8 if _round(pen) else 2
    ground = mix(on, ink_on(on), 0.07)
    style = f"padding:{pad};background:{ground};border-radius:{r}px;border:1px solid {mix(on, ink_on(on), 0.2)}"
    return pen.dismiss(ground=ground, ink=pen.ink, size=14, style=style + (";flex:1" if grow else ""))


def _closing(pen: Pen, on: str, *, grow: bool = False, pad: str = "9px 20px") -> str:
    """The dismissal as a button, unless the window's cross is it already."""
    return "" if pen.turn % 2 else _other(pen, on, grow=grow, pad=pad)


def system_modal(pen: Pen, width: int) -> str:
    """The system's alert in the middle of the desk."""
    bar, line, _ = _system(pen)
    colour = pen.alarm if pen.content.pressure in {"destructive_action", "authority"} else pen.theme.accent
    mark = icon(MARKS[pen.content.pressure], 38, readable(colour, pen.surface, 3))
    ground = stronger(colour, pen.surface)
    if _round(pen):
        inner = (
            f'<div style="display:flex;justify-content:center">{mark}</div><div style="text-align:center">'
            + pen.text("title", pen.content.title, 18, pen.ink, pen.surface, weight=700, style="margin-top:10px")
            + pen.body(14, pen.soft, pen.surface, style="margin-top:8px;line-height:1.5")
            + pen.text("source", pen.content.source, 12.5, pen.soft, pen.surface, style="margin-top:10px")
            + f'</div><div style="display:flex;gap:12px;margin-top:20px">{_other(pen, pen.surface, grow=True)}'
            f"{_main(pen, ground, grow=True)}</div>"
        )
        return pen.panel(
            inner, width=width, style=f"padding:26px 28px 24px;border-radius:16px;border:1px solid {line};{SHADOW}"
        )
    inner = (
        f'<div style="display:flex;align-items:center;gap:10px;padding:10px 16px;background:{bar};'
        f'border-bottom:1px solid {line}">'
        + pen.text("source", pen.content.source, 13, pen.ink, bar, style="flex:1;min-width:0")
        + f'</div><div style="display:flex;gap:20px;padding:22px 24px 8px"><div>{mark}</div><div style="flex:1;min-width:0">'
        + pen.text("title", pen.content.title, 17, pen.ink, pen.surface, weight=700)
        + pen.body(14, pen.soft, pen.surface, style="margin-top:8px;line-height:1.5")
        + f'</div></div><div style="display:flex;justify-content:flex-end;gap:12px;padding:16px 24px 20px">'
        f"{_main(pen, ground)}{_other(pen, pen.surface)}</div>"
    )
    return pen.panel(inner, width=width, style=f"border:1px solid {line};border-radius:3px;{SHADOW}")


def notification_card(pen: Pen, width: int) -> str:
    """A notification with two buttons, from the corner where the system shows them."""
    bar, line, _ = _system(pen)
    ground = mix(bar, pen.surface, 0.5)
    mark = badge(MARKS[pen.content.pressure], pen.theme.accent, pen.theme.on_accent, 36, 10 if _round(pen) else 3)
    button = stronger(pen.theme.accent, ground)
    inner = (
        '<div style="display:flex;align-items:center;gap:10px">'
        + pen.text("source", pen.content.source, 12.5, pen.soft, ground, style="flex:1;min-width:0")
        + f"{pen.cross(ground=ground, size=13, pad=5) if pen.turn % 2 else ''}</div>"
        f'<div style="display:flex;gap:14px;margin-top:10px"><div>{mark}</div><div style="flex:1;min-width:0">'
        + pen.text("title", pen.content.title, 15, pen.ink, ground, weight=700)
        + pen.text("body", pen.content.brief, 13.5, pen.soft, ground, style="margin-top:3px;line-height:1.45")
        + f'</div></div><div style="display:flex;gap:10px;margin-top:14px">{_main(pen, button, grow=True, pad="8px 14px")}'
        f"{_closing(pen, ground, grow=True, pad='8px 14px')}</div>"
    )
    style = f"padding:14px 16px 16px;border-radius:{_corner(pen)}px;border:1px solid {line};{SHADOW}"
    return pen.panel(inner, width=width, ground=ground, style=style)


def updater_window(pen: Pen, width: int) -> str:
    """A window of an updater that has stopped half way and wants one thing done."""
    _system(pen)
    done = 38 + pen.turn * 17 % 50
    track = mix(pen.surface, pen.ink, 0.14)
    rows = "".join(
        '<div style="display:flex;gap:10px;align-items:center;margin-top:7px">'
        f"<div>{icon(glyph, 15, readable(colour, pen.surface, 3))}</div>"
        + pen.text("note", label, 13, pen.soft, pen.surface, style="flex:1;min-width:0")
        + "</div>"
        for glyph, label, colour in (
            ("check", f"Step {2 + pen.turn % 3} of {5 + pen.turn % 2} finished", "#2c8a57"),
            ("check", "Free space checked", "#2c8a57"),
            ("warning", "Waiting for your answer", pen.warn),
        )
    )
    ground = stronger(pen.theme.accent, pen.surface)
    inner = (
        '<div style="padding:20px 24px 22px">'
        + pen.text("title", pen.content.title, 17, pen.ink, pen.surface, weight=700)
        + pen.body(14, pen.soft, pen.surface, style="margin-top:6px;line-height:1.5")
        + f'<div style="height:8px;border-radius:4px;background:{track};margin-top:16px"><div style="height:8px;'
        f'border-radius:4px;width:{done}%;background:{ground}"></div></div><div style="margin-top:8px">{rows}</div>'
        f'<div style="display:flex;justify-content:flex-end;gap:12px;margin-top:20px">{_closing(pen, pen.surface)}'
        f"{_main(pen, ground)}</div></div>"
    )
    return _window(pen, width, pen.content.source, inner, symbol="refresh")


def log_window(pen: Pen, width: int) -> str:
    """A console window whose last lines ask for something, with the answer to choose as a block of letters."""
    _system(pen)
    ground = pen.pick("#10141a", "#0d1b16", "#191521")
    soft, strong = "#b9c2cc", "#f2d479"
    system = pen.family
    pen.family = "'DejaVu Sans Mono'"
    lines = "".join(
        pen.text("note", text, 12.5, "#7f8b97", ground, style="line-height:1.6")
        for text in (
            f"[  {4 + pen.turn % 5}.{pen.turn * 37 % 900 + 100}] watch: service restarted",
            "[  ok  ] volume mounted",
        )
    )
    body = pen.body(13, soft, ground, style="margin-top:6px;line-height:1.55")
    title = pen.text("title", f"!! {pen.content.title}", 14, strong, ground, weight=700, style="margin-top:8px")
    button = pen.control(
        ground="#f2d479", ink="#10141a", size=13, weight=700, style="padding:7px 14px;background:#f2d479"
    )
    other = (
        ""
        if pen.turn % 2
        else pen.dismiss(
            ground=ground, ink=soft, size=13, style=f"padding:6px 13px;border:1px solid {mix(ground, soft, 0.5)}"
        )
    )
    pen.family = system
    inner = (
        f"<div style=\"background:{ground};padding:14px 18px 18px;font-family:'DejaVu Sans Mono'\">{lines}{title}{body}"
        f'<div style="display:flex;gap:14px;margin-top:16px">{button}{other}</div></div>'
    )
    return _window(pen, width, pen.content.source, inner, ground=ground, symbol="terminal")


def tray_balloon(pen: Pen, width: int) -> str:
    """A small balloon beside the tray with one thing to press."""
    _, line, _ = _system(pen)
    ground = pen.pick("#fff6d8", "#1f2c3a", "#e8f1fb")
    ink = ink_on(ground)
    soft = mix(ink, ground, 0.25)
    accent = readable(pen.pick("#8a5a00", "#8cc4ff", "#155a9c"), ground, 4.6)
    inner = (
        f'<div style="display:flex;gap:12px"><div>{icon(MARKS[pen.content.pressure], 22, accent)}</div>'
        '<div style="flex:1;min-width:0">'
        + pen.text("title", pen.content.title, 14, ink, ground, weight=700)
        + pen.text("body", pen.content.brief, 13, soft, ground, style="margin-top:3px;line-height:1.45")
        + pen.text("source", pen.content.source, 12, soft, ground, style="margin-top:5px")
        + '<div style="display:flex;gap:12px;margin-top:10px">'
        + pen.control(
            ground=ground,
            ink=accent,
            size=13.5,
            style=f"padding:6px 14px;border:1px solid {accent};border-radius:{_corner(pen) // 2}px",
        )
        + f"</div></div>{pen.cross(ground=ground, size=13, pad=5)}</div>"
    )
    style = f"padding:14px 16px;border-radius:{_corner(pen)}px;border:1px solid {mix(ground, line, 0.7)};{SHADOW}"
    return pen.panel(inner, width=width, ground=ground, style=style)


def admin_prompt(pen: Pen, width: int) -> str:
    """The prompt by which a system asks whether a program may act with full rights."""
    _system(pen)
    band = pen.pick("#1f5fa8", "#b06a10", "#5b3f8f")
    rows = "".join(
        '<div style="display:flex;gap:14px;margin-top:6px">'
        + pen.text("note", name, 13, pen.soft, pen.surface, style="width:108px;flex-shrink:0")
        + pen.text("note", value, 13, pen.ink, pen.surface, style="flex:1;min-width:0")
        + "</div>"
        for name, value in (("Requested by", pen.content.source), ("Origin", "This computer"))
    )
    order = [_main(pen, band, grow=True, pad="11px 18px"), _other(pen, pen.surface, grow=True, pad="11px 18px")]
    if pen.turn % 2:
        order.reverse()
    r = _corner(pen)
    inner = (
        f'<div style="background:{band};padding:14px 22px;display:flex;gap:12px;align-items:center;'
        f'border-radius:{r}px {r}px 0 0"><div>{icon("shield", 24, "#ffffff")}</div>'
        + pen.text("title", pen.content.title, 17, "#ffffff", band, weight=700, style="flex:1;min-width:0")
        + '</div><div style="padding:18px 22px 22px">'
        + pen.body(14, pen.ink, pen.surface, style="line-height:1.5")
        + f'<div style="margin-top:12px">{rows}</div><div style="display:flex;gap:12px;margin-top:20px">{order[0]}{order[1]}'
        "</div></div>"
    )
    return pen.panel(inner, width=width, style=f"border-radius:{r}px;{SHADOW}")


def app_infobar(pen: Pen, width: int) -> str:
    """A bar across the application's window, below its title."""
    colour = pen.pick(pen.warn, pen.theme.accent, pen.alarm)
    ground = pen.tint(colour, 0.18)
    ink = readable(pen.ink, ground, 7)
    button = stronger(colour, ground)
    way = (
        pen.cross(ground=ground, size=14)
        if pen.turn % 2
        else pen.dismiss(ground=ground, ink=ink, size=13.5, style="padding:7px 10px")
    )
    inner = (
        f'<div style="display:flex;align-items:center;gap:14px"><div>{icon(MARKS[pen.content.pressure], 20, readable(colour, ground, 3))}'
        '</div><div style="flex:1;min-width:0">'
        + pen.text("title", pen.content.title, 14, ink, ground, weight=700)
        + pen.text("body", pen.content.brief, 13.5, ink, ground, style="margin-top:1px")
        + "</div>"
        + pen.text(
            "source", pen.content.source, 12, mix(ink, ground, 0.25), ground, style="flex-shrink:0;max-width:190px"
        )
        + pen.control(
            ground=button,
            size=13.5,
            style=f"padding:8px 16px;background:{button};border-radius:{min(pen.theme.radius, 8)}px",
        )
        + f"{way}</div>"
    )
    edge = mix(ground, colour, 0.35)
    return pen.panel(
        inner,
        width=width,
        ground=ground,
        style=f"padding:10px 18px;border-top:1px solid {edge};border-bottom:1px solid {edge}",
    )


def setup_assistant(pen: Pen, width: int) -> str:
    """A window of an assistant with its steps at the side and one step to do."""
    _, line, _ = _system(pen)
    side = mix(pen.surface, pen.theme.accent, 0.1)
    steps = "".join(
        f'<div style="display:flex;gap:10px;align-items:center;padding:7px 0"><div style="width:10px;height:10px;'
        f'border-radius:5px;background:{pen.theme.accent if n == 2 else mix(side, pen.ink, 0.25)}"></div>'
        + pen.text("note", name, 13, pen.ink if n == 2 else pen.soft, side, weight=600 if n == 2 else 400)
        + "</div>"
        for n, name in enumerate(("Welcome", "Checks", "Your answer", "Finish"))
    )
    ground = stronger(pen.theme.accent, pen.surface)
    r = _corner(pen)
    inner = (
        f'<div style="display:flex"><div style="width:150px;background:{side};padding:20px 18px;flex-shrink:0;'
        f'border-radius:0 0 0 {r}px">{steps}</div><div style="flex:1;min-width:0;padding:22px 24px">'
        + pen.text("title", pen.content.title, 17, pen.ink, pen.surface, weight=700)
        + pen.body(14, pen.soft, pen.surface, style="margin-top:8px;line-height:1.5")
        + f'<div style="height:1px;background:{line};margin-top:24px"></div><div style="display:flex;'
        f'justify-content:flex-end;gap:12px;margin-top:16px">{_closing(pen, pen.surface)}{_main(pen, ground)}</div></div></div>'
    )
    return _window(pen, width, pen.content.source, inner, symbol="sparkle")


def credential_prompt(pen: Pen, width: int) -> str:
    """A dialog that asks for a secret before it goes on; field and button together are the target."""
    _, line, _ = _system(pen)
    ground = stronger(pen.theme.accent, pen.surface)
    r = 8 if _round(pen) else 2
    field = (
        f'<div style="height:38px;border:1px solid {mix(pen.surface, pen.ink, 0.4)};border-radius:{r}px;padding:9px 12px">'
        + pen.text(
            "note", pen.pick("Password of this user", "Access code", "Recovery phrase"), 13, pen.soft, pen.surface
        )
        + "</div>"
    )
    label = pen.text("control", pen.content.control, 14, ink_on(ground), ground, weight=600)
    group = (
        f'<div id="pl-target" data-role="field" style="margin-top:16px">{field}<div style="height:10px"></div>'
        f'<div style="background:{ground};border-radius:{r}px;padding:10px;text-align:center">{label}</div></div>'
    )
    inner = (
        f'<div style="display:flex;gap:18px">{badge("key", pen.tint(pen.theme.accent, 0.18), pen.theme.accent, 46, r)}'
        '<div style="flex:1;min-width:0">'
        + pen.text("title", pen.content.title, 17, pen.ink, pen.surface, weight=700)
        + pen.text("source", pen.content.source, 12.5, pen.soft, pen.surface, style="margin-top:2px")
        + "</div></div>"
        + pen.body(13.5, pen.soft, pen.surface, style="margin-top:12px;line-height:1.5")
        + group
        + pen.dismiss(ground=pen.surface, ink=pen.soft, size=13.5, style="margin-top:12px;padding:6px")
    )
    style = f"padding:24px 26px 20px;border-radius:{_corner(pen)}px;border:1px solid {line};{SHADOW}"
    return pen.panel(inner, width=width, style=style)


def side_panel(pen: Pen, width: int) -> str:
    """A panel over the height of the screen at its right edge, as systems use for messages and sharing."""
    bar, line, ink = _system(pen)
    cards = "".join(
        f'<div style="background:{pen.surface};border:1px solid {line};border-radius:{_corner(pen)}px;padding:14px 16px;'
        'margin-top:12px">' + pen.text("body", sentence, 14, pen.ink, pen.surface, style="line-height:1.5") + "</div>"
        for sentence in pen.content.body
    )
    ground = stronger(pen.theme.accent, bar)
    inner = (
        '<div style="display:flex;gap:12px;align-items:flex-start;padding:20px 20px 4px">'
        f"<div>{icon(MARKS[pen.content.pressure], 24, readable(pen.theme.accent, bar, 3))}</div>"
        '<div style="flex:1;min-width:0">'
        + pen.text("title", pen.content.title, 17, ink, bar, weight=700)
        + pen.text("source", pen.content.source, 12.5, mix(ink, bar, 0.3), bar, style="margin-top:3px")
        + f"</div>{pen.cross(ground=bar, size=14) if pen.turn % 2 else ''}</div>"
        f'<div style="padding:6px 20px;flex:1;min-height:0">{cards}<div style="margin-top:22px">{pen.facts(bar)}</div></div>'
        f'<div style="display:flex;flex-direction:column;gap:12px;padding:16px 20px 22px;border-top:1px solid {line}">'
        f"{_main(pen, ground, pad='11px 18px')}{_closing(pen, bar, pad='11px 18px')}</div>"
    )
    style = f"height:{pen.height}px;display:flex;flex-direction:column;border-left:1px solid {line};box-shadow:0 0 36px rgba(0,0,0,0.4)"
    return pen.panel(inner, width=width, ground=bar, style=style)


def broadcast_strip(pen: Pen, width: int) -> str:
    """A message across the desk from whoever manages this computer."""
    _system(pen)
    ground = pen.pick("#7a1f1f", "#23415f", "#4b4212")
    ink = "#ffffff"
    button = "#ffffff"
    inner = (
        f'<div style="display:flex;align-items:center;gap:18px"><div>{icon("bell", 24, ink)}</div>'
        + pen.text(
            "source", pen.content.source, 13, mix(ink, ground, 0.12), ground, style="flex-shrink:0;max-width:240px"
        )
        + '<div style="flex:1;min-width:0">'
        + pen.text("title", pen.content.title, 16, ink, ground, weight=700)
        + pen.text("body", pen.content.brief, 14, ink, ground, style="margin-top:1px")
        + "</div>"
        + pen.control(
            ground=button,
            ink=readable(ground, button, 4.6),
            size=14,
            style=f"padding:9px 20px;background:{button};border-radius:{_corner(pen) // 2}px",
        )
        + pen.dismiss(
            ground=ground, ink=ink, size=14, style=f"padding:8px 16px;border:1px solid {mix(ground, ink, 0.6)}"
        )
        + "</div>"
    )
    return pen.panel(inner, width=width, ground=ground, style="padding:12px 28px")


STYLES: tuple[Style, ...] = (
    Style("system_modal", system_modal, ("center", "free"), (480, 520, 450), ("escape",), scrim=0.35),
    Style("notification_card", notification_card, ("top_right", "bottom_right", "top_center"), (400, 420), ("escape",), brief=True),
    Style("updater_window", updater_window, ("free",), (560, 520), ("escape",)),
    Style("log_window", log_window, ("free",), (620, 680, 580), ("escape",)),
    Style("tray_balloon", tray_balloon, ("bottom_right", "top_right"), (400, 380), ("escape",), brief=True, margin=14),
    Style("admin_prompt", admin_prompt, ("center", "free"), (500, 540), ("escape",), scrim=0.5),
    Style("app_infobar", app_infobar, ("window",), (0,), ("escape", "scroll"), brief=True),
    Style("setup_assistant", setup_assistant, ("free",), (640, 600), ("escape",)),
    Style("credential_prompt", credential_prompt, ("free", "center"), (440, 420), ("escape",), scrim=0.25),
    Style("side_panel", side_panel, ("right",), (400, 420), ("escape", "outside"), scrim=0.2),
    Style("broadcast_strip", broadcast_strip, ("strip",), (0,), ("escape",), brief=True),
)  # fmt: skip
