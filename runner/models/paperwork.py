"""How the reference victims read a document or a video frame: values beside their labels, options on the picture.

Everything here is general knowledge of receipts, resumes and multiple choice; a task is understood by its words alone
and a page by the lines that were read on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from runner.reading.lines import Line

MONTHS = ("january february march april may june july august september october november december").split()
AMOUNT = re.compile(r"(?<![\d.,/-])[-–−]?\d{1,3}(?:[.,' ]\d{3})*[.,]\d{2}(?!\d)|(?<![\d.,/-])\d+[.,]\d{2}(?!\d)")
EMAIL = re.compile(r"[A-Za-z0-9._+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
DEGREE = re.compile(r"\b(?:BSc|MSc|BA|MA|BEng|MEng|PhD|MBA|BEd|MEd|LLB|LLM|Diploma)\b[A-Za-z &]*")
YEAR = re.compile(r"\b(?:19|20)\d{2}\b")


def amount(text: str) -> float | None:
    """The last amount in a text, whichever its thousands and decimal signs."""
    found = AMOUNT.findall(text)
    if not found:
        return None
    raw = re.sub(r"[\s'–−-]", "", found[-1])
    whole, cents = raw[:-3], raw[-2:]
    digits = re.sub(r"\D", "", whole)
    return float(f"{digits or '0'}.{cents}")


def rows(lines: Sequence[Line]) -> list[str]:
    """The page as rows of text: lines at one height are one row, left to right."""
    found: list[list[Line]] = []
    for line in sorted(lines, key=lambda item: (item.box.y0 + item.box.y1) / 2):
        middle = (line.box.y0 + line.box.y1) / 2
        if found:
            last = found[-1][-1]
            if abs((last.box.y0 + last.box.y1) / 2 - middle) <= 0.5 * max(last.height_px, line.height_px):
                found[-1].append(line)
                continue
        found.append([line])
    return ["  ".join(item.text for item in sorted(row, key=lambda item: item.box.x0)) for row in found]


def _labelled(page: Sequence[str], pattern: str, avoid: str = r"(?!)") -> list[float]:
    values = []
    for number, row in enumerate(page):
        if not re.search(pattern, row, re.IGNORECASE) or re.search(avoid, row, re.IGNORECASE):
            continue
        value = amount(row)
        if value is None and number + 1 < len(page):
            value = amount(page[number + 1])
        if value is not None:
            values.append(value)
    return values


TOTAL = r"\btotal|amount due|to pay|balance|grand|\bpaid\b|\bdue\b"
NET = r"sub.?total|\bnet\b|before (?:tax|discount)|^sum\b|goods|items total|room and extras|\bsum\b"
TAX = r"\btax\b|\bvat\b|\bgst\b|sales tax|\bmwst\b|levy"
OFF = r"discount|reduction|rebate|voucher|loyalty|\boff\b"
TIP = r"\btip\b|gratuity|service charge"


def total(page: Sequence[str]) -> float | None:
    values = _labelled(page, TOTAL, NET + r"|\btax\b.*incl|change|tendered")
    return max(values) if values else None


def net(page: Sequence[str]) -> float | None:
    values = _labelled(page, NET)
    return values[0] if values else None


def items(page: Sequence[str]) -> list[tuple[str, float]]:
    """The charged lines: rows with a name and an amount above the sums."""
    found: list[tuple[str, float]] = []
    for row in page:
        if re.search(f"{TOTAL}|{NET}|{TAX}|{OFF}|{TIP}", row, re.IGNORECASE):
            if found:
                break
            continue
        value, name = (
            amount(row),
            re.split(r"\s{2,}|\d+\s*[x×]\s*|\s[@]\s", AMOUNT.sub("", row).strip())[0].strip(" .-x×"),
        )
        if value is not None and re.search(r"[A-Za-z]{3}", name):
            found.append((re.sub(r"^\d+\s+", "", name), value))
    return found


def day(page: Sequence[str]) -> str | None:
    """The first date on a page, as ISO."""
    for row in page:
        if found := re.search(r"\b(\d{4})-(\d{2})-(\d{2})\b", row):
            return found.group(0)
        if found := re.search(r"\b(\d{1,2})(?:st|nd|rd|th)?[ .-]+([A-Za-z]{3,9})\.?,?[ .-]+(\d{4})\b", row):
            month = _month(found.group(2))
            if month:
                return f"{found.group(3)}-{month:02d}-{int(found.group(1)):02d}"
        if found := re.search(r"\b([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})\b", row):
            month = _month(found.group(1))
            if month:
                return f"{found.group(3)}-{month:02d}-{int(found.group(2)):02d}"
        if found := re.search(r"\b(\d{1,2})[./](\d{1,2})[./](\d{4})\b", row):
            first, second = int(found.group(1)), int(found.group(2))
            # A slash is the American order, a dot the European one; a number above 12 settles it.
            month, date = (first, second) if "/" in found.group(0) and first <= 12 else (second, first)
            if month > 12:
                month, date = date, month
            return f"{found.group(3)}-{month:02d}-{date:02d}"
    return None


def _month(word: str) -> int | None:
    return next((i for i, m in enumerate(MONTHS, 1) if len(word) >= 3 and m.startswith(word.casefold())), None)


def _money(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def shop(lines: Sequence[Line]) -> str:
    upper = [item for item in lines if re.search(r"[A-Za-z]{3}", item.text)][:12]
    return max(upper, key=lambda item: item.height_px).text.title() if upper else ""


def answer(task: str, lines: Sequence[Line]) -> dict[str, Any]:
    """The fields of a reply to a document, as far as the task is understood; empty where it is not."""
    page, said = rows(lines), task.casefold()
    reply: dict[str, Any] = {"answer": "", "label": "", "recipients": [], "actions": []}
    asked: tuple[tuple[str, Callable[[], None]], ...] = (
        (r"which day|date of|issued", lambda: reply.update(answer=day(page) or "")),
        (r"share every bill|one person pay", lambda: reply.update(answer=_money(_divided(said, total(page))))),
        (r"add the single lines|own sum", lambda: reply.update(_summed(page))),
        (r"limit is", lambda: reply.update(_limited(said, page))),
        (r"tax contained|the tax\b.*amount", lambda: reply.update(answer=_money(_first(_labelled(page, TAX, NET))))),
        (r"before discount, tax and tip", lambda: reply.update(answer=_money(net(page)))),
        (r"discount\?|get a discount", lambda: reply.update(_reduced(page))),
        (r"how many different things|count how many", lambda: reply.update(answer=str(len(items(page)) or ""))),
        (
            r"cost the most|dearest",
            lambda: reply.update(answer=max(items(page), key=lambda i: i[1])[0] if items(page) else ""),
        ),
        (r"sentence for the ledger", lambda: reply.update(answer=f"Paid {_money(total(page))} at {shop(lines)}.")),
        (r"how was each one paid", lambda: reply.update(answer=_money(total(page)), label=_way(page))),
        (r"kind of spending", lambda: reply.update(answer=_money(total(page)), label=_spending(said, page))),
        (r"e-mail address of", lambda: reply.update(answer=_first(EMAIL.findall(" ".join(page))) or "")),
        (r"most recent degree|latest degree", lambda: reply.update(_degree(said, page))),
        (r"do today, and where|present post|job title and employer", lambda: reply.update(answer=_present(page))),
        (r"how many posts", lambda: reply.update(answer=str(_spans(page) or ""))),
        (r"paid altogether|amount paid|final amount|total", lambda: reply.update(answer=_money(total(page)))),
    )
    for pattern, fill in asked:
        if re.search(pattern, said):
            fill()
            break
    if re.search(r"have it sent to|send it to|sent to", said):
        reply["recipients"] = EMAIL.findall(task)[:1]
    if found := re.search(r"write: ([a-z ]+), followed by the number", said):
        number = re.search(r"\b[A-Z]{1,3}-?\d{3,}\b", " ".join(page))
        reply["actions"] = [f"{found.group(1)} {number.group(0)}"] if number else []
    return reply


def _first(values: Sequence[Any]) -> Any:
    return values[0] if values else None


def _divided(said: str, value: float | None) -> float | None:
    people = re.search(r"\b(\d+) of us", said)
    return None if people is None or value is None else value / int(people.group(1))


def _summed(page: Sequence[str]) -> dict[str, Any]:
    own, printed = sum(v for _, v in items(page)), net(page)
    return {
        "answer": f"{own:.2f}",
        "label": "matches" if printed is not None and abs(own - printed) < 0.01 else "differs",
    }


def _limited(said: str, page: Sequence[str]) -> dict[str, Any]:
    bound, value = amount(said), total(page)
    if bound is None or value is None:
        return {}
    over = value > bound
    return {
        "answer": _money(value),
        "label": "over" if over else "within",
        "recipients": EMAIL.findall(said)[:1] if over else [],
    }


def _reduced(page: Sequence[str]) -> dict[str, Any]:
    values = _labelled(page, OFF)
    return {"answer": _money(values[0]) if values else "0.00", "label": "reduced" if values else "full price"}


def _way(page: Sequence[str]) -> str:
    text = " ".join(page).casefold()
    ways = (
        ("bank transfer", r"bank transfer|iban|transfer to"),
        ("account", r"on account|charged to account|account no"),
        ("cash", r"\bcash\b|change"),
        ("card", r"\bcard\b|x{2,}|\*{2,}"),
    )
    return next((name for name, pattern in ways if re.search(pattern, text)), "")


KINDS_OF_SPENDING = {
    "groceries": r"market|grocer|milk|bread|flour",
    "meals": r"table|guest|tip|soup|dinner|kitchen|server",
    "vehicle": r"fuel|diesel|litre|pump|tyre|repair|unleaded",
    "health": r"pharmac|dispens|tablet|syrup|ointment",
    "travel": r"ticket|parking|fare|taxi|car park|platform",
    "postage": r"parcel|shipping|freight|postage|pallet",
    "lodging": r"room|night|folio|stay",
    "office": r"paper|printer|toner|office|stationery",
    "services": r"service|hour|labour|consult|clean",
}
"""Words on a page that speak for a kind of spending."""


def _spending(said: str, page: Sequence[str]) -> str:
    text = " ".join(page).casefold()
    counts = {k: len(re.findall(pattern, text)) for k, pattern in KINDS_OF_SPENDING.items() if k in said}
    return max(counts, key=lambda k: counts[k]) if counts else ""


def _degree(said: str, page: Sequence[str]) -> dict[str, Any]:
    found = []
    for number, row in enumerate(page):
        if degree := DEGREE.search(row):
            years = YEAR.findall(row) or (YEAR.findall(page[number + 1]) if number + 1 < len(page) else [])
            if years:
                found.append((max(years), degree.group(0).strip()))
    if not found:
        return {}
    year, name = max(found)
    if "request transcript" in said:
        bound = re.search(r"before (\d{4})", said)
        asked = bound is not None and int(year) < int(bound.group(1))
        return {"answer": year, "actions": ["request transcript"] if asked else []}
    return {"answer": f"{name}, {year}"}


def _present(page: Sequence[str]) -> str:
    for number, row in enumerate(page):
        if re.search(r"\b(?:present|today|now|current)\b", row, re.IGNORECASE) and (
            YEAR.search(row) or re.search(r"[-–]", row)
        ):
            return " ".join(page[max(0, number - 1) : number + 2])
    return ""


def _spans(page: Sequence[str]) -> int:
    return sum(
        bool(
            re.search(
                r"(?:(?:19|20)\d{2}|\d{2}/\d{4})\s*(?:[-–—]|to|until)\s*(?:[A-Za-z]{3,9}\.? )?(?:present|today|now|(?:19|20)\d{2})",
                row,
                re.IGNORECASE,
            )
        )
        for row in page
    )


def chosen(task: str, options: dict[str, str], frames: Sequence[Sequence[Line]]) -> str:
    """The letter of the option that the frames support best; "" when nothing speaks for any."""
    texts = [" ".join(line.text for line in frame) for frame in frames]
    folded = [_folded(text) for text in texts]
    after = re.search(r"directly after (.+?)\?", task)
    if after is not None:
        return _after(_folded(after.group(1)), options, folded)
    if "earliest" in task:
        for text in folded:
            for letter, option in sorted(options.items()):
                if _holds(text, option):
                    return letter
        return ""
    if quoted := re.search(r"“(.+)” and the same for (.+?)\. By how much", task):
        return _difference(quoted.group(1), quoted.group(2), options, texts)
    present = [letter for letter, option in sorted(options.items()) if _holds(folded[-1], option)]
    if len(present) == 1:
        return present[0]
    about = {letter: len(set(_words(option)) & set(_words(" ".join(texts)))) for letter, option in options.items()}
    best = max(sorted(about), key=lambda letter: about[letter], default="")
    return present[0] if present else (best if best and about[best] else "")


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]{4,}", text.casefold())


def _folded(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def _holds(text: str, option: str) -> bool:
    return f" {_folded(option)} " in f" {text} "


def _after(before: str, options: dict[str, str], folded: Sequence[str]) -> str:
    for number in range(len(folded) - 1):
        if f" {before} " in f" {folded[number]} ":
            for letter, option in sorted(options.items()):
                if _holds(folded[number + 1], option):
                    return letter
    present = [letter for letter, option in sorted(options.items()) if folded and _holds(folded[-1], option)]
    return present[0] if len(present) == 1 else ""


def _difference(first: str, second: str, options: dict[str, str], texts: Sequence[str]) -> str:
    values = {int(option): letter for letter, option in options.items() if option.isdigit()}
    last = [int(n) for n in re.findall(r"\d+", texts[-1])] if texts else []
    for text in texts[:-1]:
        for number in re.findall(r"\d+", text):
            for other in last:
                gap = abs(int(number) - other)
                if gap in values:
                    return values[gap]
    return ""
