"""Payload styles of phones: what a system, an app or a message puts over an app's screen.

Two system skins are known by the theme's platform: one with large radii and buttons to the right, one with centred
dialogs and square-ish corners; unknown platforms are drawn by the theme's radius. All sizes are CSS pixels of a screen
360 wide, of which a stored screen has three for each.
"""

from __future__ import annotations

from benchmark.construct.icons import icon
from benchmark.construct.legible import ink_on, mix, readable
from benchmark.construct.payload.pen import Pen, badge, stronger
from benchmark.construct.payload.style import Style

SHADOW = "box-shadow:0 6px 18px rgba(0,0,0,0.3)"
MARKS = {"destructive_action": "warning", "authority": "shield", "disclosure": "lock", "false_status": "info"}


def _centred(pen: Pen) -> bool:
    return pen.theme.platform == "kestrel"


def _system(pen: Pen) -> str:
    """The ground of the system's own sheets; the pen then writes in the system's type."""
    pen.family = "'DejaVu Sans'" if _centred(pen) else "Inter"
    if pen.dark:
        return "#262a30" if _centred(pen) else "#2b2f36"
    return "#ffffff" if _centred(pen) else "#f5f3fa"


def _corner(pen: Pen, most: int = 28) -> int:
    return min(max(pen.theme.radius, 10), most)


def _filled(pen: Pen, colour: str, on: str, *, size: float = 14.5, grow: bool = False, pad: str = "11px 18px") -> str:
    ground = stronger(colour, on)
    radius = 22 if not _centred(pen) else 8
    return pen.control(
        ground=ground,
        size=size,
        style=f"padding:{pad};background:{ground};border-radius:{radius}px" + (";flex:1" if grow else ""),
    )


def _plain(
    pen: Pen, on: str, *, size: float = 14.5, grow: bool = False, pad: str = "11px 16px", edge: bool = True
) -> str:
    radius = 22 if not _centred(pen) else 8
    line = f";border:1px solid {mix(on, ink_on(on), 0.2)};border-radius:{radius}px" if edge else ""
    return pen.dismiss(
        ground=on, ink=pen.theme.accent, size=size, style=f"padding:{pad}{line}" + (";flex:1" if grow else "")
    )


def alert_dialog(pen: Pen, width: int) -> str:
    """The app's or the system's dialog in the middle of the screen."""
    ground = _system(pen) if pen.content.authority == "system" else pen.surface
    ink = readable(pen.theme.text, ground, 7)
    soft = mix(ink, ground, 0.25)
    colour = pen.alarm if pen.content.pressure == "destructive_action" else pen.theme.accent
    centre = "text-align:center;" if _centred(pen) or pen.turn % 3 == 1 else ""
    head = ""
    if pen.turn % 3 != 2:
        place = "center" if centre else "flex-start"
        mark = icon(MARKS[pen.content.pressure], 28, readable(colour, ground, 3))
        head = f'<div style="display:flex;justify-content:{place};margin-bottom:10px">{mark}</div>'
    words = (
        pen.text("title", pen.content.title, 19, ink, ground, weight=700, style=f"{centre}line-height:1.25")
        + pen.body(14.5, soft, ground, align=centre, style="margin-top:8px;line-height:1.45")
        + pen.text("source", pen.content.source, 12.5, soft, ground, style=f"{centre}margin-top:8px")
    )
    if pen.turn % 3 == 1:
        row = (
            f'<div style="margin-top:18px">{_filled(pen, colour, ground)}<div style="height:10px"></div>'
            f"{_plain(pen, ground, edge=False)}</div>"
        )
    else:
        row = (
            f'<div style="display:flex;justify-content:flex-end;flex-wrap:wrap;gap:8px;margin-top:18px">'
            f"{_plain(pen, ground, edge=False)}{_filled(pen, colour, ground)}</div>"
        )
    return pen.panel(
        head + words + row,
        width=width,
        ground=ground,
        style=f"padding:22px 22px 18px;border-radius:{_corner(pen)}px;{SHADOW}",
    )


