"""The figures of a report, drawn with matplotlib as SVG and PNG.

Colours are those of Okabe and Ito, which people who see fewer colours tell apart; shapes, hatches and printed numbers
say the same again, so that a copy in black and white loses nothing. A figure is left out where there is nothing to
draw; a missing cell is drawn as missing, never as 0. What the numbers are is decided in `measures`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmark.case import SPATIAL_DOMAINS
from benchmark.statistics import mean_percent
from runner.report.collect import MODES, Data, Numbers, ReportError, Series
from runner.report.measures import Cell, Measures
from runner.report.render import inert
from runner.report.tables import named

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PINK = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7",
)  # fmt: skip
CONTROL_LOOKS: tuple[tuple[str, str], ...] = (
    (RED, "o"),
    (BLUE, "s"),
    (GREEN, "^"),
    (PINK, "D"),
    (BLACK, "v"),
    (ORANGE, "P"),
)
DOMAIN_LOOKS: tuple[tuple[str, str], ...] = ((BLUE, "o"), (ORANGE, "s"), (GREEN, "^"), (PINK, "D"), (SKY, "v"))
MODE_LOOKS = {
    "target_matched": (RED, ""), "grounding_error": (ORANGE, "///"), "schema_breakdown": (PINK, "xxx"),
    "task_disruption": (YELLOW, "..."), "attentional_bypass": (SKY, ""), "explicit_rejection": (BLUE, "\\\\\\"),
}  # fmt: skip
MOST_SCATTERED = 9
DPI = 150
GRID = (120, 72)
"""Cells of one screen in the scatter of clicks."""


def short(label: str, length: int = 30) -> str:
    """A label that leaves room for the figure."""
    label = inert(label)
    return label if len(label) <= length else label[: length - 1] + "…"


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _percent_axis(axis: Any, title: str) -> None:
    axis.set_xlim(0, 100)
    axis.set_xticks([0, 50, 100])
    axis.set_title(title, fontsize=9)
    # Lines in place of minor ticks and a grid: a tick is several artists, and there are many panels.
    axis.vlines(range(10, 101, 10), 0, 1, transform=axis.get_xaxis_transform(), color="0.9", linewidth=0.6, zorder=0)
    axis.tick_params(labelsize=8)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)


def _rows(axis: Any, subjects: Sequence[str]) -> None:
    axis.set_yticks(range(len(subjects)), [short(s) for s in subjects])
    axis.set_ylim(len(subjects) - 0.4, -0.6)


def _panels(
    measures: Measures, subjects: Sequence[str], row: float, extra: float, macro: bool
) -> tuple[Any, list[Any], list[str]]:
    """A row of panels with models as rows, one panel for each domain and one for the mean."""
    columns = [*measures.domains, "macro"] if macro and len(measures.domains) > 1 else list(measures.domains)
    margin = 0.085 * max((len(short(s)) for s in subjects), default=0)
    figure = _figure(max(4.6, margin + 0.6 + 1.55 * len(columns)), row * len(subjects) + extra)
    axes = figure.subplots(1, len(columns), sharey=True, squeeze=False)[0]
    for axis, name in zip(axes, columns):
        _percent_axis(axis, name)
    _rows(axes[0], subjects)
    return figure, list(axes), columns


def _arms(cell: Cell) -> tuple[float, float]:
    """How far the interval reaches to either side of the value; 0 where there is none."""
    if cell.value is None or cell.low is None or cell.high is None:
        return 0.0, 0.0
    value = float(cell.value)
    return max(0.0, value - cell.low), max(0.0, cell.high - value)


def _missing(axis: Any, y: float) -> None:
    axis.text(2, y, "n/a", va="center", ha="left", fontsize=7, color="0.35")


def _legend(figure: Any, handles: Sequence[Any], columns: int, title: str) -> None:
    """Below the panels: what their common axis shows, and what the looks mean."""
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=columns,
        fontsize=8,
        frameon=False,
        title=title,
        title_fontsize=8,
    )


def bars(data: Data, measures: Measures, base: str) -> Any | None:
    """ASR and SCR with their intervals, models by domain."""
    from matplotlib.patches import Patch

    subjects = [s for s in data.subjects() if data.get(s, base, "injected")]
    if not subjects:
        return None
    figure, axes, columns = _panels(measures, subjects, 0.42, 1.15, True)
    for axis, column in zip(axes, columns):
        for offset, metric, colour, hatch in ((-0.19, "asr", RED, ""), (0.19, "scr", SKY, "////")):
            known: list[tuple[float, float, float, float]] = []
            for y, subject in enumerate(subjects):
                series = data.get(subject, base, "injected")
                cell = measures.macro(series, metric) if column == "macro" else measures.rate(series, metric, column)
                if cell.value is None:
                    _missing(axis, y + offset)
                else:
                    known.append((y + offset, float(cell.value), *_arms(cell)))
            if known:
                where, lengths, below, above = zip(*known)
                axis.barh(
                    where, lengths, 0.36, color=colour, hatch=hatch, edgecolor="black", linewidth=0.5, xerr=(below, above),
                    error_kw={"elinewidth": 0.8, "capsize": 1.8, "ecolor": "black"},
                )  # fmt: skip
    handles = [
        Patch(facecolor=RED, edgecolor="black", label="ASR"),
        Patch(facecolor=SKY, hatch="////", edgecolor="black", label="SCR"),
    ]
    _legend(figure, handles, 2, f"% of cases, prompt {named(base)}; bars: 95 % interval")
    return figure


def heat_map(data: Data, measures: Measures, base: str) -> Any | None:
    """ASR by model and domain; the number stands in each cell."""
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    subjects = [s for s in data.subjects() if data.get(s, base, "injected")]
    if not subjects:
        return None
    columns = [*measures.domains, "macro"] if len(measures.domains) > 1 else list(measures.domains)
    grid = [
        [
            measures.macro(series, "asr") if c == "macro" else measures.rate(series, "asr", c)
            for c in columns
        ]
        for series in (data.get(s, base, "injected") for s in subjects)
    ]  # fmt: skip
    values = np.array([[np.nan if c.value is None else float(c.value) for c in row] for row in grid])
    margin = 0.085 * max(len(short(s)) for s in subjects)
    figure = _figure(max(4.2, margin + 1.4 + 0.85 * len(columns)), max(1.9, 0.42 * len(subjects) + 1.0))
    axis = figure.subplots()
    colours = colormaps["Oranges"]
    image = axis.imshow(values, cmap=colours, vmin=0, vmax=100, aspect="auto")
    for y, row in enumerate(grid):
        for x, cell in enumerate(row):
            if cell.value is None:
                axis.add_patch(
                    Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor="white", hatch="////", edgecolor="0.7", linewidth=0)
                )
                axis.text(x, y, "n/a", ha="center", va="center", fontsize=8, backgroundcolor="white")
                continue
            dark = float(cell.value) > 62
            mark = "*" if "incomplete" in cell.marks else ""
            axis.text(
                x,
                y,
                f"{cell.value:.1f}{mark}",
                ha="center",
                va="center",
                fontsize=8,
                color="white" if dark else "black",
            )
    axis.set_xticks(range(len(columns)), columns)
    axis.set_yticks(range(len(subjects)), [short(s) for s in subjects])
    axis.tick_params(labelsize=8, length=0)
    axis.set_xticks(np.arange(-0.5, len(columns)), minor=True)
    axis.set_yticks(np.arange(-0.5, len(subjects)), minor=True)
    axis.grid(which="minor", color="white", linewidth=1.5)
    axis.tick_params(which="minor", length=0)
    if len(columns) > 1:
        axis.axvline(len(columns) - 1.5, color="black", linewidth=1)
    bar = figure.colorbar(image, ax=axis, fraction=0.04, pad=0.02)
    bar.ax.tick_params(labelsize=7)
    more = "  (* not all cases scored)" if any("incomplete" in c.marks for row in grid for c in row) else ""
    axis.set_title(f"ASR %, prompt {named(base)}{more}", fontsize=9)
    return figure


def dumbbell(data: Data, measures: Measures, base: str) -> Any | None:
    """ASR under each control, joined by a line for each model."""
    from matplotlib.lines import Line2D

    controls = data.controls("injected")
    if len(controls) < 2:
        return None
    subjects = [s for s in data.subjects() if sum(data.get(s, c, "injected") is not None for c in controls) > 1]
    if not subjects:
        return None
    figure, axes, columns = _panels(measures, subjects, 0.34, 1.15, True)
    for axis, column in zip(axes, columns):
        for y, subject in enumerate(subjects):
            there: list[float] = []
            for place, (control, (colour, shape)) in enumerate(zip(controls, CONTROL_LOOKS)):
                series = data.get(subject, control, "injected")
                height = y + 0.16 * (place / (len(controls) - 1) - 0.5)  # so that equal rates do not hide each other
                cell = measures.macro(series, "asr") if column == "macro" else measures.rate(series, "asr", column)
                if cell.value is not None:
                    there.append(float(cell.value))
                    axis.plot(
                        float(cell.value),
                        height,
                        shape,
                        color=colour,
                        markersize=6,
                        markeredgecolor="black",
                        markeredgewidth=0.5,
                        zorder=3,
                        clip_on=False,
                    )
            if there:
                axis.plot([min(there), max(there)], [y, y], color="0.45", linewidth=1.4, zorder=2)
            else:
                _missing(axis, y)
    handles = [
        Line2D(
            [], [], marker=shape, color="none", markerfacecolor=colour, markeredgecolor="black", label=named(control)
        )
        for control, (colour, shape) in zip(controls, CONTROL_LOOKS)
    ]
    _legend(figure, handles, len(handles), "ASR %")
    return figure


def failure_stacks(data: Data, measures: Measures, base: str) -> Any | None:
    """Shares of failure modes, unweighted means over domains, one panel for each control."""
    from matplotlib.patches import Patch

    controls = data.controls("injected")
    subjects = [s for s in data.subjects() if any(data.get(s, c, "injected") for c in controls)]
    if not subjects:
        return None
    margin = 0.085 * max(len(short(s)) for s in subjects)
    figure = _figure(max(6.4, margin + 0.6 + 2.4 * len(controls)), 0.36 * len(subjects) + 1.5)
    axes = figure.subplots(1, len(controls), sharey=True, squeeze=False)[0]
    for axis, control in zip(axes, controls):
        _percent_axis(axis, f"prompt {named(control)}")
        for y, subject in enumerate(subjects):
            series = data.get(subject, control, "injected")
            shares = {m: _mean_share(measures, series, m) for m in MODE_LOOKS}
            if all(s is None for s in shares.values()):
                _missing(axis, y)
                continue
            left = 0.0
            for mode, (colour, hatch) in MODE_LOOKS.items():
                share = shares[mode] or 0.0
                axis.barh(y, share, 0.7, left=left, color=colour, hatch=hatch, edgecolor="black", linewidth=0.5)
                left += share
    _rows(axes[0], subjects)
    scores = {"target_matched": 5, "attentional_bypass": 1, "explicit_rejection": 1}
    handles = [
        Patch(facecolor=c, hatch=h, edgecolor="black", label=f"{m.replace('_', ' ')} ({scores.get(m, 3)})")
        for m, (c, h) in MODE_LOOKS.items()
    ]
    _legend(figure, handles, 3, "% of scored cases, mean over domains")
    return figure


def _mean_share(measures: Measures, series: Series | None, mode: str) -> float | None:
    """The mean over those domains that have scored cases."""
    assert mode in MODES
    known = [v for d in measures.domains if (v := measures.rate(series, f"mode:{mode}", d).value) is not None]
    mean = mean_percent(known)
    return None if mean is None else float(mean)


def asr_against_scr(data: Data, measures: Measures, base: str) -> Any | None:
    """The paper's third figure: each model and domain, and in large the macro means, numbered."""
    from matplotlib.lines import Line2D

    subjects = [s for s in data.subjects() if data.get(s, base, "injected")]
    if not subjects:
        return None
    figure = _figure(6.6, 4.6)
    axis = figure.subplots()
    axis.plot([0, 100], [0, 100], color="0.6", linewidth=0.8, linestyle="--", zorder=1)
    axis.text(97, 94, "SCR = ASR", rotation=45, rotation_mode="anchor", ha="right", va="top", fontsize=7, color="0.4")
    handles: list[Any] = []
    for domain, (colour, shape) in zip(measures.domains, DOMAIN_LOOKS):
        pairs = [
            (measures.rate(series, "asr", domain).value, measures.rate(series, "scr", domain).value)
            for series in (data.get(s, base, "injected") for s in subjects)
        ]
        there = [(float(a), float(s)) for a, s in pairs if a is not None and s is not None]
        if there:
            axis.plot(
                *zip(*there),
                shape,
                color=colour,
                markersize=5.5,
                alpha=0.8,
                markeredgecolor="black",
                markeredgewidth=0.4,
                linestyle="none",
                zorder=2,
            )
            handles.append(
                Line2D(
                    [], [], marker=shape, color="none", markerfacecolor=colour, markeredgecolor="black", label=domain
                )
            )
    handles += _numbered(axis, data, measures, base, subjects)
    axis.set_xlim(0, 100)
    axis.set_ylim(0, 101)
    axis.set_aspect("equal")
    axis.set_xlabel(f"ASR %, prompt {named(base)}", fontsize=8)
    axis.set_ylabel("SCR %", fontsize=8)
    axis.grid(color="0.92", linewidth=0.6)
    axis.tick_params(labelsize=8)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
    more = "; numbered: " + ("macro" if len(measures.domains) > 1 else "model")
    figure.legend(
        handles=handles,
        loc="outside right center",
        fontsize=8,
        frameon=False,
        title=f"small: by domain{more}",
        title_fontsize=7,
    )
    return figure


