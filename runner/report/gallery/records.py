"""What the gallery shows of a case, as plain data: an index row to filter by, and a detail to look at.

Reads the ledger and the suite's cases; asks nobody and draws nothing. Everything a model said is carried as it was
stored, cut at a stated length; that it stays inert is the page's business (`page.js` writes text nodes only).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmark.case import DOMAINS, Action, Box, Case, Predicate
from benchmark.scoring import effective_points
from runner.exchange import Prompt
from runner.ledger import AnswerRecord, Ledger, LedgerError, PlanUnit, ReplyRecord, VerdictRecord, read_whole

TEXT_LIMIT = 60_000
"""Characters of one text that the gallery carries; the whole of it stays in `answers.jsonl`."""

SEARCH_LIMIT = 900
"""Characters of a case's payload and replies that can be searched; less where a suite is large."""

INDEX_TEXT = 1_100_000
"""Characters that the searchable texts of all cases may take in the index."""


@dataclass(frozen=True)
class Asked:
    """The messages of a unit, rebuilt; `same` says that they give the request key of the stored answer."""

    prompt: Prompt
    same: bool


Rebuild = Callable[[Case, Any, int, str | None], Asked | None]
"""(case, observation, repeat, request key of the answer) -> the messages, or None where they cannot be rebuilt."""


def not_rebuilt(case: Case, observation: Any, repeat: int, key: str | None) -> Asked | None:
    """For runs whose messages are not to be shown."""
    return None


@dataclass(frozen=True)
class Shown:
    """One run as the gallery reads it: plan, the answer that counts for each unit, and every judge's verdict on it."""

    folder: Path
    manifest: Mapping[str, Any]
    summary: Mapping[str, Any] | None
    units: tuple[PlanUnit, ...]
    answers: Mapping[tuple[str, str, int], AnswerRecord]
    parsed: Mapping[str, Any]
    verdicts: Mapping[str, tuple[VerdictRecord, ...]]
    rebuild: Rebuild = field(default=not_rebuilt, repr=False)

    @property
    def experiment(self) -> Mapping[str, Any]:
        experiment: Mapping[str, Any] = self.manifest["experiment"]
        return experiment


def verdict_files(folder: Path, summary: Mapping[str, Any] | None, first: str | None = None) -> list[str]:
    """Verdict files of a run: `first`, or else the primary one, and then the others."""
    found = sorted(f"verdicts/{p.name}" for p in (folder / "verdicts").glob("*.jsonl"))
    primary = first or (summary.get("verdicts") if summary is not None else None)
    return sorted(found, key=lambda name: (name != primary, name))


def read_run(folder: Path, verdict_file: str | None = None) -> Shown:
    """Reads a run directory, finished or still at work; verdicts of `verdict_file` count, if given, else the primary ones.

    Raises:
        LedgerError: it is no run directory, or something in it is damaged.
    """
    if not (folder / "manifest.json").is_file():
        raise LedgerError(
            f"{folder} holds no manifest.json, so it is no run directory; `mma runs` lists those there are"
        )
    manifest = read_whole(folder / "manifest.json")
    summary = read_whole(folder / "summary.json") if (folder / "summary.json").is_file() else None
    ledger = Ledger.open(folder)
    verdicts: dict[str, list[VerdictRecord]] = {}
    primary: set[str] = set()
    for number, name in enumerate(verdict_files(folder, summary, verdict_file)):
        # An answer that a judge was asked about again (after an error, say) is shown with the last verdict.
        last_of = {verdict.answer_id: verdict for verdict in ledger.verdicts(name)}
        for id, verdict in last_of.items():
            verdicts.setdefault(id, []).append(verdict)
        if number == 0:
            primary.update(last_of)
    answers: dict[tuple[str, str, int], AnswerRecord] = {}
    for record in ledger.answers():
        before = answers.get(record.unit)
        if before is None or _weight(record, primary) >= _weight(before, primary):
            answers[record.unit] = record
    parsed: dict[str, Any] = {}
    readings = sorted((folder / "parsed").glob("*.jsonl"))
    last = summary.get("parser") if summary is not None else None
    for path in sorted(readings, key=lambda p: p.stem == last):
        for reading in ledger.parsed(path.stem):
            parsed[reading.answer_id] = reading.answer
    return Shown(
        folder=folder,
        manifest=manifest,
        summary=summary,
        units=tuple(ledger.plan()),
        answers=answers,
        parsed=parsed,
        verdicts={k: tuple(v) for k, v in verdicts.items()},
    )


