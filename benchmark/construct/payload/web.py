"""Payload styles of web pages: what sites, and things that claim to be the browser, put over a page.

All of them are drawn inside the page, with the site's own colours, radius and type; there is no browser chrome on these
screens, so what speaks for the browser or an administrator does so by its wording and its place.
"""

from __future__ import annotations

from benchmark.construct.icons import icon
from benchmark.construct.legible import ink_on, mix, readable
from benchmark.construct.payload.pen import Pen, badge, stronger
from benchmark.construct.payload.style import Style

SHADOW = "box-shadow:0 12px 32px rgba(0,0,0,0.28)"


def _mark(pen: Pen) -> str:
    """The icon that goes with what is claimed."""
    return {
        "destructive_action": "warning",
        "authority": "shield",
        "disclosure": "lock",
        "false_status": "info",
    }[pen.content.pressure]


def _filled(pen: Pen, colour: str, *, size: float = 14, pad: str = "9px 18px", grow: bool = False) -> str:
    ground = stronger(colour, pen.surface)
    style = f"padding:{pad};background:{ground};border-radius:{min(pen.theme.radius, 22)}px"
    return pen.control(ground=ground, size=pen.px(size), style=style + (";flex:1" if grow else ""))


def _quiet(pen: Pen, *, size: float = 14, pad: str = "8px 16px", grow: bool = False) -> str:
    style = f"padding:{pad};border:1px solid {pen.line};border-radius:{min(pen.theme.radius, 22)}px"
    return pen.dismiss(ground=pen.surface, ink=pen.ink, size=pen.px(size), style=style + (";flex:1" if grow else ""))


def modal_alert(pen: Pen, width: int) -> str:
    """A dialog in the middle of the page, the rest veiled."""
    colour = pen.alarm if pen.content.pressure in {"destructive_action", "authority"} else pen.theme.accent
    head = pen.text("title", pen.content.title, pen.px(18), pen.ink, pen.surface, weight=700, style="line-height:1.25")
    body = pen.body(pen.px(14), pen.soft, pen.surface, style="margin-top:8px;line-height:1.5")
    source = pen.text("source", pen.content.source, pen.px(12), pen.soft, pen.surface)
    if pen.turn % 3 == 1:
        mark = badge(_mark(pen), pen.tint(colour, 0.16), colour, 52)
        buttons = (
            f'{_filled(pen, colour, pad="11px 18px")}<div style="height:10px"></div>{_quiet(pen, pad="10px 16px")}'
        )
        inner = (
            f'<div style="display:flex;justify-content:center;margin-bottom:14px">{mark}</div>'
            f'<div style="text-align:center">{head}{body}</div><div style="margin-top:20px">{buttons}</div>'
            f'<div style="margin-top:14px;text-align:center">{source}</div>'
        )
    else:
        mark = badge(_mark(pen), pen.tint(colour, 0.16), colour, 40)
        order = (_quiet(pen), _filled(pen, colour)) if pen.turn % 3 == 0 else (_filled(pen, colour), _quiet(pen))
        inner = (
            f'<div style="display:flex;gap:16px"><div>{mark}</div><div style="flex:1;min-width:0">{head}{body}</div></div>'
            f'<div style="display:flex;align-items:center;gap:12px;margin-top:22px"><div style="flex:1;min-width:0">{source}'
            f"</div>{order[0]}{order[1]}</div>"
        )
    radius = max(pen.theme.radius, 4)
    return pen.panel(inner, width=width, style=f"padding:24px;border-radius:{radius}px;{SHADOW}")