def _numbered(axis: Any, data: Data, measures: Measures, base: str, subjects: Sequence[str]) -> list[Any]:
    """Marks each model's macro mean, or its only domain, by a number.

    The numbers stand on a line of their own, so that none covers another.
    """
    from matplotlib.lines import Line2D

    handles, found = [], []
    for number, subject in enumerate(subjects, start=1):
        series = data.get(subject, base, "injected")
        several, only = len(measures.domains) > 1, measures.domains[0]
        a, s = (
            (measures.macro(series, m) if several else measures.rate(series, m, only)).value for m in ("asr", "scr")
        )
        there = a is not None and s is not None
        if a is not None and s is not None:
            found.append((float(a), float(s), number))
        handles.append(Line2D([], [], color="none", label=f"{number}  {short(subject)}{'' if there else ' (n/a)'}"))
    found.sort(key=lambda f: f[0] + f[1])
    # Distances along the diagonal; each number at least one step after the one before, the whole centred on its points.
    along = [p + q for p, q, _ in found]
    for i in range(1, len(along)):
        along[i] = max(along[i], along[i - 1] + 9)
    shift = sum(x - (p + q) for x, (p, q, _) in zip(along, found)) / max(1, len(found))
    for x, (left_of, top_of, number) in zip(along, found):
        # Far enough off the diagonal to clear the points, inside the axes at both ends.
        x = min(max(x - shift, 34.0), 166.0)
        left, top = x / 2 - 15, x / 2 + 15
        axis.plot([left_of, left], [top_of, top], color="black", linewidth=0.6, zorder=3)
        axis.plot(left_of, top_of, "o", color="white", markersize=5, markeredgecolor="black", zorder=4)
        axis.plot(left, top, "o", color="white", markersize=11, markeredgecolor="black", markeredgewidth=0.8, zorder=4)
        axis.text(left, top, str(number), ha="center", va="center_baseline", fontsize=7, zorder=5)
    return handles


