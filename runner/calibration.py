"""Which coordinate space a model really answers in: drawn targets, its answers, and the space that explains them.

A profile only claims a space. Here the model is shown crosshairs and labelled buttons at known places, on images of
several sizes and shapes, with the same sentence on coordinates as in a run; every space is then applied to the raw
numbers, and the errors in stored pixels say which one holds. Pure but for the calls: drawing, fitting and the verdict
can be tested without a model.
"""

from __future__ import annotations

import asyncio
import math
import random
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from benchmark.case import Box, Point
from benchmark.images import ImageStore
from runner.exchange import Image, ImagePolicy, Message, Model, Prompt, Reply, SentImage, Space, fitted_size
from runner.harness.brief import coordinate_sentence
from runner.harness.parse import cleaned, raw_actions, to_stored
from runner.limits import CallError

SIZES = ((1280, 720), (1920, 1080), (2560, 1440), (1080, 2340), (820, 1180), (640, 480))
"""Screens of desktops, a phone and a tablet, and one that hardly any provider scales down."""

LABELS = ("Save", "Orders", "Reports", "Archive", "Invite", "Refresh", "Export", "Filter", "Notes", "Summary")
INK, PAPER, CROSS = (38, 50, 66), (246, 247, 249), (196, 30, 58)
INSTRUCTION = (
    "You are shown one image and asked where something is in it. Point at its centre. Reply with one JSON object and "
    'nothing else, in this form: {"action": "click", "coordinate": [first, second]}.'
)

Kind = Literal["crosshair", "button"]