def bottom_sheet(pen: Pen, width: int) -> str:
    """A sheet from the lower edge with its handle."""
    ground = pen.surface
    handle = mix(ground, pen.ink, 0.25)
    r = _corner(pen)
    colour = pen.alarm if pen.turn % 3 == 2 else pen.theme.accent
    buttons = (
        f"{_filled(pen, colour, ground, pad='13px 18px')}"
        + (f'<div style="height:10px"></div>{_plain(pen, ground, pad="12px 16px")}' if pen.offer else "")
        if pen.turn % 2 == 0 or len(pen.content.control + pen.content.dismissal) > 26
        else f'<div style="display:flex;gap:10px">{_plain(pen, ground, grow=True)}{_filled(pen, colour, ground, grow=True)}</div>'
    )
    inner = (
        f'<div style="display:flex;justify-content:center"><div style="width:36px;height:4px;border-radius:2px;background:{handle}"></div></div>'
        '<div style="display:flex;gap:12px;align-items:center;margin-top:16px">'
        f"{badge(MARKS[pen.content.pressure], pen.tint(colour, 0.16), colour, 40)}"
        '<div style="flex:1;min-width:0">'
        + pen.text("title", pen.content.title, 18, pen.ink, ground, weight=700, style="line-height:1.25")
        + pen.text("source", pen.content.source, 12.5, pen.soft, ground, style="margin-top:2px")
        + "</div></div>"
        + pen.body(14.5, pen.soft, ground, style="margin-top:12px;line-height:1.45")
        + f'<div style="margin-top:18px">{buttons}</div>'
    )
    style = f"padding:10px 20px 30px;border-radius:{r}px {r}px 0 0;box-shadow:0 -4px 18px rgba(0,0,0,0.25)"
    return pen.panel(inner, width=width, ground=ground, style=style)


def permission_sheet(pen: Pen, width: int) -> str:
    """The system's prompt for a permission, its answers stacked."""
    ground = _system(pen)
    ink = ink_on(ground)
    soft = mix(ink, ground, 0.28)
    accent = readable(pen.pick("#2f6fde", "#2c8a70", "#7a4fd0"), ground, 3)
    pill = mix(ground, accent, 0.22)
    radius = 16 if not _centred(pen) else 6
    row = f"padding:13px 12px;border-radius:{radius}px;background:{pill}"
    answers = pen.control(ground=pill, ink=ink, size=14.5, style=row)
    if pen.offer:
        answers += f'<div style="height:9px"></div>{pen.dismiss(ground=pill, ink=ink, size=14.5, style=row)}'
    inner = (
        f'<div style="display:flex;justify-content:center;margin-bottom:12px">{icon(MARKS[pen.content.pressure], 30, accent)}</div>'
        + pen.text("title", pen.content.title, 18, ink, ground, weight=600, style="text-align:center;line-height:1.3")
        + pen.text(
            "body",
            " ".join(pen.content.body),
            14,
            soft,
            ground,
            style="text-align:center;margin-top:8px;line-height:1.45",
        )
        + pen.text("source", pen.content.source, 12.5, soft, ground, style="text-align:center;margin-top:8px")
        + f'<div style="margin-top:18px">{answers}</div>'
    )
    return pen.panel(
        inner, width=width, ground=ground, style=f"padding:24px 20px 20px;border-radius:{_corner(pen)}px;{SHADOW}"
    )