def _weight(record: AnswerRecord, judged: set[str]) -> tuple[bool, bool]:
    return record.error is None, record.answer_id in judged


def heading(run: Shown) -> dict[str, Any]:
    """What the page says of a run above the list."""
    e = run.experiment
    domains = dict(run.summary["domains"]) if run.summary is not None else {}
    return {
        "name": run.folder.name,
        "model": e["model"]["label"],
        "control": e["prompt"]["name"],
        "observation": e["observation"],
        "harness": e["harness"]["name"],
        "defense": e["defense"]["name"],
        "judge": run.summary["judge"].get("name", "") if run.summary is not None else e["judge"]["name"],
        "fingerprint": str(run.manifest["fingerprint"])[:8],
        "complete": run.summary is not None and all(c["planned"] == c["scored"] for c in domains.values()),
        "reference": e["model"].get("family") == "reference",
        "planned": len(run.units),
    }


def cut(text: str, limit: int = TEXT_LIMIT) -> dict[str, Any]:
    """A text with how much of it was left out."""
    return {"text": text[:limit], "more": max(0, len(text) - limit)}


def _box(box: Box | None) -> list[int] | None:
    return None if box is None else [box.x0, box.y0, box.x1, box.y1]


def said(action: Action) -> str:
    """An action in a few words."""
    parts: list[str] = [action.type]
    if action.point is not None:
        parts.append(f"at ({action.point.x:g}, {action.point.y:g})")
    if action.end is not None:
        parts.append(f"to ({action.end.x:g}, {action.end.y:g})")
    if action.text:
        parts.append(f"“{action.text[:400]}”")
    if action.keys:
        parts.append("+".join(action.keys)[:100])
    if action.direction:
        parts.append(action.direction)
    return " ".join(parts)


def fields_of(action: Action) -> list[list[str]]:
    """The act fields of a document or video answer, as name and value."""
    return [[k, v if isinstance(v, str) else "\n".join(v)] for k, v in action.fields.items()]


def tests_of(predicate: Predicate | None) -> list[str]:
    """A predicate as lines a reader can check."""
    if predicate is None:
        return []
    lines = []
    groups = (("all of", predicate.all), ("one of", predicate.any), ("none of", predicate.none))
    for name, tests in groups:
        for test in tests:
            values = ", ".join(f"“{v}”" for v in test.values)
            about = f" ± {test.tolerance:g}" if test.tolerance else ""
            lines.append(f"{name}: {test.field} {test.op.replace('_', ' ')} {values}{about} (as {test.normal})".strip())
    return lines


def _image(case: Case, name: str) -> dict[str, Any] | None:
    ref = case.injected if name == "injected" else case.clean
    return None if ref is None else {"hash": ref.hash, "w": ref.width, "h": ref.height}


def _steps(case: Case) -> list[dict[str, Any]]:
    found = []
    for step in case.steps:
        if step.index == case.injection.step and step.image is None:
            continue
        found.append(
            {
                "index": step.index,
                "when": "before" if step.index < case.injection.step else "after",
                "image": None
                if step.image is None
                else {"hash": step.image.hash, "w": step.image.width, "h": step.image.height},
                "did": said(step.action),
                "says": step.says,
                "label": step.label,
            }
        )
    return found


def _reference(case: Case) -> dict[str, Any]:
    reference = case.reference
    if reference.kind == "boxes":
        return {
            "accepted": [
                {
                    "box": _box(a.box),
                    "why": a.why,
                    "when": a.when,
                    "actions": list(a.actions),
                    "text": list(a.text),
                    "keys": list(a.keys),
                    "direction": a.direction,
                }
                for a in reference.accepted
            ],
            "tests": [],
            "description": "",
        }
    return {"accepted": [], "tests": tests_of(reference.predicate), "description": reference.description}


def _case_detail(case: Case) -> dict[str, Any]:
    target = case.target
    attributes = case.injection.attributes
    return {
        "id": case.id,
        "task": case.task,
        "source": case.source,
        "cluster": case.cluster,
        "injected": _image(case, "injected"),
        "clean": _image(case, "clean"),
        "steps": _steps(case),
        "planned": None if case.planned is None else said(case.planned),
        "point": None
        if case.planned is None or case.planned.point is None
        else [case.planned.point.x, case.planned.point.y],
        "panel": _box(case.injection.panel),
        "extent": _box(case.injection.extent),
        "texts": [[r.role, r.text] for r in case.injection.texts],
        "attributes": {
            "authority": attributes.authority,
            "pressure": attributes.pressure,
            "urgency": attributes.urgency,
            "position": attributes.position,
            "covers the reference": "yes" if attributes.covers_reference else "no",
            "offers a dismissal": "yes" if attributes.offers_dismissal else "no",
        },
        "target": {
            "box": _box(target.box) if target.kind == "box" else None,
            "tests": tests_of(target.predicate) if target.kind == "fields" else [],
            "description": target.description,
        },
        "reference": _reference(case),
        "options": sorted(case.question.options.items()) if case.question is not None else [],
    }


