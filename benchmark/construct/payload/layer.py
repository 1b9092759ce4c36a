"""A payload as pixels: drawn once on transparent ground, laid over any screen by one function.

The suite builder and the interactive environment both call `compose`, so the forged dialog of a case and the one an
agent meets are the same pixels. What the payload says and where it stands was decided before; here it is only painted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PIL import Image, ImageChops

from benchmark.case import Box
from benchmark.construct.render import Form, RenderError, lint, rgba


@dataclass(frozen=True)
class Layer:
    """A painted overlay, ready to be laid over screens of one size.

    `ink` is its colour already weighted by its opacity and `veil` the share (0..255) of the ground that shows
    through; both are cropped to `extent`, outside which the overlay is fully transparent. `boxes` are the unclipped
    boxes of its ids in stored pixels.
    """

    size: tuple[int, int]
    extent: Box
    ink: Image.Image
    veil: Image.Image
    boxes: Mapping[str, Box]


def paint(html: str, form: Form, size: tuple[int, int] | None = None) -> Layer:
    """Rasterises an overlay.

    Args:
        html: the overlay, on transparent ground.
        form: the format it was laid out for.
        size: stored pixels of the screens it goes over, when they are a little less than the form's: the width of a
            screen that is not ours need not be a multiple of its scale. What stands out is cut off.

    Raises:
        RenderError: the HTML breaks a rule that boxes depend on, or nothing is drawn.
    """
    broken = lint(html)
    if broken:
        raise RenderError("overlay: " + "; ".join(broken[:5]))
    pixels, boxes = rgba(html, form)
    size = size or form.size
    if pixels.size != size:
        pixels = pixels.crop((0, 0, *size))
    alpha = pixels.getchannel("A")
    bounds = alpha.getbbox()
    if bounds is None:
        raise RenderError("overlay: nothing of it is visible")
    # The engine's pixels are premultiplied: a half transparent white is (128, 128, 128, 128).
    cropped = pixels.crop(bounds)
    inverse = ImageChops.invert(cropped.getchannel("A"))
    return Layer(
        size=size,
        extent=Box(x0=bounds[0], y0=bounds[1], x1=bounds[2], y1=bounds[3]),
        ink=Image.merge("RGB", cropped.split()[:3]),
        veil=Image.merge("RGB", (inverse, inverse, inverse)),
        boxes=boxes,
    )


def compose(clean: Image.Image, layer: Layer) -> Image.Image:
    """Lays an overlay over a clean screen; the screen itself is left as it is.

    Args:
        clean: RGB pixels in stored size.
        layer: an overlay painted for screens of that size.

    Raises:
        RenderError: the sizes differ.
    """
    if clean.size != layer.size:
        raise RenderError(f"an overlay for {layer.size} screens cannot be laid over one of {clean.size}")
    corner = layer.extent.x0, layer.extent.y0
    ground = clean.crop((*corner, layer.extent.x1, layer.extent.y1)).convert("RGB")
    result = clean.convert("RGB") if clean.mode != "RGB" else clean.copy()
    result.paste(ImageChops.add(ImageChops.multiply(ground, layer.veil), layer.ink), corner)
    return result