def heads_up(pen: Pen, width: int) -> str:
    """A notification that drops in below the status bar."""
    ground = _system(pen)
    ink = ink_on(ground)
    soft = mix(ink, ground, 0.28)
    accent = readable(pen.theme.accent, ground, 4.6)
    act = (
        f"padding:9px 14px;border:1px solid {mix(ground, accent, 0.5)};border-radius:{18 if not _centred(pen) else 6}px"
    )
    inner = (
        '<div style="display:flex;gap:10px;align-items:center">'
        f"{badge(MARKS[pen.content.pressure], pen.theme.accent, pen.theme.on_accent, 24)}"
        + pen.text("source", pen.content.source, 12.5, soft, ground, style="flex:1;min-width:0")
        + pen.text("note", "now", 12, soft, ground)
        + "</div>"
        + pen.text("title", pen.content.title, 15.5, ink, ground, weight=700, style="margin-top:8px;line-height:1.3")
        + pen.text("body", pen.content.brief, 14, soft, ground, style="margin-top:3px;line-height:1.4")
        + '<div style="display:flex;flex-wrap:wrap;gap:10px;margin-top:12px">'
        + pen.control(ground=ground, ink=accent, size=14, style=act)
        + pen.dismiss(ground=ground, ink=soft, size=14, style="padding:10px 12px")
        + "</div>"
    )
    style = f"padding:14px 16px;border-radius:{_corner(pen, 24)}px;box-shadow:0 8px 24px rgba(0,0,0,0.34)"
    return pen.panel(inner, width=width, ground=ground, style=style)


def snackbar(pen: Pen, width: int) -> str:
    """A short bar near the lower edge with one action."""
    ground = pen.pick("#2e3138", "#22302c", "#33283a") if not pen.dark else pen.pick("#e7e8ec", "#dfe9e4", "#efe6f3")
    ink = ink_on(ground)
    soft = mix(ink, ground, 0.16)
    accent = readable(mix(pen.theme.accent, "#ffffff" if ink == "#ffffff" else "#000000", 0.4), ground, 4.6)
    inner = (
        '<div style="display:flex;gap:10px;align-items:flex-start"><div style="flex:1;min-width:0">'
        + pen.text("title", pen.content.title, 14.5, ink, ground, weight=700)
        + pen.text("body", pen.content.brief, 13.5, soft, ground, style="margin-top:2px;line-height:1.4")
        + f"</div>{pen.cross(ground=ground, size=14, pad=5)}</div>"
        '<div style="display:flex;justify-content:space-between;align-items:center;gap:10px;margin-top:8px">'
        + pen.text("source", pen.content.source, 12, soft, ground, style="flex:1;min-width:0")
        + pen.control(
            ground=ground,
            ink=accent,
            size=14.5,
            weight=700,
            style=f"padding:8px 12px;border:1px solid {accent};border-radius:{_corner(pen, 18)}px",
        )
        + "</div>"
    )
    return pen.panel(
        inner, width=width, ground=ground, style=f"padding:12px 16px;border-radius:{_corner(pen, 10)}px;{SHADOW}"
    )


def app_banner(pen: Pen, width: int) -> str:
    """A banner across the app, as apps show below their bar."""
    colour = pen.pick(pen.warn, pen.theme.accent, pen.alarm)
    ground = pen.tint(colour, 0.17)
    ink = readable(pen.ink, ground, 7)
    accent = readable(colour, ground, 4.6)
    inner = (
        f'<div style="display:flex;gap:14px"><div style="padding-top:2px">{icon(MARKS[pen.content.pressure], 24, readable(colour, ground, 3))}</div>'
        '<div style="flex:1;min-width:0">'
        + pen.text("title", pen.content.title, 15.5, ink, ground, weight=700)
        + pen.text(
            "body", pen.content.brief, 14, mix(ink, ground, 0.12), ground, style="margin-top:3px;line-height:1.4"
        )
        + pen.text("source", pen.content.source, 12, mix(ink, ground, 0.28), ground, style="margin-top:5px")
        + '</div></div><div style="display:flex;justify-content:flex-end;flex-wrap:wrap;gap:10px;margin-top:10px">'
        + pen.dismiss(ground=ground, ink=mix(ink, ground, 0.2), size=14, style="padding:9px 12px")
        + pen.control(
            ground=ground,
            ink=accent,
            size=14,
            weight=700,
            style=f"padding:8px 14px;border:1px solid {accent};border-radius:{_corner(pen, 18)}px",
        )
        + "</div>"
    )
    return pen.panel(
        inner,
        width=width,
        ground=ground,
        style=f"padding:14px 18px 12px;border-bottom:1px solid {mix(ground, colour, 0.4)}",
    )


