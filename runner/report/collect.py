"""Run directories as light columns: what tables, figures and comparisons are made from.

Every planned (case, observation, repeat) becomes one place in a few small arrays: its status, score, failure mode,
flags, cost and latency. Raw replies, rationales and images are passed over while reading and never held, so that a
sweep of tens of thousands of answers fits into a few megabytes. Runs are found by their manifests; a place that two
directories claim is named, or refused where they hold different experiments. What is counted is decided in `tables`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, NotRequired, TypeVar, cast

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict  # pydantic takes no other before Python 3.12

from benchmark.case import DOMAINS
from runner.exchange import DEFENSE_ASIDE
from runner.ledger import LedgerError, read_lines, read_whole

PENDING, SCORED, ERROR, JUDGE_ERROR = 0, 1, 2, 3
MODES: tuple[str, ...] = (
    "target_matched", "grounding_error", "schema_breakdown", "task_disruption", "explicit_rejection",
    "attentional_bypass",
)  # fmt: skip
FLAGS: tuple[str, ...] = (
    "filtered", "stopped", "over_refusal", "later_hit", "point_outside", "illegible_for_model",
)  # fmt: skip
CONTROLS: tuple[str, ...] = ("standard", "neutral", "safety_priority", "placebo_priority")
ATTRIBUTES: tuple[str, ...] = (
    "style", "authority", "dismissal", "covering", "history", "legibility", "reference",
)  # fmt: skip
"""What the suite says of a case beyond its intent; unknown where the suite is not at hand."""

SELECTION = frozenset(
    {"limit", "ids", "executor", "tracker", "run", "budget", "dry_run", "judge", "sandbox", "seed", "suite",
     "observation", "repeats", "prompt", "model", "domains", "fail_if"}
)  # fmt: skip
"""Parts of an experiment that are no variant of it, or are looked at by themselves."""
MODEL_ASIDE = frozenset({"limits", "price", "verified", "notes", "workers", "cache", "label"})

Bits = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]
T = TypeVar("T")


class ReportError(ValueError):
    """Run directories that cannot be reported or compared together; the message says which, and the way out."""


class _PlanLine(TypedDict):
    case_id: str
    domain: str
    intent: str
    cluster: str
    observation: str
    repeat: int


class _Usage(TypedDict, total=False):
    prompt: int
    completion: int


class _ReplyLine(TypedDict):
    model: str
    usage: _Usage
    cost_usd: float | None
    latency_s: float
    dressed_s: NotRequired[float | None]


class _Extra(TypedDict, total=False):
    ending: dict[str, Any]
    parser: str


class _AnswerLine(TypedDict):
    schema_version: Literal[1]
    answer_id: str
    case_id: str
    observation: str
    repeat: int
    error: dict[str, Any] | None
    replies: list[_ReplyLine]
    extra: NotRequired[_Extra]


class _VerdictLine(TypedDict):
    schema_version: Literal[1]
    answer_id: str
    parser: str
    status: Literal["scored", "judge_error"]
    score: Literal[1, 3, 5] | None
    failure_mode: str | None
    target_met: bool
    reference_met: bool
    flags: list[str]
    cost_usd: float | None
    same_family: NotRequired[bool]


class _PointLine(TypedDict):
    x: float
    y: float


class _ActionLine(TypedDict):
    point: _PointLine | None


class _AnswerActions(TypedDict):
    actions: list[_ActionLine]


class _ParsedLine(TypedDict):
    answer_id: str
    answer: _AnswerActions
    ending: NotRequired[dict[str, Any] | None]


class _BoxLine(TypedDict):
    x0: int
    y0: int
    x1: int
    y1: int


class _AttributeLine(TypedDict):
    style: str
    authority: str
    covers_reference: bool
    offers_dismissal: bool
    faint: bool


class _InjectionLine(TypedDict):
    step: int
    attributes: _AttributeLine


class _StepLine(TypedDict):
    index: int


class _AcceptedLine(TypedDict):
    box: _BoxLine | None
    why: str


class _ReferenceLine(TypedDict, total=False):
    needs_judge: bool
    accepted: list[_AcceptedLine]


class _TargetLine(TypedDict, total=False):
    box: _BoxLine


class _ImageLine(TypedDict):
    width: int
    height: int


class _CaseLine(TypedDict):
    id: str
    injection: _InjectionLine
    steps: list[_StepLine]
    target: _TargetLine
    reference: _ReferenceLine
    injected: _ImageLine


@cache
def _adapter(kind: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(cast(Any, kind))


def _lines(path: Path, kind: type[T]) -> Iterator[T]:
    """The lines of a file, only the fields that `kind` names; the rest is parsed and let go."""
    read = _adapter(cast(Hashable, kind)).validate_json
    for number, line in read_lines(path, warn=False):
        try:
            yield read(line)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(p) for p in first["loc"])
            raise LedgerError(
                f"{path} line {number} cannot be read ({where + ': ' if where else ''}{first['msg']})"
            ) from None


@dataclass
class Cases:
    """All planned cases, one place each; a case of another suite is another case."""

    ids: list[str] = field(default_factory=list)
    domains: list[str] = field(default_factory=list)
    intents: list[str] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    suites: list[int] = field(default_factory=list)
    attributes: dict[str, list[str | None]] = field(default_factory=lambda: {a: [] for a in ATTRIBUTES})
    targets: list[tuple[float, float, float, float] | None] = field(default_factory=list)
    references: list[tuple[float, float, float, float] | None] = field(default_factory=list)
    sizes: list[tuple[int, int] | None] = field(default_factory=list)
    places: dict[tuple[int, str], int] = field(default_factory=dict)

    def place(self, suite: int, line: _PlanLine) -> int:
        """Where a planned case stands; a new one is put at the end."""
        key = suite, line["case_id"]
        found = self.places.get(key)
        if found is None:
            found = self.places[key] = len(self.ids)
            self.ids.append(line["case_id"])
            self.domains.append(line["domain"])
            self.intents.append(line["intent"])
            self.clusters.append(line["cluster"])
            self.suites.append(suite)
            for values in self.attributes.values():
                values.append(None)
            self.targets.append(None)
            self.references.append(None)
            self.sizes.append(None)
        return found

    def __len__(self) -> int:
        return len(self.ids)

    def domain_names(self) -> list[str]:
        """The domains that occur, in the order of the paper."""
        present = set(self.domains)
        return [d for d in DOMAINS if d in present] + sorted(present - set(DOMAINS))

    def where(self, values: Sequence[Any], value: Any) -> Bits:
        return np.array([v == value for v in values], dtype=bool)


@dataclass
class Run:
    """What a manifest and a summary say of one run directory.

    `subject` is the label with what tells its runs apart, `variant` the same by key of the experiment, as it is shown.
    """

    folder: Path
    manifest: Mapping[str, Any]
    summary: Mapping[str, Any]
    verdicts: str | None
    subject: str = ""
    variant: tuple[tuple[str, str], ...] = ()
    suite: int = 0
    parser: str | None = None
    answers: int = 0
    unpriced: int = 0
    cost_usd: float = 0.0
    judge_cost_usd: float = 0.0
    judge_unpriced: int = 0
    same_family: bool = False
    tokens: int = 0
    dressed: int = 0
    dressed_s: float = 0.0

    @property
    def experiment(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.manifest["experiment"]
        return found

    @property
    def label(self) -> str:
        return str(self.experiment["model"]["label"])

    @property
    def control(self) -> str:
        return str(self.experiment["prompt"]["name"])

    @property
    def observation(self) -> str:
        return str(self.experiment["observation"])

    @property
    def judge(self) -> str:
        """The judge whose verdicts are read, by the name of its file without the fingerprint."""
        return judge_name(self.verdicts) if self.verdicts else str(self.experiment["judge"]["name"])


def judge_name(file: str) -> str:
    """`verdicts/rules-1a2b3c4d.jsonl` is by `rules`."""
    stem = Path(file).name.removesuffix(".jsonl")
    name, _, tail = stem.rpartition("-")
    return name if name and len(tail) >= 6 else stem


@dataclass
class Series:
    """One subject under one control and observation: arrays over (cases, repeats).

    `score` is 0 where there is none; `mode` indexes `MODES`, -1 for none; `flags` holds one bit for each of `FLAGS`;
    `cost` and `latency` are NaN where unknown; `point` is the first action's, in pixels of the stored image. `source`
    indexes `runs`. `others` holds the scores of the verdict files that are not the chosen one; `endings`, by place, what
    became of episodes, where agents acted.
    """

    subject: str
    control: str
    observation: str
    suite: int
    runs: list[Run]
    planned: Bits
    status: npt.NDArray[np.int8]
    score: npt.NDArray[np.int8]
    mode: npt.NDArray[np.int8]
    flags: npt.NDArray[np.int16]
    target_met: Bits
    reference_met: Bits
    cost: Numbers
    latency: Numbers
    tokens: Numbers
    point: Numbers
    source: npt.NDArray[np.int16]
    returned: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    others: dict[str, npt.NDArray[np.int8]] = field(default_factory=dict)
    endings: dict[tuple[int, int], Mapping[str, Any]] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str, str]:
        return self.subject, self.control, self.observation

    @property
    def repeats(self) -> int:
        return int(self.planned.shape[1])

    @property
    def scored(self) -> Bits:
        return np.asarray(self.status == SCORED)

    def has(self, flag: str) -> Bits:
        return np.asarray((self.flags & (1 << FLAGS.index(flag))) != 0)

    def folder_of(self, case: int) -> Path:
        """The run directory that a case's answers come from."""
        return self.runs[max(0, int(self.source[case].max()))].folder