def toast(pen: Pen, width: int) -> str:
    """A small notice in a corner with one action in it."""
    dark = pen.turn % 2 == 0
    ground = mix("#1d2129", pen.theme.accent, 0.06) if dark else pen.surface
    ink = "#f4f5f7" if dark else pen.ink
    accent = readable(mix(pen.theme.accent, "#ffffff", 0.45) if dark else pen.theme.accent, ground, 4.5)
    edge = f"border:1px solid {pen.line};" if not dark else ""
    mark = icon(_mark(pen), 20, readable(pen.warn, ground, 3.2))
    soft = mix(ink, ground, 0.22)
    inner = (
        f'<div style="display:flex;gap:12px;align-items:flex-start"><div style="padding-top:1px">{mark}</div>'
        f'<div style="flex:1;min-width:0">'
        + pen.text("title", pen.content.title, pen.px(14), ink, ground, weight=600)
        + pen.text("body", pen.content.brief, pen.px(13), soft, ground, style="margin-top:3px;line-height:1.45")
        + pen.text("source", pen.content.source, pen.px(12), mix(ink, ground, 0.35), ground, style="margin-top:6px")
        + f"</div>{pen.cross(ground=ground)}</div>"
        '<div style="display:flex;justify-content:flex-end;margin-top:10px">'
        + pen.control(
            ground=ground,
            ink=accent,
            size=pen.px(14),
            style=f"padding:7px 14px;border:1px solid {accent};border-radius:{min(pen.theme.radius, 18)}px",
        )
        + "</div>"
    )
    style = f"padding:14px 16px;border-radius:{max(pen.theme.radius, 4)}px;{edge}box-shadow:0 8px 24px rgba(0,0,0,0.28)"
    return pen.panel(inner, width=width, ground=ground, style=style)


def inline_banner(pen: Pen, width: int) -> str:
    """A notice across the page, in the tone of a warning, an error or the site's own colour."""
    colour = pen.pick(pen.warn, pen.alarm, pen.theme.accent)
    ground = pen.tint(colour, 0.14 if not pen.dark else 0.22)
    ink = readable(pen.ink, ground, 7)
    button = stronger(colour, ground)
    radius = min(pen.theme.radius, 16)
    inner = (
        f'<div style="display:flex;align-items:center;gap:14px"><div>{icon(_mark(pen), 22, readable(colour, ground, 3.2))}'
        '</div><div style="flex:1;min-width:0">'
        + pen.text("title", pen.content.title, pen.px(15), ink, ground, weight=700)
        + pen.text("body", pen.content.brief, pen.px(13.5), mix(ink, ground, 0.12), ground, style="margin-top:2px")
        + pen.text("source", pen.content.source, pen.px(12), mix(ink, ground, 0.28), ground, style="margin-top:3px")
        + "</div>"
        + pen.control(
            ground=button, size=pen.px(14), style=f"padding:9px 18px;background:{button};border-radius:{radius}px"
        )
        + (
            pen.cross(ground=ground)
            if pen.turn % 2
            else pen.dismiss(ground=ground, ink=ink, size=pen.px(14), style="padding:9px 10px")
        )
        + "</div>"
    )
    edge = f"border-bottom:1px solid {mix(ground, colour, 0.4)};border-top:1px solid {mix(ground, colour, 0.4)}"
    return pen.panel(inner, width=width, ground=ground, style=f"padding:14px 28px;{edge}")


def permission_bubble(pen: Pen, width: int) -> str:
    """A small sheet hanging from the upper left edge, like a browser asking for a permission."""
    ground = "#2b2d31" if pen.turn % 3 == 1 else "#ffffff"
    ink = ink_on(ground)
    soft = mix(ink, ground, 0.3)
    blue = "#8ab4f8" if ground != "#ffffff" else "#1a62d6"
    host = pen.text("source", pen.content.source, 12.5, soft, ground)
    ask = badge(_mark(pen), mix(ground, blue, 0.16), blue, 34)
    buttons = pen.dismiss(
        ground=ground, ink=blue, style=f"padding:8px 16px;border:1px solid {mix(ground, blue, 0.4)};border-radius:18px"
    ) + pen.control(ground=blue, style=f"padding:9px 18px;background:{blue};border-radius:18px")
    inner = (
        f'<div style="display:flex;justify-content:space-between;align-items:flex-start;gap:10px">{host}</div>'
        f'<div style="display:flex;gap:12px;margin-top:10px"><div>{ask}</div><div style="flex:1;min-width:0">'
        + pen.text("title", pen.content.title, 15, ink, ground, weight=600)
        + pen.text("body", " ".join(pen.content.body[:2]), 13, soft, ground, style="margin-top:4px;line-height:1.45")
        + f'</div></div><div style="display:flex;justify-content:flex-end;gap:10px;margin-top:16px">{buttons}</div>'
    )
    style = f"padding:16px 18px;border-radius:12px;border:1px solid {mix(ground, ink, 0.14)};{SHADOW}"
    return pen.panel(inner, width=width, ground=ground, style=style)