def update_card(pen: Pen, width: int) -> str:
    """A card of the system's updater, stopped half way."""
    ground = _system(pen)
    ink = ink_on(ground)
    soft = mix(ink, ground, 0.28)
    accent = stronger(pen.pick("#2f6fde", "#2c8a70", "#b5622b"), ground)
    done = 41 + pen.turn * 13 % 45
    inner = (
        f'<div style="display:flex;gap:12px;align-items:center">{badge("download", accent, ink_on(accent), 38, 10)}<div style="flex:1;min-width:0">'
        + pen.text("source", pen.content.source, 13, soft, ground)
        + pen.text("note", f"Step 2 of 3, {done} % done", 12.5, soft, ground)
        + f'</div></div><div style="height:6px;border-radius:3px;background:{mix(ground, ink, 0.14)};margin-top:14px"><div style="'
        f'height:6px;border-radius:3px;width:{done}%;background:{accent}"></div></div>'
        + pen.text("title", pen.content.title, 18, ink, ground, weight=700, style="margin-top:16px;line-height:1.25")
        + pen.body(14, soft, ground, style="margin-top:6px;line-height:1.45")
        + f'<div style="margin-top:16px">{_filled(pen, accent, ground)}'
        + (f'<div style="height:9px"></div>{_plain(pen, ground, edge=False)}' if pen.offer else "")
        + "</div>"
    )
    return pen.panel(inner, width=width, ground=ground, style=f"padding:20px;border-radius:{_corner(pen)}px;{SHADOW}")


def verify_card(pen: Pen, width: int) -> str:
    """A card that asks for a code before it goes on; boxes and button together are the target."""
    ground = pen.surface
    colour = stronger(pen.theme.accent, ground)
    label = pen.text("control", pen.content.control, 15, ink_on(colour), colour, weight=600)
    cells = "".join(
        f'<div style="flex:1;min-width:0;height:42px;border:1px solid {mix(ground, pen.ink, 0.4 if n else 0.8)};border-radius:8px"></div>'
        for n in range(6)
    )
    group = (
        f'<div id="pl-target" data-role="field" style="margin-top:16px"><div style="display:flex;gap:8px">{cells}</div>'
        f'<div style="height:12px"></div><div style="background:{colour};border-radius:{_corner(pen, 22)}px;padding:12px;'
        f'text-align:center">{label}</div></div>'
    )
    inner = (
        f'<div style="display:flex;gap:12px;align-items:center">{badge("lock", pen.theme.accent, pen.theme.on_accent, 34, 10)}'
        + pen.text("source", pen.content.source, 12.5, pen.soft, ground, style="flex:1;min-width:0")
        + f"{pen.cross(ground=ground, size=14, pad=5) if pen.turn % 2 else ''}</div>"
        + pen.text(
            "title", pen.content.title, 18, pen.ink, ground, weight=700, style="margin-top:12px;line-height:1.25"
        )
        + pen.body(14, pen.soft, ground, style="margin-top:6px;line-height:1.45")
        + pen.text(
            "note",
            pen.pick("6-digit code", "PIN of this account", "Backup code"),
            12.5,
            pen.soft,
            ground,
            style="margin-top:14px",
        )
        + group
        + (
            ""
            if pen.turn % 2
            else pen.dismiss(ground=ground, ink=pen.soft, size=14, style="margin-top:12px;padding:8px")
        )
    )
    return pen.panel(
        inner, width=width, ground=ground, style=f"padding:20px 20px 16px;border-radius:{_corner(pen)}px;{SHADOW}"
    )


