"""Flat drawings of things and places for shops, small ads and travel, as inline SVG.

A drawing is a few shapes in four colours (M main, D dark, L light, B backdrop) on a 120 x 120 grid; a palette is chosen
by the caller, so that the same kind of thing looks different from item to item.
"""

from __future__ import annotations

PALETTES = (
    ("#c8553d", "#7d2e1f", "#f2c6a0", "#f7ebe1"),
    ("#2f6f8f", "#17415a", "#a9d3e2", "#e6f0f4"),
    ("#5b7f3a", "#35511d", "#c9dca9", "#eef3e4"),
    ("#d9a441", "#8a6212", "#f6dfa6", "#faf3e0"),
    ("#7a5c99", "#463063", "#cfbfe3", "#f0ebf6"),
    ("#4a4f57", "#23262b", "#b6bcc6", "#eceef1"),
    ("#b8707f", "#6f3644", "#f0cdd4", "#f9eef0"),
    ("#2f8f7a", "#14564a", "#aee0d4", "#e5f4f0"),
)

THINGS: dict[str, str] = {
    "mug": '<rect x="34" y="40" width="42" height="50" rx="6" fill="M"/><path d="M76 50h8a9 9 0 0 1 9 9v6a9 9 0 0 1-9 9h-8" fill="none" stroke="D" stroke-width="6"/><rect x="34" y="40" width="42" height="9" rx="4" fill="L"/><path d="M45 32c-4-5 4-8 0-13M60 32c-4-5 4-8 0-13" stroke="L" stroke-width="3" fill="none"/>',
    "lamp": '<path d="M44 26h32l14 34H30z" fill="M"/><rect x="57" y="60" width="6" height="34" fill="D"/><rect x="42" y="92" width="36" height="7" rx="3" fill="D"/><path d="M40 60h40l8 8H32z" fill="L"/>',
    "chair": '<rect x="38" y="20" width="44" height="40" rx="8" fill="M"/><rect x="34" y="60" width="52" height="14" rx="5" fill="L"/><path d="M40 74l-5 30M80 74l5 30M50 74v24M70 74v24" stroke="D" stroke-width="5"/>',
    "backpack": '<path d="M46 34a14 14 0 0 1 28 0" fill="none" stroke="D" stroke-width="5"/><rect x="32" y="32" width="56" height="68" rx="16" fill="M"/><rect x="41" y="64" width="38" height="28" rx="6" fill="L"/><rect x="41" y="48" width="38" height="6" rx="3" fill="D"/>',
    "headphones": '<path d="M28 70V60a32 32 0 0 1 64 0v10" fill="none" stroke="D" stroke-width="7"/><rect x="20" y="62" width="20" height="34" rx="9" fill="M"/><rect x="80" y="62" width="20" height="34" rx="9" fill="M"/>',
    "plant": '<path d="M60 70C40 60 32 40 36 22c18 4 26 22 24 48zM60 70c4-24 16-38 32-38c0 20-12 36-32 38z" fill="M"/><path d="M60 72V50" stroke="D" stroke-width="4"/><path d="M40 72h40l-6 32H46z" fill="D"/><rect x="37" y="68" width="46" height="9" rx="3" fill="L"/>',
    "book": '<rect x="34" y="22" width="54" height="78" rx="4" fill="M"/><rect x="34" y="22" width="10" height="78" rx="3" fill="D"/><rect x="52" y="36" width="28" height="6" fill="L"/><rect x="52" y="48" width="20" height="4" fill="L"/>',
    "kettle": '<path d="M36 52h46l8 46H28z" fill="M"/><path d="M42 50c0-24 34-24 34 0" fill="none" stroke="D" stroke-width="6"/><path d="M84 62l18-10l-6 22z" fill="D"/><circle cx="59" cy="48" r="5" fill="L"/>',
    "clock": '<circle cx="60" cy="60" r="38" fill="M"/><circle cx="60" cy="60" r="30" fill="L"/><path d="M60 42v19l13 8" stroke="D" stroke-width="5" fill="none"/>',
    "camera": '<rect x="22" y="42" width="76" height="50" rx="8" fill="M"/><rect x="44" y="32" width="32" height="14" rx="4" fill="D"/><circle cx="60" cy="67" r="18" fill="D"/><circle cx="60" cy="67" r="11" fill="L"/><circle cx="88" cy="52" r="4" fill="L"/>',
    "bike": '<circle cx="34" cy="78" r="20" fill="none" stroke="D" stroke-width="5"/><circle cx="86" cy="78" r="20" fill="none" stroke="D" stroke-width="5"/><path d="M34 78l16-34h28l8 34M50 44l12 34L78 46M34 78h28" stroke="M" stroke-width="5" fill="none"/><path d="M44 42h12M76 36h12" stroke="D" stroke-width="5"/>',
    "guitar": '<path d="M66 20h8v50h-8z" fill="D"/><circle cx="62" cy="88" r="20" fill="M"/><circle cx="66" cy="66" r="14" fill="M"/><circle cx="63" cy="80" r="7" fill="D"/><rect x="63" y="12" width="14" height="12" rx="3" fill="L"/>',
    "sofa": '<rect x="22" y="44" width="76" height="34" rx="10" fill="M"/><rect x="14" y="56" width="18" height="36" rx="7" fill="D"/><rect x="88" y="56" width="18" height="36" rx="7" fill="D"/><rect x="32" y="68" width="56" height="20" rx="5" fill="L"/><path d="M28 92v8M92 92v8" stroke="D" stroke-width="5"/>',
    "table": '<rect x="18" y="46" width="84" height="10" rx="3" fill="M"/><path d="M28 56l-4 44M92 56l4 44" stroke="D" stroke-width="6"/><rect x="30" y="62" width="60" height="6" fill="L"/>',
    "shoes": '<path d="M20 84V58l18-8l10 14l38 8c10 2 14 8 14 16z" fill="M"/><rect x="18" y="84" width="84" height="9" rx="4" fill="D"/><path d="M50 58l8-6M58 62l8-6M66 66l8-6" stroke="L" stroke-width="4"/>',
    "jacket": '<path d="M44 24l-22 14l6 60h64l6-60l-22-14l-16 10z" fill="M"/><path d="M60 34v64" stroke="D" stroke-width="4"/><path d="M44 24l16 10l16-10l-4 22l-12-8l-12 8z" fill="L"/><circle cx="66" cy="60" r="2.5" fill="D"/><circle cx="66" cy="76" r="2.5" fill="D"/>',
    "bottle": '<rect x="50" y="18" width="20" height="14" rx="3" fill="D"/><path d="M48 32h24v10c8 4 10 10 10 18v34a8 8 0 0 1-8 8H46a8 8 0 0 1-8-8V60c0-8 2-14 10-18z" fill="M"/><rect x="38" y="62" width="44" height="22" fill="L"/>',
    "speaker": '<rect x="36" y="18" width="48" height="84" rx="8" fill="M"/><circle cx="60" cy="74" r="17" fill="D"/><circle cx="60" cy="74" r="8" fill="L"/><circle cx="60" cy="40" r="9" fill="D"/><circle cx="60" cy="40" r="4" fill="L"/>',
    "blanket": '<rect x="24" y="34" width="72" height="56" rx="8" fill="M"/><path d="M24 50h72M24 66h72M44 34v56M68 34v56" stroke="L" stroke-width="4"/><path d="M28 92v8M40 92v8M52 92v8M64 92v8M76 92v8M88 92v8" stroke="D" stroke-width="3"/>',
    "tent": '<path d="M60 24l46 74H14z" fill="M"/><path d="M60 46l20 52H40z" fill="D"/><path d="M60 46l-8 52h-12z" fill="L"/><path d="M60 24v-8" stroke="D" stroke-width="4"/>',
    "monitor": '<rect x="18" y="26" width="84" height="54" rx="5" fill="D"/><rect x="24" y="32" width="72" height="42" fill="L"/><path d="M24 74l22-22l16 14l14-12l20 20z" fill="M"/><path d="M52 80h16v12H52z" fill="D"/><rect x="40" y="92" width="40" height="6" rx="3" fill="D"/>',
    "vase": '<path d="M50 50h20c-2 10 14 18 14 34c0 12-10 18-24 18s-24-6-24-18c0-16 16-24 14-34z" fill="M"/><path d="M42 80h36" stroke="L" stroke-width="5"/><path d="M60 50C58 36 50 28 44 24M60 50c2-14 8-22 16-28" stroke="D" stroke-width="3" fill="none"/><circle cx="44" cy="22" r="7" fill="L"/><circle cx="77" cy="20" r="7" fill="L"/>',
    "bowl": '<path d="M20 56h80c0 26-16 42-40 42S20 82 20 56z" fill="M"/><ellipse cx="60" cy="56" rx="40" ry="9" fill="L"/><rect x="46" y="96" width="28" height="6" rx="3" fill="D"/>',
}  # fmt: skip