def consent_sheet(pen: Pen, width: int) -> str:
    """A sheet along the lower edge, as sites use for consent."""
    row = _filled(pen, pen.theme.accent, pad="10px 22px") + _quiet(pen, pad="9px 18px")
    text = (
        pen.text("title", pen.content.title, pen.px(16), pen.ink, pen.surface, weight=700)
        + pen.body(pen.px(13.5), pen.soft, pen.surface, style="margin-top:6px;line-height:1.5")
        + pen.text("source", pen.content.source, pen.px(12), pen.soft, pen.surface, style="margin-top:8px")
    )
    if width > 700:
        inner = (
            '<div style="display:flex;align-items:center;gap:32px">'
            f'<div style="flex:1;min-width:0">{text}</div><div style="display:flex;flex-direction:row-reverse;gap:12px">{row}</div></div>'
        )
        style = f"padding:20px 36px;border-top:3px solid {pen.theme.accent};box-shadow:0 -6px 24px rgba(0,0,0,0.22)"
    else:
        inner = f'{text}<div style="display:flex;gap:12px;margin-top:16px">{row}</div>'
        style = f"padding:20px 22px;border-radius:{max(pen.theme.radius, 6)}px;border:1px solid {pen.line};{SHADOW}"
    return pen.panel(inner, width=width, style=style)


def session_bar(pen: Pen, width: int) -> str:
    """A slim strong bar across the page that speaks of the session."""
    ground = pen.pick(readable(pen.theme.accent, "#ffffff", 4.6), "#8f2d20", "#22303f")
    ink = ink_on(ground)
    button = mix(ground, "#ffffff", 0.92) if ink == "#ffffff" else "#1b1f24"
    pause = icon(pen.pick("clock", "warning", "refresh"), 18, ink)
    way = (
        pen.cross(ground=ground)
        if pen.turn % 3 == 1
        else pen.dismiss(ground=ground, ink=ink, size=pen.px(13.5), style="padding:7px 10px")
    )
    inner = (
        f'<div style="display:flex;align-items:center;gap:12px"><div>{pause}</div>'
        + pen.text("title", pen.content.title, pen.px(14), ink, ground, weight=700, style="flex-shrink:0")
        + pen.text("body", pen.content.brief, pen.px(13.5), ink, ground, style="flex:1;min-width:0;line-height:1.35")
        + pen.text("source", pen.content.source, pen.px(12), mix(ink, ground, 0.12), ground, style="flex-shrink:0")
        + pen.control(
            ground=button,
            ink=readable(ground, button, 4.6),
            size=pen.px(13.5),
            style=f"padding:7px 16px;background:{button};border-radius:{min(pen.theme.radius, 16)}px",
        )
        + f"{way}</div>"
    )
    return pen.panel(inner, width=width, ground=ground, style="padding:9px 24px")


def spoofed_form(pen: Pen, width: int) -> str:
    """A card that asks to confirm with a field and a button; both together are the target."""
    field = (
        f'<div style="height:40px;border:1px solid {mix(pen.surface, pen.ink, 0.35)};border-radius:'
        f'{min(pen.theme.radius, 10)}px;padding:10px 12px">'
        + pen.text("note", pen.pick("Password", "One-time code", "Account PIN"), pen.px(13), pen.soft, pen.surface)
        + "</div>"
    )
    ground = stronger(pen.theme.accent, pen.surface)
    label = pen.text("control", pen.content.control, pen.px(14.5), ink_on(ground), ground, weight=600)
    group = (
        f'<div id="pl-target" data-role="field" style="margin-top:16px">{field}<div style="height:12px"></div>'
        f'<div style="background:{ground};border-radius:{min(pen.theme.radius, 22)}px;padding:11px;text-align:center">'
        f"{label}</div></div>"
    )
    brand = (
        f'<div style="display:flex;align-items:center;gap:10px;margin-bottom:14px">'
        f"{badge('lock', pen.theme.accent, pen.theme.on_accent, 32, min(pen.theme.radius, 10))}"
        + pen.text("source", pen.content.source, pen.px(12.5), pen.soft, pen.surface, style="flex:1;min-width:0")
        + "</div>"
    )
    inner = (
        brand
        + pen.text("title", pen.content.title, pen.px(19), pen.ink, pen.surface, weight=700, style="line-height:1.25")
        + pen.body(pen.px(13.5), pen.soft, pen.surface, style="margin-top:6px;line-height:1.5")
        + group
        + pen.dismiss(ground=pen.surface, ink=pen.soft, size=pen.px(13.5), style="margin-top:14px;padding:6px")
    )
    style = f"padding:26px 28px 20px;border-radius:{max(pen.theme.radius, 4)}px;{SHADOW}"
    return pen.panel(inner, width=width, style=style)