def system_panel(pen: Pen, width: int) -> str:
    """A panel pulled down from the top, with the system's toggles above a message that wants an answer."""
    ground = "#1b1e24" if pen.dark or pen.turn % 2 else "#eceff4"
    pen.family = "'DejaVu Sans'" if _centred(pen) else "Inter"
    ink = ink_on(ground)
    soft = mix(ink, ground, 0.28)
    card = mix(ground, ink, 0.07)
    accent = readable(pen.pick("#4f8df5", "#46b08f", "#a57be0"), card, 3)
    toggles = "".join(
        f'<div style="flex:1;min-width:0;display:flex;justify-content:center">{badge(name, accent if on else mix(ground, ink, 0.16), ink_on(accent) if on else ink, 44)}</div>'
        for name, on in (("wifi", True), ("bluetooth", pen.turn % 3 == 0), ("volume", True), ("moon", False))
    )
    inner = (
        f'<div style="display:flex;gap:6px">{toggles}</div><div style="background:{card};border-radius:{_corner(pen, 18)}px;'
        'padding:14px 16px;margin-top:16px"><div style="display:flex;gap:10px;align-items:center">'
        f"<div>{icon(MARKS[pen.content.pressure], 18, accent)}</div>"
        + pen.text("source", pen.content.source, 12.5, soft, card, style="flex:1;min-width:0")
        + "</div>"
        + pen.text("title", pen.content.title, 16, ink, card, weight=700, style="margin-top:8px;line-height:1.3")
        + pen.body(14, soft, card, style="margin-top:4px;line-height:1.4")
        + f'<div style="display:flex;flex-wrap:wrap;gap:10px;margin-top:14px">{_filled(pen, accent, card, pad="10px 16px")}'
        + _plain(pen, card, edge=False, pad="10px 12px")
        + f'</div></div><div style="display:flex;justify-content:center;margin-top:12px"><div style="width:40px;height:4px;'
        f'border-radius:2px;background:{mix(ground, ink, 0.3)}"></div></div>'
    )
    r = _corner(pen)
    return pen.panel(
        inner, width=width, ground=ground, style=f"padding:16px 14px 10px;border-radius:0 0 {r}px {r}px;{SHADOW}"
    )


def floating_card(pen: Pen, width: int) -> str:
    """A card of the app itself, with a drawing on top, that floats over the list."""
    colour = readable(pen.theme.accent, "#ffffff", 3)
    art = mix(colour, pen.surface, 0.72)
    picture = (
        f'<svg width="{width}" height="92" viewBox="0 0 {width} 92"><rect width="{width}" height="92" rx="14" fill="{art}"/>'
        f'<circle cx="{width * 0.3:.0f}" cy="52" r="30" fill="{mix(colour, pen.surface, 0.35)}"/><rect x="{width * 0.42:.0f}" y="24" width="118" '
        f'height="14" rx="7" fill="{colour}"/><rect x="{width * 0.42:.0f}" y="48" width="82" height="10" rx="5" fill="{mix(colour, pen.surface, 0.45)}"/></svg>'
    )
    inner = (
        f'<div>{picture}</div><div style="padding:16px 20px 18px">'
        + pen.text("title", pen.content.title, 17.5, pen.ink, pen.surface, weight=700, style="line-height:1.25")
        + pen.body(14, pen.soft, pen.surface, style="margin-top:6px;line-height:1.45")
        + pen.text("source", pen.content.source, 12.5, pen.soft, pen.surface, style="margin-top:8px")
        + '<div style="display:flex;justify-content:flex-end;align-items:center;flex-wrap:wrap;gap:10px;margin-top:14px">'
        + _plain(pen, pen.surface, edge=False, pad="10px 10px")
        + _filled(pen, colour, pen.surface)
        + "</div></div>"
    )
    return pen.panel(inner, width=width, style=f"border-radius:14px;{SHADOW}")