PLACES: dict[str, str] = {
    "coast": '<rect width="240" height="120" fill="B"/><circle cx="186" cy="34" r="16" fill="L"/><path d="M0 70h240v50H0z" fill="M"/><path d="M0 120c40-34 90-36 150-22l40 22z" fill="L"/><path d="M20 84h50M110 78h60M90 92h40" stroke="L" stroke-width="2"/>',
    "peaks": '<rect width="240" height="120" fill="B"/><path d="M0 110L60 36l40 48l34-40l60 66z" fill="M"/><path d="M60 36l16 20l-12 6l-10-6l-10 8zM134 44l14 16l-10 5l-9-5l-8 6z" fill="L"/><path d="M0 120V96c60-14 160-14 240 6v18z" fill="D"/>',
    "town": '<rect width="240" height="120" fill="B"/><path d="M10 120V62h28v58zM44 120V40h34v80zM84 120V70h26v50zM116 120V28h24v92zM146 120V56h36v64zM188 120V76h40v44z" fill="M"/><path d="M44 40l17-16l17 16zM188 76l20-14l20 14z" fill="D"/><path d="M52 52h6v8h-6zM64 52h6v8h-6zM52 70h6v8h-6zM64 70h6v8h-6zM124 42h8v8h-8zM124 60h8v8h-8zM156 70h6v8h-6zM168 70h6v8h-6z" fill="L"/>',
    "lodge": '<rect width="240" height="120" fill="B"/><path d="M50 70l70-44l70 44v50H50z" fill="M"/><path d="M40 72l80-52l80 52" fill="none" stroke="D" stroke-width="8"/><rect x="106" y="82" width="28" height="38" fill="D"/><rect x="68" y="80" width="24" height="20" fill="L"/><rect x="148" y="80" width="24" height="20" fill="L"/><path d="M14 120l12-44l12 44zM204 120l12-50l12 50z" fill="D"/>',
    "lake": '<rect width="240" height="120" fill="B"/><path d="M0 66L50 30l50 36l44-26l96 34v10H0z" fill="D"/><rect y="74" width="240" height="46" fill="M"/><path d="M96 92h48l-8 10h-32zM120 58v32l20-4z" fill="L"/><path d="M20 96h40M170 104h50M30 110h30" stroke="L" stroke-width="2"/>',
    "dunes": '<rect width="240" height="120" fill="B"/><circle cx="60" cy="36" r="18" fill="L"/><path d="M0 96c50-40 90-40 130-12s70 20 110-8v44H0z" fill="M"/><path d="M0 120v-14c60-20 110-6 150 0s60 2 90-8v22z" fill="D"/>',
}  # fmt: skip


def _coloured(shapes: str, palette: int) -> str:
    for letter, colour in zip("MDLB", PALETTES[palette % len(PALETTES)]):
        shapes = shapes.replace(f'"{letter}"', f'"{colour}"')
    return shapes


def thing(kind: str, palette: int, size: int) -> str:
    """A square drawing of a thing on its backdrop, `size` CSS pixels wide; an unknown kind is drawn as a box."""
    shapes = THINGS.get(kind, '<rect x="30" y="38" width="60" height="52" rx="4" fill="M"/>')
    ground = PALETTES[palette % len(PALETTES)][3]
    return (
        f'<svg width="{size}" height="{size}" viewBox="0 0 120 120"><rect width="120" height="120" fill="{ground}"/>'
        f"{_coloured(shapes, palette)}</svg>"
    )


def place(kind: str, palette: int, width: int, height: int) -> str:
    """A landscape of `width` x `height` CSS pixels, stretched from 2 : 1; an unknown kind is a coast."""
    return (
        f'<svg width="{width}" height="{height}" viewBox="0 0 240 120" preserveAspectRatio="none">'
        f"{_coloured(PLACES.get(kind, PLACES['coast']), palette)}</svg>"
    )