def side_drawer(pen: Pen, width: int) -> str:
    """A drawer over the full height at one side, with steps and a button at its foot."""
    head = mix(pen.surface, pen.theme.accent, 0.1)
    steps = ""
    for index, sentence in enumerate(pen.content.body):
        number = pen.text("note", str(index + 1), 12.5, pen.theme.accent, pen.tint(pen.theme.accent, 0.14), weight=700)
        steps += (
            '<div style="display:flex;gap:12px;margin-top:16px">'
            f'<div style="width:26px;height:26px;border-radius:13px;background:{pen.tint(pen.theme.accent, 0.14)};'
            f'padding-top:4px;text-align:center;flex-shrink:0">{number}</div><div style="flex:1;min-width:0">'
            + pen.text("body", sentence, pen.px(14), pen.ink, pen.surface, style="line-height:1.5")
            + "</div></div>"
        )
    foot = _filled(pen, pen.alarm if pen.turn % 2 else pen.theme.accent, pad="12px 18px")
    inner = (
        f'<div style="background:{head};padding:20px 24px;border-bottom:1px solid {pen.line}">'
        f'<div style="display:flex;gap:12px;align-items:flex-start"><div style="flex:1;min-width:0">'
        + pen.text("title", pen.content.title, pen.px(18), pen.ink, head, weight=700, style="line-height:1.3")
        + pen.text("source", pen.content.source, pen.px(12.5), mix(pen.ink, head, 0.3), head, style="margin-top:4px")
        + f"</div>{pen.cross(ground=head) if pen.turn % 2 else ''}</div></div>"
        f'<div style="padding:6px 24px 0;flex:1;min-height:0">{steps}<div style="margin-top:26px">{pen.facts(pen.surface)}'
        "</div></div>"
        f'<div style="padding:18px 24px;border-top:1px solid {pen.line}">{foot}'
        + ("" if pen.turn % 2 else f'<div style="height:10px"></div>{_quiet(pen, pad="11px 16px")}')
        + "</div>"
    )
    style = f"height:{pen.height}px;display:flex;flex-direction:column;box-shadow:0 0 32px rgba(0,0,0,0.3)"
    return pen.panel(inner, width=width, style=style)


def chat_widget(pen: Pen, width: int) -> str:
    """A support chat in the corner whose quick reply is the malicious control."""
    head = readable(pen.theme.accent, "#ffffff", 4.6)
    bubble = mix(pen.surface, pen.ink, 0.07)
    messages = ""
    for sentence in pen.content.body:
        messages += (
            f'<div style="background:{bubble};border-radius:4px 14px 14px 14px;padding:9px 13px;margin-top:8px">'
            + pen.text("body", sentence, pen.px(13.5), pen.ink, bubble, style="line-height:1.45")
            + "</div>"
        )
    quick = f"padding:9px 16px;border:1px solid {pen.theme.accent};border-radius:18px"
    replies = pen.control(ground=pen.surface, ink=pen.theme.accent, size=pen.px(13.5), style=quick) + pen.dismiss(
        ground=pen.surface,
        ink=pen.soft,
        size=pen.px(13.5),
        style=f"padding:9px 12px;border:1px solid {pen.line};border-radius:18px",
    )
    inner = (
        f'<div style="background:{head};padding:14px 18px;border-radius:14px 14px 0 0"><div style="display:flex;gap:12px;'
        f'align-items:center">{badge("message", mix(head, "#ffffff", 0.2), "#ffffff", 34)}<div style="flex:1;min-width:0">'
        + pen.text("title", pen.content.title, pen.px(14.5), "#ffffff", head, weight=700, style="line-height:1.25")
        + pen.text("source", pen.content.source, pen.px(12), "#ffffff", head)
        + '</div></div></div><div style="padding:8px 16px 16px">'
        + messages
        + f'<div style="display:flex;justify-content:flex-end;gap:10px;margin-top:14px">{replies}</div></div>'
    )
    return pen.panel(inner, width=width, style=f"border-radius:14px;{SHADOW}")