def _reply(reply: ReplyRecord) -> dict[str, Any]:
    return {
        **cut(reply.text),
        "reasoning": cut(reply.reasoning) if reply.reasoning else None,
        "tools": cut("\n".join(str(dict(c)) for c in reply.tool_calls)) if reply.tool_calls else None,
        "finish": reply.finish_reason,
        "filtered": reply.filtered,
        "model": reply.model,
        "usage": {k: v for k, v in reply.usage.items() if v},
        "cost": reply.cost_usd,
        "latency": round(reply.latency_s, 2),
        "attempts": len(reply.attempts),
        "images": [f"{i.get('sent_width')}x{i.get('sent_height')}" for i in reply.images][-1:],
    }


def _verdict(verdict: VerdictRecord) -> dict[str, Any]:
    return {
        "judge": verdict.judge,
        "status": verdict.status,
        "score": verdict.score,
        "mode": verdict.failure_mode,
        "matched": verdict.matched,
        "flags": list(verdict.flags),
        "target_met": verdict.target_met,
        "reference_met": verdict.reference_met,
        "rationale": cut(verdict.rationale),
        "evidence": [[str(k), cut(str(v), 2000)["text"]] for k, v in verdict.evidence.items()],
        "votes": [cut(str(dict(v)), 2000)["text"] for v in verdict.votes],
        "error": None if verdict.error is None else f"{verdict.error.kind}: {verdict.error.message}",
    }


class Texts:
    """Texts that many cases of a chunk share, each carried once."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._places: dict[str, int] = {}

    def place(self, text: str) -> int:
        if text not in self._places:
            self._places[text] = len(self.all)
            self.all.append(text)
        return self._places[text]


def messages_of(prompt: Prompt, case: Case, texts: Texts) -> list[dict[str, Any]]:
    """Messages with their texts by number and their images by caption."""
    captions: dict[str, str] = {}
    for step in case.steps:
        if step.image is not None:
            captions[step.image.hash] = f"screen of step {step.index + 1}"
    if case.clean is not None:
        captions[case.clean.hash] = "current observation, clean"
    captions[case.injected.hash] = "current observation, injected"
    found = []
    for message in prompt.messages:
        parts: list[Any] = []
        for part in message.parts:
            if isinstance(part, str):
                parts.append(texts.place(cut(part)["text"]))
            else:
                caption = captions.get(part.ref.hash, "image")
                parts.append({"caption": f"{caption}, {part.ref.width}x{part.ref.height}", "hash": part.ref.hash})
        found.append({"role": message.role, "parts": parts})
    return found


def status_of(run: Shown, unit: PlanUnit) -> tuple[str, AnswerRecord | None, VerdictRecord | None]:
    """scored, error, judge_error or pending, with the answer and the primary verdict it rests on."""
    record = run.answers.get(unit.unit)
    if record is None:
        return "pending", None, None
    if record.error is not None:
        return "error", record, None
    verdicts = run.verdicts.get(record.answer_id, ())
    if not verdicts:
        return "pending", record, None
    return verdicts[0].status, record, verdicts[0]


def _answer_detail(run: Shown, unit: PlanUnit, case: Case, texts: Texts) -> dict[str, Any]:
    status, record, _ = status_of(run, unit)
    found: dict[str, Any] = {"repeat": unit.repeat, "observation": unit.observation, "status": status}
    asked = run.rebuild(case, unit.observation, unit.repeat, record.request_key if record is not None else None)
    if asked is not None:
        found["messages"] = messages_of(asked.prompt, case, texts)
        found["same"] = asked.same
    if record is None:
        return found
    if record.error is not None:
        found["error"] = {"kind": record.error.kind, **cut(record.error.message)}
    found["replies"] = [_reply(r) for r in record.replies]
    answer = run.parsed.get(record.answer_id)
    if answer is not None:
        points = effective_points(answer.actions)
        found["actions"] = [
            {"said": said(a), "fields": fields_of(a), "point": None if p is None else [p.x, p.y]}
            for a, p in zip(answer.actions[:20], points[:20], strict=True)
        ]
        found["rationale"] = cut(answer.rationale)
        found["problem"] = answer.problem
        if answer.problem == "unexposed":
            found["note"] = "The episode never met the payload; how it ended decides the score."
        elif answer.kept is not None:
            found["note"] = "The payload was met on another way: what the agent saw was not the recorded screen."
            found["actions"] = [action | {"point": None} for action in found["actions"]]
    found["verdicts"] = [_verdict(v) for v in run.verdicts.get(record.answer_id, ())]
    return found


@dataclass(frozen=True)
class Pages:
    """The gallery's data: the index, the chunks of details, and the images with where they are shown."""

    index: dict[str, Any]
    chunks: list[dict[str, Any]]
    large: tuple[str, ...]
    strip: tuple[str, ...]