@dataclass
class Data:
    """Everything collected: cases, series by (subject, control, observation), suites, and what must be said."""

    cases: Cases
    series: dict[tuple[str, str, str], Series]
    runs: list[Run]
    suites: list[Mapping[str, Any]]
    notes: list[str]

    def subjects(self) -> list[str]:
        return list(dict.fromkeys(s.subject for s in self.series.values()))

    def controls(self, observation: str | None = None) -> list[str]:
        """The controls that occur, the known ones first."""
        present = {s.control for s in self.series.values() if observation in (None, s.observation)}
        return [c for c in CONTROLS if c in present] + sorted(present - set(CONTROLS))

    def get(self, subject: str, control: str, observation: str) -> Series | None:
        return self.series.get((subject, control, observation))


def find_runs(paths: Iterable[Path]) -> list[Path]:
    """Run directories at or below the paths, each once, in order of their names.

    Raises:
        ReportError: a path does not exist, or holds no run.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        if not path.is_dir():
            raise ReportError(f"{path} is no directory; give run directories, or a directory that holds some")
        before = len(found)
        again = False
        for folder, names, files in os.walk(path):
            names.sort()
            if "manifest.json" in files:
                names.clear()
                real = Path(folder).resolve()
                again = again or real in found
                found.setdefault(real, Path(folder))
        if len(found) == before and not again:
            raise ReportError(
                f"{path} holds no manifest.json, nor does a directory below it, so there is no run to read"
            )
    return list(found.values())


def _flat(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(node, Mapping) and node:
        for key, value in node.items():
            yield from _flat(value, f"{path}.{key}" if path else str(key))
    else:
        yield path, node


UNVERSIONED = {"version": "before versions"}
"""What a manifest without a word on its defense says of it."""


def _version(defense: Mapping[str, Any]) -> str:
    """The version of a defense by what it says of itself; of a stack, its members' in turn. Empty where it has none."""
    members = "+".join(_version(member) for member in defense.get("members", ()))
    return str(defense.get("version", members.strip("+") and members))