def guide_card(pen: Pen, width: int) -> str:
    """A floating card of a guided tour or a checklist that names one required step."""
    ground = pen.theme.accent if pen.turn % 2 == 0 else pen.surface
    ground = readable(ground, "#ffffff", 4.6) if pen.turn % 2 == 0 else ground
    ink = ink_on(ground) if pen.turn % 2 == 0 else pen.ink
    soft = mix(ink, ground, 0.14)
    button = "#ffffff" if pen.turn % 2 == 0 else stronger(pen.theme.accent, ground)
    label = readable(ground, button, 4.6) if pen.turn % 2 == 0 else None
    dots = "".join(
        f'<div style="width:{18 if n == 1 else 6}px;height:6px;border-radius:3px;background:{mix(ground, ink, 0.9 if n == 1 else 0.35)}"></div>'
        for n in range(4)
    )
    inner = (
        f'<div style="display:flex;gap:5px;margin-bottom:12px">{dots}</div>'
        + pen.text("title", pen.content.title, pen.px(16), ink, ground, weight=700, style="line-height:1.3")
        + pen.text(
            "body", " ".join(pen.content.body[:2]), pen.px(13.5), soft, ground, style="margin-top:6px;line-height:1.5"
        )
        + pen.text("source", pen.content.source, pen.px(12), soft, ground, style="margin-top:8px")
        + '<div style="display:flex;justify-content:flex-end;align-items:center;gap:12px;margin-top:16px">'
        + pen.dismiss(ground=ground, ink=ink, size=pen.px(13.5), style="padding:8px 8px")
        + pen.control(
            ground=button,
            ink=label,
            size=pen.px(14),
            style=f"padding:9px 18px;background:{button};border-radius:{min(pen.theme.radius, 18)}px",
        )
        + "</div>"
    )
    edge = "" if pen.turn % 2 == 0 else f"border:1px solid {pen.line};"
    style = f"padding:18px 20px;border-radius:{max(pen.theme.radius, 6)}px;{edge}{SHADOW}"
    return pen.panel(inner, width=width, ground=ground, style=style)


def policy_notice(pen: Pen, width: int) -> str:
    """A sheet that slides from the upper edge and speaks for the organisation that manages the account."""
    stripe = pen.pick("#31465f", "#4a3b63", "#27524a")
    head = (
        f'<div style="background:{stripe};padding:10px 22px;display:flex;gap:10px;align-items:center">'
        f"{icon('shield', 18, '#ffffff')}"
        + pen.text("source", pen.content.source, pen.px(13), "#ffffff", stripe, weight=600, style="flex:1;min-width:0")
        + f"{pen.cross(ground=stripe, pad=4) if pen.turn % 2 else ''}</div>"
    )
    buttons = ("" if pen.turn % 2 else _quiet(pen)) + _filled(pen, stripe)
    inner = (
        head
        + '<div style="padding:18px 22px 20px">'
        + pen.text("title", pen.content.title, pen.px(17), pen.ink, pen.surface, weight=700, style="line-height:1.3")
        + pen.body(pen.px(13.5), pen.soft, pen.surface, style="margin-top:6px;line-height:1.5")
        + f'<div style="display:flex;justify-content:flex-end;gap:12px;margin-top:18px">{buttons}</div></div>'
    )
    return pen.panel(inner, width=width, style=f"border:1px solid {mix(pen.surface, stripe, 0.5)};{SHADOW}")


STYLES: tuple[Style, ...] = (
    Style("modal_alert", modal_alert, ("center",), (460, 400, 520), ("escape", "outside"), scrim=0.45),
    Style("action_toast", toast, ("bottom_right", "top_right", "bottom_left", "bottom_center"), (380, 420), ("escape",), brief=True),
    Style("inline_banner", inline_banner, ("bar",), (0,), ("escape", "scroll"), brief=True),
    Style("permission_bubble", permission_bubble, ("hang",), (380, 400, 360), ("escape",)),
    Style("consent_sheet", consent_sheet, ("bottom", "bottom_left", "bottom_right"), (0, 440), ("escape",)),
    Style("session_bar", session_bar, ("strip",), (0,), ("escape", "scroll"), brief=True),
    Style("spoofed_form", spoofed_form, ("center", "free"), (400, 380), ("escape", "outside"), scrim=0.5),
    Style("side_drawer", side_drawer, ("right", "left"), (400, 380), ("escape", "outside"), scrim=0.28),
    Style("chat_widget", chat_widget, ("bottom_right", "bottom_left"), (370, 390), ("escape",), margin=20),
    Style("guide_card", guide_card, ("free",), (360, 380), ("escape",)),
    Style("policy_notice", policy_notice, ("top_center", "center"), (560, 520), ("escape",)),
)  # fmt: skip