def pages(runs: Sequence[Shown], cases: Mapping[str, Case], title: str, per_chunk: int = 24) -> Pages:
    """Everything that is shown of one run or two, cases in the suite's order of domains and ids.

    Cases that a run planned and `cases` does not hold are listed without detail: their suite is gone.
    """
    units: list[dict[str, list[PlanUnit]]] = []
    for run in runs:
        by_case: dict[str, list[PlanUnit]] = {}
        for unit in run.units:
            by_case.setdefault(unit.case_id, []).append(unit)
        units.append(by_case)
    first = {u.case_id: u for run in runs for u in run.units}
    order = sorted(first, key=lambda i: (_domain_rank(first[i].domain), i))
    allowance = min(SEARCH_LIMIT, INDEX_TEXT // max(1, len(order)))
    rows: list[dict[str, Any]] = []
    chunks: list[dict[str, Any]] = []
    large: dict[str, None] = {}
    strip: dict[str, None] = {}
    for start in range(0, len(order), per_chunk):
        texts = Texts()
        details = []
        for id in order[start : start + per_chunk]:
            case = cases.get(id)
            row: dict[str, Any] = {
                "id": id,
                "domain": first[id].domain,
                "intent": first[id].intent,
                "style": case.injection.style if case is not None else "",
                "runs": [
                    [_row_state(run, unit) for unit in sorted(by.get(id, ()), key=lambda u: u.repeat)]
                    for run, by in zip(runs, units, strict=True)
                ],
            }
            detail: dict[str, Any] = {"id": id}
            if case is not None:
                row["task"] = case.task[:110]
                row["image"] = case.injected.hash
                row["text"] = _searchable(case, id, runs, units, allowance)
                detail = _case_detail(case)
                large[case.injected.hash] = None
                for step in case.history:
                    if step.image is not None:
                        strip[step.image.hash] = None
                detail["runs"] = [
                    [_answer_detail(run, u, case, texts) for u in sorted(by.get(id, ()), key=lambda u: u.repeat)]
                    for run, by in zip(runs, units, strict=True)
                ]
            rows.append(row)
            details.append(detail)
        chunks.append({"texts": texts.all, "cases": details})
    for id in order:
        found = cases.get(id)
        if found is not None and found.clean is not None:
            large[found.clean.hash] = None
    index = {"title": title, "runs": [heading(run) for run in runs], "perChunk": per_chunk, "cases": rows}
    return Pages(index, chunks, tuple(large), tuple(strip))


def _domain_rank(domain: str) -> int:
    names: tuple[str, ...] = DOMAINS
    return names.index(domain) if domain in names else len(names)


def _row_state(run: Shown, unit: PlanUnit) -> dict[str, Any]:
    status, _, verdict = status_of(run, unit)
    state: dict[str, Any] = {"status": status}
    if verdict is not None and verdict.status == "scored":
        state["score"] = verdict.score
        state["mode"] = verdict.failure_mode
        if verdict.flags:
            state["flags"] = list(verdict.flags)
    return state


def _searchable(
    case: Case, id: str, runs: Sequence[Shown], units: Sequence[Mapping[str, Sequence[PlanUnit]]], allowance: int
) -> str:
    """Payload and replies in one line, as much of each as the index has room for."""
    parts: list[str] = [case.injection.visible_text, case.task[110:]]
    for run, by in zip(runs, units, strict=True):
        for unit in by.get(id, ()):
            record = run.answers.get(unit.unit)
            reply = record.reply if record is not None else None
            if reply is not None:
                parts.append(reply.text[: allowance // 2])
    return " ".join(" ".join(_words(parts)).split())[:allowance]


def _words(parts: Iterable[str]) -> Iterable[str]:
    return (part for part in parts if part)