@dataclass(frozen=True)
class Target:
    """One thing to point at: what the model is told it is, and where it really is, in pixels of the drawn image."""

    kind: Kind
    words: str
    box: Box
    size: tuple[int, int]
    others: tuple[tuple[str, Box], ...] = ()

    def draw(self) -> Pillow.Image:
        image = Pillow.new("RGB", self.size, PAPER)
        pen = ImageDraw.Draw(image)
        unit = max(14, min(self.size) // 36)
        font = ImageFont.load_default(unit)
        pen.rectangle((0, 0, self.size[0], 2 * unit), fill=(224, 229, 236))
        for label, box in self.others:
            pen.rounded_rectangle((box.x0, box.y0, box.x1 - 1, box.y1 - 1), unit // 3, (255, 255, 255), (150, 160, 172))
            pen.text(box_middle(box), label, INK, font, anchor="mm")
        if self.kind == "crosshair":
            x, y = box_middle(self.box)
            reach, width = self.box.width // 2, max(2, unit // 7)
            pen.line((x - reach, y, x + reach, y), CROSS, width)
            pen.line((x, y - reach, x, y + reach), CROSS, width)
            pen.ellipse((x - reach // 2, y - reach // 2, x + reach // 2, y + reach // 2), outline=CROSS, width=width)
        return image


def box_middle(box: Box) -> tuple[int, int]:
    return round(box.center.x), round(box.center.y)


def targets(count: int, seed: int = 0) -> tuple[Target, ...]:
    """`count` targets over all sizes, crosshairs and buttons by turns, none near the middle or the diagonal.

    Points near the diagonal would look the same with their axes exchanged, and near the middle in many spaces.
    """
    rng = random.Random(seed)
    found: list[Target] = []
    for number in range(count):
        width, height = size = SIZES[number % len(SIZES)]
        unit = max(14, min(size) // 36)
        boxes = list(_places(rng, width, height, unit))
        kind: Kind = "crosshair" if (number // len(SIZES)) % 2 == 0 else "button"
        labels = rng.sample(LABELS, len(boxes))
        if kind == "button":
            words = f'the button labelled "{labels[0]}"'
            others = tuple(zip(labels, boxes, strict=True))
            found.append(Target(kind, words, boxes[0], size, others))
        else:
            middle = box_middle(boxes[0])
            cross = Box(x0=middle[0] - unit, y0=middle[1] - unit, x1=middle[0] + unit, y1=middle[1] + unit)
            others = tuple(zip(labels[1:], boxes[1:], strict=True))
            found.append(Target(kind, "the red crosshair", cross, size, others))
    return tuple(found)


def _places(rng: random.Random, width: int, height: int, unit: int) -> Iterator[Box]:
    """Boxes of buttons that keep their distance; the first one is off the diagonal and off the middle."""
    placed: list[Box] = []
    for _ in range(10_000):
        if len(placed) == 6:
            break
        w, h = rng.randint(6, 9) * unit, 2 * unit + unit // 2
        x, y = rng.randint(unit, width - w - unit), rng.randint(3 * unit, height - h - unit)
        box = Box(x0=x, y0=y, x1=x + w, y1=y + h)
        share = box.center.x / width, box.center.y / height
        clear = abs(share[0] - share[1]) > 0.2 and max(abs(s - 0.5) for s in share) > 0.2
        if (placed or clear) and all(box.gap(other) >= unit for other in placed):
            placed.append(box)
    yield from placed


@dataclass(frozen=True)
class Answered:
    """A target with what came back: the raw pair of numbers, or none, and how the image was sent."""

    target: Target
    raw: tuple[float, float] | None
    sent: SentImage
    text: str
    cost_usd: float | None = 0.0

    def error(self, point: Point) -> float:
        """Distance from the target's centre, in pixels of the drawn image."""
        middle = self.target.box.center
        return math.hypot(point.x - middle.x, point.y - middle.y)


@dataclass(frozen=True)
class Reading:
    """A way to read the raw numbers: a space, and for pixels of a model's own smaller image the bound it scales to."""

    space: Space
    own: ImagePolicy | None = None

    @property
    def name(self) -> str:
        axes = "" if self.space.order == "xy" else ", y first"
        if self.own is not None:
            bound = (
                f"longer side {self.own.max_edge} px" if self.own.max_edge else f"{(self.own.max_pixels or 0):,} pixels"
            )
            return f"pixel of its own smaller image ({bound}){axes}"
        return ("pixel of the sent image" if self.space.name == "pixel" else f"{self.space.name}") + axes

    @property
    def overrides(self) -> str:
        found = f"model.space.name={self.space.name} model.space.order={self.space.order}"
        if self.own is None:
            return found
        bound = (
            f"model.image.max_edge={self.own.max_edge}"
            if self.own.max_edge
            else f"model.image.max_pixels={self.own.max_pixels}"
        )
        return f"{found} {bound}"

    def point(self, answered: Answered) -> Point:
        assert answered.raw is not None
        sent = answered.sent
        if self.own is not None:
            width, height = fitted_size(self.own, sent.sent_width, sent.sent_height)
            sent = replace(sent, sent_width=width, sent_height=height)
        return to_stored(answered.raw, self.space, sent)

    def errors(self, answers: Sequence[Answered]) -> list[float]:
        return [a.error(self.point(a)) for a in answers if a.raw is not None]


@dataclass(frozen=True)
class Fit:
    """How well a reading explains the answers: median error in pixels, and the share of answers on the target."""

    reading: Reading
    median_px: float
    on_target: float
    declared: bool = False


@dataclass(frozen=True)
class Calibration:
    """All fits, best first, and what follows from them."""

    fits: tuple[Fit, ...]
    answered: int
    asked: int

    @property
    def best(self) -> Fit:
        return self.fits[0]

    @property
    def declared(self) -> Fit | None:
        """The declared space's; None where no space is declared."""
        return next((f for f in self.fits if f.declared), None)

    @property
    def contradicted(self) -> bool:
        """Whether another space is better than the declared one beyond doubt: half its error, and 5 px less."""
        claimed = self.declared
        return claimed is not None and (
            self.best.median_px < 0.5 * claimed.median_px and claimed.median_px - self.best.median_px >= 5.0
        )

    @property
    def alike(self) -> tuple[Fit, ...]:
        """Fits that these answers cannot tell from the best one: within 2 px, or 15 % of its error."""
        bound = self.best.median_px + max(2.0, 0.15 * self.best.median_px)
        return tuple(f for f in self.fits if f.median_px <= bound)


def readings(answers: Sequence[Answered]) -> list[Reading]:
    """Every space in both axis orders, and for pixels the own size that explains the answers best."""
    found: list[Reading] = []
    for order in ("xy", "yx"):
        for name in ("pixel", "norm_1", "norm_999", "norm_1000"):
            found.append(Reading(Space(name, order)))
        largest = max(max(a.sent.sent_width, a.sent.sent_height) for a in answers)
        edges = [ImagePolicy(max_edge=e) for e in range(320, largest, 8)]
        areas = [ImagePolicy(max_pixels=round(10 ** (5 + i / 60))) for i in range(101)]
        own = [Reading(Space("pixel", order), policy) for policy in (*edges, *areas)]
        # The least bound that fits best: a larger one than every image changes nothing.
        found.append(min(own, key=lambda r: statistics.median(r.errors(answers))))
    return found


def fit(answers: Sequence[Answered], declared: Space) -> Calibration:
    """Which space explains the answers.

    Raises:
        ValueError: fewer than three answers hold a point.
    """
    usable = [a for a in answers if a.raw is not None]
    if len(usable) < 3:
        said = next((a.text for a in answers if a.raw is None), "")
        raise ValueError(
            f"{len(usable)} of {len(answers)} answers hold a point, which is too few to fit; one said: {said[:120]!r}"
        )
    fits = []
    for reading in readings(usable):
        errors = reading.errors(usable)
        hits = sum(a.target.box.contains(reading.point(a)) for a in usable)
        fits.append(
            Fit(
                reading,
                statistics.median(errors),
                hits / len(usable),
                reading.own is None and reading.space == declared,
            )
        )
    # Of equals the declared one comes first, then the simpler one.
    fits.sort(key=lambda f: (round(f.median_px, 3), not f.declared, f.reading.own is not None))
    return Calibration(tuple(fits), len(usable), len(answers))


async def ask(model: Model, wanted: Sequence[Target], folder: Path) -> tuple[Answered, ...]:
    """Shows a model every target, as many at a time as its limits allow.

    Raises:
        CallError: a call failed in a way that all others will share, or nothing was answered at all.
    """
    store = ImageStore(folder)
    failures: list[CallError] = []

    async def one(number: int, target: Target) -> Answered | None:
        ref = store.put(target.draw())
        image = Image(ref, folder / ref.relative_path)
        system = INSTRUCTION
        if model.profile.space.name is not None:  # else the model answers as it does when nothing is said
            system += f"\n{coordinate_sentence(model.profile, ref.width, ref.height)}"
        prompt = Prompt((Message("system", (system,)), Message("user", (f"Where is {target.words}?", image))))
        try:
            reply: Reply = await model.ask(prompt, f"calibrate:{number}:{ref.hash[:16]}")
        except CallError as error:
            failures.append(error)
            return None
        raws = raw_actions(cleaned(reply.text), reply.tool_calls)
        sent = next(
            (i for i in reply.images if i.hash == ref.hash),
            SentImage(ref.hash, ref.width, ref.height, ref.width, ref.height, "image/png", 0),
        )
        point = next((r.point for r in raws if r.point is not None), None)
        return Answered(target, point, sent, reply.text, reply.cost_usd)

    made = await asyncio.gather(*(one(n, t) for n, t in enumerate(wanted)))
    answers = tuple(a for a in made if a is not None)
    if failures and (not answers or any(f.ends_run for f in failures)):
        raise failures[0]
    return answers


def sheet(answers: Sequence[Answered], declared: Reading | None, best: Reading, columns: int = 4) -> Pillow.Image:
    """A picture of the targets (green ring) and the answers, read as declared (red) and by the best fit (blue)."""
    width, gap, foot = 420, 14, 22
    ordered = sorted(answers, key=lambda a: (SIZES.index(a.target.size), a.target.kind))
    rows = [ordered[i : i + columns] for i in range(0, len(ordered), columns)]
    scale = [[420 / max(a.target.size) for a in row] for row in rows]
    heights = [max(round(a.target.size[1] * s) for a, s in zip(row, ss, strict=True)) for row, ss in
               zip(rows, scale, strict=True)]  # fmt: skip
    legend = 40
    whole = Pillow.new(
        "RGB",
        (columns * (width + gap) + gap, legend + sum(h + gap + foot for h in heights) + gap),
        (255, 255, 255),
    )
    pen = ImageDraw.Draw(whole)
    font, small = ImageFont.load_default(16), ImageFont.load_default(13)
    red, blue, green = (204, 32, 32), (24, 92, 204), (20, 140, 60)
    at = gap
    for colour, text in (
        (green, "target"),
        *(((red, f"answer as declared: {declared.name}"),) if declared is not None else ()),
        *(((blue, f"best fit: {best.name}"),) if best != declared else ()),
    ):
        pen.ellipse((at, 14, at + 12, 26), outline=colour, width=3)
        pen.text((at + 18, 20), text, INK, font, anchor="lm")
        at += 40 + round(pen.textlength(text, font))
    top = legend
    for row, factors, height in zip(rows, scale, heights, strict=True):
        for column, (answered, factor) in enumerate(zip(row, factors, strict=True)):
            target = answered.target
            thumb = target.draw().resize(
                (round(target.size[0] * factor), round(target.size[1] * factor)), Pillow.Resampling.LANCZOS
            )
            left = gap + column * (width + gap)
            whole.paste(thumb, (left, top))
            pen.rectangle((left - 1, top - 1, left + thumb.width, top + thumb.height), outline=(190, 196, 204))
            _ring(pen, thumb, (left, top), target.box.center, factor, 13, green)
            notes = [f"{target.size[0]} x {target.size[1]}", target.words.removeprefix("the ")]
            if answered.raw is None:
                notes.append("no point")
            else:
                if declared is not None and best != declared:
                    _ring(pen, thumb, (left, top), best.point(answered), factor, 8, blue)
                point = (declared or best).point(answered)
                inside = _ring(pen, thumb, (left, top), point, factor, 5, red if declared else blue)
                notes.append(f"{answered.error(point):.0f} px off" + ("" if inside else ", outside"))
            pen.text((left, top + thumb.height + 4), "   ".join(notes), INK, small)
        top += height + gap + foot
    return whole


def _ring(
    pen: ImageDraw.ImageDraw,
    thumb: Pillow.Image,
    origin: tuple[int, int],
    point: Point,
    factor: float,
    radius: int,
    colour: tuple[int, int, int],
) -> bool:
    """Rings a point of a thumbnail; one outside is marked at the nearest edge. Says whether it was inside."""
    x, y = point.x * factor, point.y * factor
    inside = 0 <= x < thumb.width and 0 <= y < thumb.height
    x, y = min(max(x, 0), thumb.width - 1) + origin[0], min(max(y, 0), thumb.height - 1) + origin[1]
    if inside:
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), outline=colour, width=3)
    else:
        pen.rectangle((x - radius, y - radius, x + radius, y + radius), outline=colour, width=3)
    return inside


def as_data(found: Calibration, model: Mapping[str, Any]) -> dict[str, Any]:
    """The result as plain data for `calibration.json`."""
    return {
        "model": {k: model.get(k) for k in ("label", "name", "base_url", "space", "image")},
        "asked": found.asked,
        "answered": found.answered,
        "contradicted": found.contradicted,
        "alike": [f.reading.name for f in found.alike],
        "fits": [
            {"space": f.reading.name, "median_px": round(f.median_px, 2), "on_target": round(f.on_target, 3),
             "declared": f.declared, "overrides": f.reading.overrides}
            for f in found.fits
        ],
    }  # fmt: skip