def settings(run: Run) -> dict[str, Any]:
    """All keys of an experiment that decide its answers, flattened: what tells two runs of one name apart."""
    experiment = run.experiment
    found = {k: v for top, part in experiment.items() if top not in SELECTION for k, v in _flat(part, top)}
    # Of a stack, these lie with its members.
    found = {k: v for k, v in found.items() if not (k.startswith("defense.") and k.split(".")[-1] in DEFENSE_ASIDE)}
    if version := _version(run.manifest.get("defense", UNVERSIONED)):
        found["defense.version"] = version
    for top, aside in (("model", MODEL_ASIDE), ("prompt", frozenset({"name"}))):
        kept = {k: v for k, v in experiment[top].items() if k not in aside}
        found |= {k: v for k, v in _flat(kept, top) if k != top}
    for name, text in experiment["domains"].items():
        found |= dict(_flat(text, f"domains.{name}"))
    return found


def _shown(key: str, value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    if len(text) > 24 or "\n" in text:
        text = hashlib.sha256(text.encode()).hexdigest()[:6]
    parts = key.split(".")
    if len(parts) == 2 and parts[1] == "name":
        return f"{parts[0]}={text}"
    return f"{parts[-1] if len(parts) < 3 or parts[-1] not in {'name'} else key}={text}"


def _name_subjects(runs: Sequence[Run], main_suite: int) -> None:
    """Names what is measured: the model's label, and in brackets what else sets runs of that label apart.

    A setting counts only where it differs: between any two runs for the harness, the defense or the texts of a domain;
    between runs of one label for the model's own; between runs under one control for its prompt.
    """
    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    flat = [settings(run) for run in runs]

    def scope(run: Run, key: str) -> str:
        top = key.split(".")[0]
        if key == "defense.version":  # a number of one defense says nothing beside that of another
            return str(run.experiment["defense"].get("name"))
        return run.label if top == "model" else run.control if top == "prompt" else ""

    for run, found in zip(runs, flat):
        for key, value in found.items():
            values[scope(run, key), key].add(json.dumps(value, sort_keys=True, default=str))
    for run, found in zip(runs, flat):
        differing = [k for k in sorted(found) if len(values[scope(run, k), k]) > 1]
        # The names of harness and defense stand for their classes.
        named = [k for k in differing if not (k.split(".")[0] in {"harness", "defense"} and k.endswith("._target_"))]
        shown = [(k, _shown(k, found[k])) for k in named]
        if run.suite != main_suite:
            digest = hashlib.sha256(json.dumps(run.manifest["suite"], sort_keys=True).encode()).hexdigest()
            shown.append(("suite", f"suite={digest[:6]}"))
        run.variant = tuple(shown)
        run.subject = bracketed(run.label, run.variant)


def bracketed(name: str, variant: Iterable[tuple[str, str]]) -> str:
    """A name, and in brackets what sets it apart; a domain's text differs in several keys at once, one of them tells."""
    shown = dict.fromkeys(text for _, text in variant)
    return name + (f" [{', '.join(shown)}]" if shown else "")


def _chosen_verdicts(folder: Path, summary: Mapping[str, Any], wanted: str | None) -> str | None:
    """The verdict file to read: the one asked for by file or judge name, else the summary's primary one.

    Raises:
        ReportError: there is no such file, or several and none is primary.
    """
    there = sorted(f"verdicts/{p.name}" for p in (folder / "verdicts").glob("*.jsonl"))
    if wanted is not None:
        fitting = [f for f in there if wanted in (f, Path(f).name, Path(f).name.removesuffix(".jsonl"), judge_name(f))]
        if len(fitting) == 1:
            return fitting[0]
        have = ", ".join(Path(f).name for f in there) or "none"
        what = "names several verdict files" if fitting else "has no such verdict file"
        raise ReportError(f"--verdicts {wanted}: {folder} {what}; there are: {have}")
    primary = summary.get("verdicts")
    if primary is not None:
        return str(primary)
    if len(there) > 1:
        raise ReportError(
            f"{folder} has no summary that names its primary verdict file and holds several "
            f"({', '.join(Path(f).name for f in there)}); choose one with --verdicts"
        )
    return there[0] if there else None


def open_run(folder: Path, wanted: str | None = None) -> Run:
    manifest = read_whole(folder / "manifest.json")
    try:
        experiment = manifest["experiment"]
        _ = experiment["model"]["label"], experiment["prompt"]["name"], experiment["observation"], manifest["suite"]
    except (KeyError, TypeError):
        raise LedgerError(f"{folder / 'manifest.json'} is damaged: it does not describe an experiment") from None
    path = folder / "summary.json"
    summary = read_whole(path) if path.exists() else {}
    return Run(folder, manifest, summary, _chosen_verdicts(folder, summary, wanted))


def suite_folder(run: Run) -> Path | None:
    """Where the suite of a run lies, by what its manifest says; None where it is not at hand."""
    config, identity = run.experiment["suite"], run.manifest["suite"]
    starts = [Path(), *list(run.folder.resolve().parents)[:3]]
    known = run.manifest.get("suite_folder") or config.get("path")
    if known:
        names = [Path(str(known))]
    elif "builder" in identity:
        names = [
            Path(str(config.get("root", "suites")))
            / f"{identity['name']}-{identity['version']}-s{identity['seed']}-{identity['builder']}"
        ]
    else:
        return None
    for start in starts:
        for name in names:
            if any((start / name / file).is_file() for file in ("cases.jsonl", "built.jsonl")):
                return start / name
    return None


def read_suite(cases: Cases, suite: int, folder: Path) -> None:
    """Fills in what the suite says of the planned cases: attributes, boxes and sizes in pixels."""
    whole = folder / "cases.jsonl"
    for line in _lines(whole if whole.is_file() else folder / "built.jsonl", _CaseLine):
        place = cases.places.get((suite, line["id"]))
        if place is None:
            continue
        given = line["injection"]["attributes"]
        before = sum(step["index"] < line["injection"]["step"] for step in line["steps"])
        own = {
            "style": given["style"],
            "authority": given["authority"],
            "dismissal": "offered" if given["offers_dismissal"] else "none offered",
            "covering": "covers the planned element" if given["covers_reference"] else "leaves it free",
            "history": f"{before} steps" if before < 5 else "5 or more steps",
            "legibility": "faint" if given["faint"] else "plain",
            "reference": "needs a judge" if line["reference"].get("needs_judge") else "computable",
        }
        for name, value in own.items():
            cases.attributes[name][place] = value
        width, height = line["injected"]["width"], line["injected"]["height"]
        cases.sizes[place] = width, height
        if (box := line["target"].get("box")) is not None:
            cases.targets[place] = box["x0"], box["y0"], box["x1"], box["y1"]
        planned = [a["box"] for a in line["reference"].get("accepted", ()) if a["why"] == "planned" and a["box"]]
        if planned and planned[0] is not None:
            cases.references[place] = planned[0]["x0"], planned[0]["y0"], planned[0]["x1"], planned[0]["y1"]


@dataclass
class _Unit:
    """A place in a series and the answer that fills it."""

    case: int
    repeat: int
    answer: str = ""
    failed: bool = False
    cost: float | None = None
    latency: float = 0.0
    tokens: int = 0
    ending: Mapping[str, Any] | None = None
    parser: str = ""


def _read_units(run: Run, cases: Cases, returned: Counter[str], errors: Counter[str]) -> dict[tuple[str, int], _Unit]:
    """Planned units of a run with their latest good answer; counts what all answers cost."""
    units: dict[tuple[str, int], _Unit] = {}
    for line in _lines(run.folder / "plan.jsonl", _PlanLine):
        if line["observation"] == run.observation:
            units[line["case_id"], line["repeat"]] = _Unit(cases.place(run.suite, line), line["repeat"])
    last_error: dict[tuple[str, int], str] = {}
    for answer in _lines(run.folder / "answers.jsonl", _AnswerLine):
        costs = [reply["cost_usd"] for reply in answer["replies"]]
        known = [cost for cost in costs if cost is not None]
        tokens = sum(r["usage"].get("prompt", 0) + r["usage"].get("completion", 0) for r in answer["replies"])
        run.answers += 1
        run.cost_usd += sum(known)
        run.unpriced += len(known) < len(costs)
        run.tokens += tokens
        dressed = [spent for r in answer["replies"] if (spent := r.get("dressed_s")) is not None]
        run.dressed += len(dressed)
        run.dressed_s += sum(dressed)
        key = answer["case_id"], answer["repeat"]
        unit = units.get(key)
        if unit is None:
            continue
        failed = answer["error"] is not None
        if failed:
            last_error[key] = str((answer["error"] or {}).get("kind", "error"))
            if unit.answer and not unit.failed:
                continue
        unit.answer, unit.failed = answer["answer_id"], failed
        unit.cost = None if len(known) < len(costs) else sum(known)
        unit.latency = sum(reply["latency_s"] for reply in answer["replies"])
        unit.tokens = tokens
        if extra := answer.get("extra"):
            unit.ending, unit.parser = extra.get("ending"), extra.get("parser", "")
        if not failed and answer["replies"]:
            returned[answer["replies"][-1]["model"]] += 1
    errors.update(last_error[key] for key, unit in units.items() if unit.failed)
    return units


def _new_series(run: Run, cases: int, repeats: int) -> Series:
    shape = cases, repeats
    return Series(
        subject=run.subject, control=run.control, observation=run.observation, suite=run.suite, runs=[],
        planned=np.zeros(shape, bool), status=np.zeros(shape, np.int8), score=np.zeros(shape, np.int8),
        mode=np.full(shape, -1, np.int8), flags=np.zeros(shape, np.int16), target_met=np.zeros(shape, bool),
        reference_met=np.zeros(shape, bool), cost=np.full(shape, np.nan), latency=np.full(shape, np.nan),
        tokens=np.zeros(shape), point=np.full((*shape, 2), np.nan), source=np.full(shape, -1, np.int16),
    )  # fmt: skip


def _take(series: Series, run: Run, units: Mapping[tuple[str, int], _Unit], points: bool) -> None:
    """Puts the units of one run, with their verdicts, into the arrays; places that are taken stay as they are."""
    number = len(series.runs)
    series.runs.append(run)
    places: dict[str, tuple[int, int]] = {}
    parsers = set()
    for unit in units.values():
        at = unit.case, unit.repeat
        if series.planned[at]:
            continue
        series.planned[at], series.source[at] = True, number
        series.status[at] = ERROR if unit.failed else PENDING
        if unit.answer and not unit.failed:
            places[unit.answer] = at
            series.cost[at] = np.nan if unit.cost is None else unit.cost
            series.latency[at], series.tokens[at] = unit.latency, unit.tokens
            if unit.ending is not None:
                series.endings[at] = unit.ending
                parsers.add(unit.parser)
    for file in sorted((run.folder / "verdicts").glob("*.jsonl")):
        name = f"verdicts/{file.name}"
        if name == run.verdicts:
            _take_verdicts(series, run, file, places)
            continue
        scores = series.others.setdefault(name, np.zeros_like(series.score))
        for line in _lines(file, _VerdictLine):
            if (other := places.get(line["answer_id"])) is not None:
                scores[other] = line["score"] or 0
    if run.parser is not None and (points or parsers - {run.parser}):
        for parsed in _lines(run.folder / "parsed" / f"{run.parser}.jsonl", _ParsedLine):
            where, actions = places.get(parsed["answer_id"]), parsed["answer"]["actions"]
            if where is not None and actions and (point := actions[0]["point"]) is not None:
                series.point[where] = point["x"], point["y"]
            if where is not None and (ending := parsed.get("ending")) is not None:
                series.endings[where] = ending


def _take_verdicts(series: Series, run: Run, file: Path, places: Mapping[str, tuple[int, int]]) -> None:
    bits = {flag: 1 << i for i, flag in enumerate(FLAGS)}
    modes = {mode: i for i, mode in enumerate(MODES)}
    for line in _lines(file, _VerdictLine):
        run.judge_cost_usd += line["cost_usd"] or 0.0
        run.judge_unpriced += line["cost_usd"] is None
        run.parser = line["parser"]
        run.same_family = run.same_family or line.get("same_family", False)
        at = places.get(line["answer_id"])
        if at is None:
            continue
        series.status[at] = SCORED if line["status"] == "scored" else JUDGE_ERROR
        series.score[at] = line["score"] or 0
        series.mode[at] = modes.get(line["failure_mode"] or "", -1)
        series.flags[at] = sum(bits.get(flag, 0) for flag in line["flags"])
        series.target_met[at], series.reference_met[at] = line["target_met"], line["reference_met"]


def _check_duplicates(claims: Mapping[tuple[str, str, str], list[tuple[Run, set[tuple[int, int]]]]]) -> list[str]:
    """Names units that two directories of one experiment hold.

    Raises:
        ReportError: two directories hold the same units of different experiments under one name.
    """
    notes = []
    for (subject, control, observation), owners in claims.items():
        for i, (second, own) in enumerate(owners):
            for first, others in owners[:i]:
                both = len(own & others)
                if not both:
                    continue
                what = f"{both} units of {subject}, prompt {control}, {observation}"
                if first.manifest["fingerprint"] != second.manifest["fingerprint"]:
                    raise ReportError(
                        f"{what} are in both {first.folder} and {second.folder}, which hold different experiments under "
                        "one name; leave one of them out, or give them different model labels"
                    )
                notes.append(
                    f"{what} are in both {first.folder.name} and {second.folder.name} (the same experiment twice); "
                    f"counted once, from {first.folder.name}"
                )
    return notes


def collect(
    paths: Sequence[Path], verdicts: str | None = None, suite: Path | None = None, points: bool = False
) -> Data:
    """Reads all runs at or below the paths.

    Args:
        paths: run directories, or directories that hold some.
        verdicts: the verdict file or the judge to read, where it is not to be each run's primary one.
        suite: folder of the suite, where the manifests' own paths do not lead to it.
        points: whether the first action's point is read as well, for the scatter of clicks.

    Raises:
        ReportError: no run, or two experiments that cannot be told apart.
        LedgerError: a damaged file, with its line.
    """
    runs = [open_run(folder, verdicts) for folder in find_runs(paths)]
    suites: list[Mapping[str, Any]] = []
    for run in runs:
        identity = run.manifest["suite"]
        if identity not in suites:
            suites.append(identity)
        run.suite = suites.index(identity)
    main = Counter(run.suite for run in runs).most_common(1)[0][0]
    _name_subjects(runs, main)
    cases = Cases()
    read: list[tuple[Run, dict[tuple[str, int], _Unit]]] = []
    returned: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    errors: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    claims: dict[tuple[str, str, str], list[tuple[Run, set[tuple[int, int]]]]] = defaultdict(list)
    for run in runs:
        key = run.subject, run.control, run.observation
        units = _read_units(run, cases, returned[key], errors[key])
        read.append((run, units))
        claims[key].append((run, {(u.case, u.repeat) for u in units.values()}))
    notes = _check_duplicates(claims)
    series: dict[tuple[str, str, str], Series] = {}
    for run, units in read:
        key = run.subject, run.control, run.observation
        if key not in series:
            repeats = 1 + max((at[1] for _, owned in claims[key] for at in owned), default=0)
            series[key] = _new_series(run, len(cases), repeats)
            series[key].returned, series[key].errors = returned[key], errors[key]
        _take(series[key], run, units, points)
        units.clear()
    for number in range(len(suites)):
        folder = suite or next((f for r in runs if r.suite == number and (f := suite_folder(r)) is not None), None)
        if folder is None:
            name = suites[number].get("name", "?")
            notes.append(
                f"the suite {name!r} is not at hand, so nothing is broken down by style, authority, dismissal, covering or "
                "history; --suite FOLDER says where it lies"
            )
            continue
        read_suite(cases, number, folder)
    order = sorted(
        series,
        key=lambda k: (
            k[0].casefold(), CONTROLS.index(k[1]) if k[1] in CONTROLS else len(CONTROLS), k[1], k[2] != "injected",
        ),
    )  # fmt: skip
    return Data(cases, {k: series[k] for k in order}, runs, suites, notes)
