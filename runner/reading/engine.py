"""Pixels to lines of text: the part of reading that runs in a worker process.

RapidOCR's two networks find and read the text; what surrounds them is made for screens. A screen is mostly empty, so
it is first cut along its empty rows and columns and only the filled regions are searched. A found line is cut at
wide gaps before it is read, so that the labels of a toolbar stay apart, and its box is drawn tight around the ink,
from which its letter height and its colours are estimated. Models are the ones that RapidOCR ships; nothing is
downloaded. Processes, caching and grouping are in the other modules of this package.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmark.case import Box
from runner.reading.lines import Colour, Line, Word, letter_height, reading_order
from runner.reading.settings import Settings

Pixels = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Rect = tuple[int, int, int, int]
Quad = NDArray[np.float32]
"""Four corners of a line, clockwise from its upper left: shape (4, 2), x before y."""

NET_STRIDE = 32


def search_scale(width: int, height: int, settings: Settings) -> float:
    """By how much an image is scaled before text is searched in it; 1 keeps it as it is."""
    longer = max(width, height)
    limit = settings.landscape_edge if width >= height else settings.portrait_edge
    if longer > limit:
        return limit / longer
    if longer < settings.small_edge:
        return min(2.0, settings.small_edge / longer)
    return 1.0


def _stretches(active: NDArray[Any], gap: int) -> list[tuple[int, int]]:
    """Half-open intervals of true values; those less than `gap` apart are one."""
    places = np.flatnonzero(active)
    if not len(places):
        return []
    breaks = np.flatnonzero(np.diff(places) > gap)
    starts = [int(places[0]), *(int(places[i + 1]) for i in breaks)]
    ends = [*(int(places[i]) + 1 for i in breaks), int(places[-1]) + 1]
    return list(zip(starts, ends))


def regions(grey: NDArray[np.uint8], gap: int, quiet: int) -> list[Rect]:
    """Cuts an image along its empty rows and columns, again and again, into the rectangles that hold something.

    A row is empty where no pixel differs from the one above it by more than `quiet` levels, so the plain ground of a
    card or a side bar is empty whatever its colour; columns likewise. Grain raises the threshold to eight times its
    median step. Cuts are made only where at least `gap` rows or columns in a row are empty.
    """
    levels = grey.astype(np.int16)
    down, right = np.abs(np.diff(levels, axis=0)), np.abs(np.diff(levels, axis=1))
    threshold = min(48, max(quiet, 8 * int(np.median(down)))) if down.size else quiet
    vertical, horizontal = np.zeros(grey.shape, bool), np.zeros(grey.shape, bool)
    vertical[1:], horizontal[:, 1:] = down > threshold, right > threshold
    found: list[Rect] = []
    open_: list[Rect] = [(0, 0, grey.shape[1], grey.shape[0])]
    while open_:
        x0, y0, x1, y1 = region = open_.pop()
        parts = [
            (x0 + a, y0 + top, x0 + b, y0 + bottom)
            for top, bottom in _stretches(np.any(vertical[y0:y1, x0:x1], axis=1), gap)
            for a, b in _stretches(np.any(horizontal[y0 + top : y0 + bottom, x0:x1], axis=0), gap)
        ]
        if parts == [region]:
            found.append(region)
        else:
            open_ += parts
    return sorted((r for r in found if r[2] - r[0] >= 3 and r[3] - r[1] >= 5), key=lambda r: (r[1], r[0]))


def _quad_crop(image: Pixels, quad: Quad) -> tuple[Pixels, Quad]:
    """The pixels in a quadrilateral, turned upright, and the quadrilateral that they really cover."""
    import cv2

    # A line that is twice as high as wide runs upwards; its first letter is at the lower left.
    if np.linalg.norm(quad[0] - quad[3]) >= 2 * np.linalg.norm(quad[0] - quad[1]):
        quad = quad[[1, 2, 3, 0]]
    width = round(max(np.linalg.norm(quad[0] - quad[1]), np.linalg.norm(quad[2] - quad[3])))
    height = round(max(np.linalg.norm(quad[0] - quad[3]), np.linalg.norm(quad[1] - quad[2])))
    width, height = max(1, width), max(1, height)
    level = np.ptp(quad[:2, 1]) <= 1.5 and np.ptp(quad[2:, 1]) <= 1.5
    if level:
        x0, y0 = (int(v) for v in np.maximum(0, np.floor(quad.min(axis=0))))
        x1, y1 = (int(v) for v in np.minimum(image.shape[1::-1], np.ceil(quad.max(axis=0))))
        return image[y0:y1, x0:x1], np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)
    upright = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(quad, upright)
    turned = cv2.warpPerspective(image, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(turned, np.uint8), quad


def ink_columns(crop: Pixels) -> Mask:
    """Which columns of a line hold ink: those whose middle rows differ among each other.

    The edge of a button or the border between two cells is even from top to bottom, so it does not count.
    """
    grey = crop.max(axis=2).astype(np.int16), crop.min(axis=2).astype(np.int16)
    height = crop.shape[0]
    core = slice(height // 6, max(height // 6 + 1, height - height // 6))
    spread = np.maximum(*(np.ptp(plane[core], axis=0) for plane in grey))
    return np.asarray(spread > max(16, 0.25 * float(spread.max())))


def ink_rows(crop: Pixels) -> Mask:
    """Which rows of a line hold ink: those whose pixels differ from left to right; a rule across the line does not."""
    spread = np.maximum(np.ptp(crop.max(axis=2), axis=1), np.ptp(crop.min(axis=2), axis=1)).astype(np.int16)
    return np.asarray(spread > max(16, 0.25 * float(spread.max())))


def main_rows(rows: Mask) -> tuple[int, int]:
    """First and one past the last row of the line itself; all rows when there is no ink.

    The longest stretch of inked rows is the letters. Dots and accents stand apart from it but inside the crop, while
    ink that touches the crop's edge belongs to the line above or below.
    """
    stretches = _stretches(rows, 1)
    if not stretches:
        return 0, len(rows)
    longest = max(stretches, key=lambda stretch: stretch[1] - stretch[0])
    reach = max(2, round(0.35 * (longest[1] - longest[0])))
    own = [
        (start, end)
        for start, end in stretches
        if (start, end) == longest
        or (start > 0 and end < len(rows) and start - longest[1] <= reach and longest[0] - end <= reach)
    ]
    return own[0][0], own[-1][1]


def colours(crop: Pixels) -> tuple[Colour, Colour]:
    """Ink and ground of a line: the ground is the commonest colour, the ink the median of what differs most from it."""
    flat = crop.reshape(-1, 3)
    bucket = (flat[:, 0].astype(np.int32) >> 4 << 8) | (flat[:, 1].astype(np.int32) >> 4 << 4) | (flat[:, 2] >> 4)
    ground = np.median(flat[bucket == np.bincount(bucket).argmax()], axis=0)
    distance = np.abs(flat - ground).max(axis=1)
    ink = np.median(flat[distance >= 0.8 * np.percentile(distance, 98)], axis=0)
    return _colour(ink), _colour(ground)


def _colour(values: NDArray[Any]) -> Colour:
    return int(values[0]), int(values[1]), int(values[2])


@dataclass(frozen=True)
class Piece:
    """A part of a found line, ready to be read.

    `crop` are its pixels with some air around; `box`, `ink_height` and the colours describe its ink. `columns` says
    which of the columns from `start` to `end` of the found line, `width` columns long, hold ink; `quad` is the found
    line and `rows` the share of its height that the ink spans: from these come the boxes of single words.
    """

    crop: Pixels
    quad: Quad
    columns: Mask
    start: int
    width: int
    rows: tuple[float, float]
    ink_height: float
    ink: Colour
    ground: Colour

    def box(self, first: int, last: int) -> Box:
        """The upright box in the image around the columns from `first` up to `last`, counted from `start`."""
        left, right = (self.start + first) / self.width, (self.start + last) / self.width
        upper, lower = self.quad[:2], self.quad[[3, 2]]
        corners = np.array(
            [
                above + (below - above) * down
                for across in (left, right)
                for above, below in [
                    (upper[0] + (upper[1] - upper[0]) * across, lower[0] + (lower[1] - lower[0]) * across)
                ]
                for down in self.rows
            ]
        )
        low, high = np.floor(corners.min(axis=0) + 0.01), np.ceil(corners.max(axis=0) - 0.01)
        return Box(x0=max(0, int(low[0])), y0=max(0, int(low[1])), x1=int(high[0]), y1=int(high[1]))

    def words(self, text: str) -> tuple[Word, ...]:
        """The boxes of the words of `text`: cut at as many of the widest gaps as the text has spaces.

        Where letters touch and gaps are too few, the line is shared out by number of characters.
        """
        tokens = text.split()
        bounds = word_bounds(self.columns, [len(token) for token in tokens])
        return tuple(Word(token, self.box(first, last)) for token, (first, last) in zip(tokens, bounds))


def word_bounds(columns: Mask, lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Half-open column intervals of words with `lengths` characters; see `Piece.words`."""
    stretches = _stretches(columns, 1)
    gaps = sorted(range(1, len(stretches)), key=lambda i: (stretches[i - 1][1] - stretches[i][0], i))
    wanted = len(lengths) - 1
    if len(gaps) < wanted:
        total, result, before = sum(lengths) + wanted, [], 0
        for length in lengths:
            result.append((before * len(columns) // total, max(1, (before + length) * len(columns) // total)))
            before += length + 1
        return result
    cuts = sorted(gaps[:wanted])
    starts, ends = [0, *cuts], [*cuts, len(stretches)]
    if not stretches:
        return [(0, len(columns))]
    return [(stretches[start][0], stretches[end - 1][1]) for start, end in zip(starts, ends)]


def pieces(image: Pixels, quad: Quad, split_gap: float) -> list[Piece]:
    """Cuts one found line at its wide gaps; `image` is RGB and `quad` in its pixels."""
    crop, quad = _quad_crop(image, quad)
    if crop.size == 0:
        return []
    height, width = crop.shape[:2]
    top, bottom = main_rows(ink_rows(crop))
    # Ink spans eight tenths of the font size on average, with or without a descender.
    size = (bottom - top) / 0.8
    columns = ink_columns(crop)
    found = []
    for start, end in _stretches(columns, max(3, round(split_gap * size))) or [(0, width)]:
        if end - start < 2:
            continue
        air = round(0.3 * size)
        part = crop[:, max(0, start - air) : min(width, end + air)]
        first, last = main_rows(ink_rows(part))
        ink, ground = colours(part[first:last])
        rows = (first / height, last / height)
        found.append(Piece(part, quad, columns[start:end], start, width, rows, float(last - first), ink, ground))
    return found


class Engine:
    """The two networks, loaded once; `read` turns pixels into lines.

    Raises:
        ImportError: rapidocr or onnxruntime is not installed.
    """

    def __init__(self, settings: Settings) -> None:
        import cv2
        import rapidocr
        from rapidocr.main import RapidOCRError

        cv2.setNumThreads(1)
        models = Path(rapidocr.__file__).parent / "models"
        self._nothing: type[Exception] = RapidOCRError
        self._settings = settings
        self._networks = rapidocr.RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.use_cls": False,
                "Global.use_vertical_padding": False,
                "Global.use_preprocess_img": False,
                # Named files, because a missing or changed default model would be fetched from the network.
                "Det.model_path": str(models / "PP-OCRv6_det_small.onnx"),
                "Det.limit_type": "max",
                "Det.limit_side_len": 100_000,
                "Rec.model_path": str(models / "PP-OCRv6_rec_small.onnx"),
                "Rec.rec_batch_num": settings.batch,
                # The second number is the least width that a batch is padded to; most labels are far narrower
                # than the default of 320, and padding is paid for like text.
                "Rec.rec_img_shape": [3, 48, 32],
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )

    def read(self, image: Pixels) -> list[Line]:
        """Reads an RGB image of shape (height, width, 3); lines come in reading order, boxes in its pixels."""
        found = [piece for quad in self._search(image) for piece in pieces(image, quad, self._settings.split_gap)]
        if not found:
            return []
        result: Any = self._networks.recognize_txt([np.ascontiguousarray(piece.crop[:, :, ::-1]) for piece in found])
        lines = [
            Line(
                text=text.strip(),
                box=piece.box(0, len(piece.columns)),
                confidence=round(float(score), 4),
                height_px=round(letter_height(text, piece.ink_height), 2),
                ink=piece.ink,
                ground=piece.ground,
                words=piece.words(text),
            )
            for piece, text, score in zip(found, result.txts, result.scores)
            if text.strip() and score >= self._settings.min_confidence
        ]
        return list(reading_order(lines))

    def _search(self, image: Pixels) -> list[Quad]:
        """Finds lines: quadrilaterals, corners clockwise from the upper left, in pixels of `image`."""
        import cv2

        height, width = image.shape[:2]
        scale = search_scale(width, height, self._settings)
        small = np.ascontiguousarray(image[:, :, ::-1])
        if scale != 1.0:
            method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
            small = np.asarray(cv2.resize(small, None, fx=scale, fy=scale, interpolation=method), np.uint8)
        grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)
        quads: list[Quad] = []
        margin = self._settings.margin
        for x0, y0, x1, y1 in regions(grey, self._settings.blank_gap, self._settings.quiet):
            x0, y0 = max(0, x0 - margin), max(0, y0 - margin)
            cut = small[y0 : y1 + margin, x0 : x1 + margin]
            # The network takes multiples of its stride; repeating the empty edge is better than stretching letters.
            below, beside = -cut.shape[0] % NET_STRIDE, -cut.shape[1] % NET_STRIDE
            padded = cv2.copyMakeBorder(cut, 0, below, 0, beside, cv2.BORDER_REPLICATE)
            try:
                _, found = self._networks.detect_and_crop(padded, {})
            except self._nothing:
                continue
            for quad in np.asarray(found.boxes, np.float32):
                inside = np.clip(quad, 0, [cut.shape[1], cut.shape[0]]) + np.array([x0, y0])
                quads.append(
                    np.asarray(inside * np.array([width / small.shape[1], height / small.shape[0]]), np.float32)
                )
        return quads