def click_scatter(data: Data, measures: Measures, base: str) -> Any | None:
    """Where the first action of each reply points on the normalised screen, over all targets and planned elements.

    All screens stand in one pair of axes, each shifted to its place: dozens of axes would take longer to draw than all
    other figures together.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    domains = [d for d in measures.domains if d in SPATIAL_DOMAINS]
    drawn = [
        s
        for s in data.subjects()
        if (series := data.get(s, base, "injected")) is not None and not np.isnan(series.point).all()
    ]
    if not domains or not drawn or not any(data.cases.sizes):
        return None
    shown = drawn[:MOST_SCATTERED]
    # From one screen to the next; a screen is 1 wide and 0.6 high, and so many cells of the picture behind all of them.
    across, down, high = 1.05, 0.65, 0.6
    cells = GRID
    step = round(across * GRID[0]), round(down * GRID[0])
    picture = np.zeros((step[1] * len(shown), step[0] * len(domains), 4), np.uint8)
    figure = _figure(max(4.8, 1.3 + 2.4 * len(domains)), 1.0 + 2.4 * down / across * len(shown))
    axis = figure.subplots()
    looks = ((5, RED, "x", "in the target"), (3, BLACK, "+", "task lost"), (1, GREEN, "o", "task kept"))
    at: dict[int, list[Numbers]] = {score: [np.empty((0, 2))] for score, *_ in looks}
    frames = []
    for row, subject in enumerate(shown):
        series = data.get(subject, base, "injected")
        assert series is not None
        for column, domain in enumerate(domains):
            left, top = column * across, row * down
            frames.append(
                [(left, top), (left + 1, top), (left + 1, top + high), (left, top + high), (left, top)]
            )  # fmt: skip
            chosen = [
                int(i)
                for i in np.flatnonzero(measures.rows[domain] & measures.planned(series))
                if data.cases.sizes[int(i)]
            ]
            corner = row * step[1], column * step[0]
            picture[corner[0] : corner[0] + cells[1], corner[1] : corner[1] + cells[0]] = _boxes(data, chosen, cells)
            scores, where = series.score[chosen], _normalised(data, series, chosen)
            for score, found in at.items():
                found.append(where[(scores == score) & ~np.isnan(where[..., 0])] * (1, high) + (left, top))
    extent = (0, across * len(domains), down * len(shown), 0)
    axis.imshow(picture, extent=extent, aspect="auto", interpolation="nearest", zorder=1)
    for score, colour, shape, _ in looks:
        where = np.concatenate(at[score])
        hollow = {"facecolors": "none", "edgecolors": colour} if shape == "o" else {"color": colour}
        axis.scatter(where[:, 0], where[:, 1], s=9, marker=shape, linewidths=0.6, zorder=3, rasterized=True, **hollow)
    axis.add_collection(LineCollection(frames, colors="black", linewidths=0.8, zorder=4))
    axis.set_xlim(-0.01, across * (len(domains) - 1) + 1.01)
    axis.set_ylim(down * (len(shown) - 1) + high + 0.01, -0.01)
    axis.set_xticks([column * across + 0.5 for column in range(len(domains))], domains)
    axis.set_yticks([row * down + high / 2 for row in range(len(shown))], [short(s, 22) for s in shown])
    axis.xaxis.tick_top()
    axis.tick_params(length=0, labelsize=8)
    axis.set_frame_on(False)
    handles: list[Any] = [
        Line2D([], [], marker=shape, color=colour, linestyle="none", markerfacecolor="none", markersize=5, label=label)
        for _, colour, shape, label in looks
    ]
    handles += [
        Patch(facecolor=RED, alpha=0.4, label="targets"),
        Patch(facecolor=BLUE, alpha=0.4, label="planned elements"),
    ]
    more = f"; the first {len(shown)} of {len(drawn)} models" if len(drawn) > len(shown) else ""
    _legend(figure, handles, 5 if len(domains) > 1 else 3, f"first action of each reply, prompt {named(base)}{more}")
    return figure


def _normalised(data: Data, series: Series, chosen: Sequence[int]) -> Numbers:
    """The points of some cases' answers, by case and repeat; those off the screen are drawn on its edge."""
    sizes = np.array([data.cases.sizes[i] for i in chosen], dtype=np.float64).reshape(-1, 1, 2)
    return np.clip(series.point[chosen] / sizes, 0.0, 1.0)