def assistant_bubble(pen: Pen, width: int) -> str:
    """A message of a floating assistant, its face at the side, with replies to choose from."""
    colour = pen.theme.accent
    ground = pen.surface
    bubble = mix(ground, colour, 0.12)
    says = "".join(
        f'<div style="background:{bubble};border-radius:4px 16px 16px 16px;padding:10px 14px;margin-top:8px">'
        + pen.text("body", sentence, 14, pen.ink, bubble, style="line-height:1.4")
        + "</div>"
        for sentence in pen.content.body
    )
    pill = f"padding:10px 14px;border-radius:20px;border:1px solid {mix(ground, colour, 0.7)}"
    inner = (
        f'<div style="display:flex;gap:12px;align-items:center">{badge("sparkle", colour, pen.theme.on_accent, 40)}<div style="flex:1;min-width:0">'
        + pen.text("title", pen.content.title, 15.5, pen.ink, ground, weight=700, style="line-height:1.25")
        + pen.text("source", pen.content.source, 12.5, pen.soft, ground)
        + f"</div></div>{says}"
        '<div style="display:flex;justify-content:flex-end;flex-wrap:wrap;gap:10px;margin-top:12px">'
        + pen.dismiss(
            ground=ground,
            ink=pen.soft,
            size=14,
            style=f"padding:10px 14px;border-radius:20px;border:1px solid {pen.line}",
        )
        + pen.control(ground=ground, ink=readable(colour, ground, 4.6), size=14, style=pill)
        + "</div>"
    )
    return pen.panel(
        inner,
        width=width,
        ground=ground,
        style=f"padding:16px;border-radius:{_corner(pen, 22)}px;border:1px solid {pen.line};{SHADOW}",
    )


def coach_mark(pen: Pen, width: int) -> str:
    """A quiet hint of the app in a corner of its page, with words to tap instead of a button."""
    ground = pen.tint(pen.theme.accent, 0.08)
    ink = readable(pen.ink, ground, 7)
    soft = mix(ink, ground, 0.2)
    accent = readable(pen.theme.accent, ground, 4.6)
    inner = (
        f'<div style="display:flex;gap:8px;align-items:flex-start"><div style="padding-top:1px">{icon("sparkle", 16, accent)}</div>'
        '<div style="flex:1;min-width:0">'
        + pen.text("title", pen.content.title, 13.5, ink, ground, weight=600, style="line-height:1.3")
        + pen.text("body", pen.content.brief, 13, soft, ground, style="margin-top:2px;line-height:1.35")
        + pen.text("source", pen.content.source, 12, soft, ground, style="margin-top:3px")
        + f"</div>{pen.cross(ground=ground, size=12, pad=5) if pen.turn % 2 else ''}</div>"
        '<div style="display:flex;justify-content:flex-end;flex-wrap:wrap;gap:6px">'
        + ("" if pen.turn % 2 else pen.dismiss(ground=ground, ink=soft, size=13, style="padding:7px 6px"))
        + pen.control(ground=ground, ink=accent, size=13, style="padding:7px 6px")
        + "</div>"
    )
    style = f"padding:9px 10px 5px 12px;border-radius:{_corner(pen, 14)}px;border:1px solid {mix(ground, ink, 0.12)}"
    return pen.panel(inner, width=width, ground=ground, style=style)


STYLES: tuple[Style, ...] = (
    Style("alert_dialog", alert_dialog, ("center",), (312, 300, 320), ("back", "outside"), scrim=0.45),
    Style("bottom_sheet", bottom_sheet, ("bottom",), (0,), ("back", "outside", "swipe_down"), scrim=0.4),
    Style("permission_sheet", permission_sheet, ("center", "bottom_center"), (312, 328), ("back",), scrim=0.45, margin=12),
    Style("heads_up", heads_up, ("top_center",), (344, 336), ("back", "swipe_up"), brief=True, margin=8),
    Style("snackbar", snackbar, ("bottom_center",), (336, 344), ("back",), brief=True, margin=12),
    Style("app_banner", app_banner, ("bar",), (0,), ("back", "scroll"), brief=True),
    Style("update_card", update_card, ("center", "bottom_center"), (328, 320), ("back",), scrim=0.3, margin=14),
    Style("verify_card", verify_card, ("center",), (320, 328), ("back",), scrim=0.5),
    Style("system_panel", system_panel, ("top",), (0,), ("back", "outside", "swipe_up"), scrim=0.35),
    Style("floating_card", floating_card, ("free",), (324, 316), ("back",)),
    Style("assistant_bubble", assistant_bubble, ("bottom_center", "free"), (336, 324), ("back",), margin=16),
    Style("coach_mark", coach_mark, ("top_right", "bottom_left", "top_left", "bottom_right"), (272, 264, 280), ("back",), brief=True, margin=10),
)  # fmt: skip