def _boxes(data: Data, chosen: Sequence[int], grid: tuple[int, int]) -> Any:
    """Targets and planned elements of some cases as one picture; the more of them overlap, the fuller the colour."""
    from matplotlib.colors import to_rgb

    whole = np.zeros((grid[1], grid[0], 4))
    for boxes, colour in ((data.cases.references, BLUE), (data.cases.targets, RED)):
        depth = np.zeros((grid[1], grid[0]))
        for i in chosen:
            box, size = boxes[i], data.cases.sizes[i]
            if box is None or size is None:
                continue
            x0, x1 = (int(grid[0] * x / size[0]) for x in (box[0], box[2]))
            y0, y1 = (int(grid[1] * y / size[1]) for y in (box[1], box[3]))
            depth[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)] += 1
        if depth.any():
            alpha = np.where(depth > 0, 0.12 + 0.45 * depth / depth.max(), 0)
            whole[..., :3] = np.where((alpha > whole[..., 3])[..., None], to_rgb(colour), whole[..., :3])
            whole[..., 3] = np.maximum(whole[..., 3], alpha)
    return np.rint(255 * whole).astype(np.uint8)  # as numbers between 0 and 1 it would take eight times the memory


FIGURES: dict[str, tuple[str, Callable[[Data, Measures, str], Any | None]]] = {
    "figure3_asr_against_scr": ("ASR against SCR", asr_against_scr),
    "asr_and_scr": ("ASR and SCR with intervals", bars),
    "asr_heat_map": ("ASR by model and domain", heat_map),
    "controls": ("ASR under the prompt controls", dumbbell),
    "failure_modes": ("Failure modes", failure_stacks),
    "clicks": ("Where the replies point, on the normalised screen", click_scatter),
}


def draw(data: Data, measures: Measures, base: str, folder: Path) -> list[tuple[str, str]]:
    """Writes all figures that there is something for, as SVG and PNG; returns their names and titles.

    Raises:
        ReportError: the folder cannot be written.
    """
    from matplotlib import rc_context

    done = []
    settings: dict[Any, Any] = {
        "svg.hashsalt": "mma", "hatch.linewidth": 0.5, "font.family": "DejaVu Sans", "text.parse_math": False, "savefig.dpi": DPI,
    }  # fmt: skip
    with rc_context(settings):
        for name, (title, make) in FIGURES.items():
            figure = make(data, measures, base)
            if figure is None:
                continue
            # Laid out once for both forms; left in place, the engine would have each of them drawn twice.
            figure.get_layout_engine().execute(figure)
            figure.set_layout_engine(None)
            try:
                folder.mkdir(parents=True, exist_ok=True)
                figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
                figure.savefig(folder / f"{name}.png", metadata={"Software": None}, pil_kwargs={"compress_level": 4})
            except OSError as error:
                raise ReportError(
                    f"the figure {name} cannot be written to {folder}: {error.strerror or error}; choose another --out"
                ) from None
            done.append((name, title))
    return done
