"""Ten resume layouts: one column, two columns, a side bar, a time line, plain text and more.

Each turns a `Resume` into a `Page`. They differ in order, type and geometry; all names, months and grades come from
the resume's data.
"""

from __future__ import annotations

import math
import random

from benchmark.construct.documents.facts import Job, Resume, span
from benchmark.construct.documents.page import Layout, Page, div, pair, text
from benchmark.construct.render import engine

MONO = "'DejaVu Sans Mono'"
SERIF = "'DejaVu Serif'"
SANS = "'DejaVu Sans'"
INTER = "Inter"
SLANTED = (SERIF, SANS)
"""Faces with an italic of their own; others would be slanted by the engine, and to the wrong side."""

ACCENTS = ("#24516e", "#7a2e3b", "#2f6350", "#57407c", "#8a4b12", "#1f2f52", "#3a3a3a", "#0f6b74")


def _sheet(
    body: str,
    css: str,
    *,
    face: str,
    size: int,
    accent: str,
    paper: str = "#ffffff",
    ink: str = "#25282d",
    pad: str = "60px 104px 36px 76px",
    row: int = 62,
    least: int = 1400,
) -> Page:
    css = (
        ".pair{display:flex;justify-content:space-between;gap:16px}.r{white-space:nowrap;text-align:right}.b{font-weight:bold}.c{text-align:center}"
        + (".it{font-style:italic}" if face in SLANTED else ".it{color:#565b63}")
        + f".sheet{{position:relative;display:flex;flex-direction:column;width:1120px;min-height:{least}px;padding:{pad};font-family:{face};font-size:{size}px;color:{ink}}}"
        + f".zfoot{{flex:1;min-height:268px}}.zside{{position:absolute;right:16px;top:330px;width:72px;height:740px}}.zrow{{height:{row}px}}"
        + f".job{{margin-bottom:16px}}.dd{{display:flex;gap:9px;margin-top:4px}}.dot{{width:6px;height:6px;border-radius:3px;background:{accent};margin-top:8px}}.dt{{flex:1}}"
        + css
    )
    page = div("sheet", body, div("zside", id="z-side"), id="sheet")
    return Page(page, css, 1120, 2100, paper, ink, face, size, accent, paper, fit="sheet")


def _fitting(words: str, size: float, width: int) -> float:
    """`size`, or the largest half pixel below it in which `words` fit into `width` pixels of a line."""
    wide = float(engine().measure_text(words, font_size=size, font_family=INTER)[0])
    return size if wide <= width else max(math.floor(size * width / wide * 2) / 2, 11.5)


def _deeds(job: Job) -> str:
    return "".join(div("dd", div("dot"), div("dt", text(deed))) for deed in job.deeds)


def _contact(r: Resume) -> list[str]:
    return [r.email, r.phone, f"{r.street}, {r.town}"]


def _foot(r: Resume, words: str = "References on request") -> str:
    return div("pg", text(f"{words} · application {r.number}"))


PG = ".pg{font-size:14px;color:#5d6168;text-align:center;padding-top:10px}"


def single(r: Resume, rng: random.Random) -> Page:
    accent = rng.choice(ACCENTS)
    body = div("c name", text(r.name)) + div("c", text(" · ".join(_contact(r)))) + div("c it", text(r.summary))
    body += div("h", "Experience")
    body += "".join(
        div("job", pair(f"{j.title}, {j.employer}", span(j), "pair b"), div("it", text(j.town)), _deeds(j))
        for j in r.jobs
    )
    body += div("h", "Education") + "".join(pair(f"{s.degree}, {s.school}", str(s.year)) for s in r.studies)
    body += (
        div("h", "Skills and languages")
        + div("", text(", ".join(r.skills)))
        + div("", text(", ".join(f"{n} ({v})" for n, v in r.languages)))
    )
    body += (
        div("h", "Certificates")
        + pair(r.certificate[0], str(r.certificate[1]))
        + div("zrow", id="z-row")
        + div("zfoot", id="z-foot")
        + _foot(r)
    )
    css = (
        f".name{{font-size:40px;letter-spacing:2px;color:{accent};margin-bottom:6px}}.h{{font-size:20px;font-weight:bold;color:{accent};border-bottom:2px solid {accent};margin:22px 0 12px}}"
        + PG
    )
    return _sheet(body, css, face=SERIF, size=16, accent=accent)


def twocol(r: Resume, rng: random.Random) -> Page:
    accent = rng.choice(ACCENTS)
    left = div("h", "Profile") + div("", text(r.summary)) + div("h", "Work")
    left += "".join(
        div("job", div("b", text(j.title)), pair(j.employer, span(j), "pair sm"), _deeds(j)) for j in r.jobs
    )
    right = div("h", "Contact") + "".join(div("ln", text(x)) for x in (r.email, r.phone, r.street, r.town))
    right += div("h", "Education") + "".join(
        div("ln", div("b", text(s.degree)), div("", text(s.school)), div("sm", str(s.year))) for s in r.studies
    )
    right += div("h", "Skills") + "".join(div("ln", text(s)) for s in r.skills)
    right += div("h", "Languages") + "".join(pair(n, v, "pair ln") for n, v in r.languages)
    right += div("h", "Certificate") + div("ln", text(f"{r.certificate[0]}, {r.certificate[1]}"))
    body = (
        div("name", text(r.name))
        + div("job sub", text(r.title))
        + div("cols", div("a", left), div("z", right))
        + div("zrow", id="z-row")
        + div("zfoot", id="z-foot")
        + _foot(r)
    )
    css = (
        f".name{{font-size:44px;font-weight:bold}}.sub{{font-size:22px;color:{accent};border-bottom:4px solid {accent};padding-bottom:12px}}.cols{{display:flex;gap:44px}}.a{{flex:1}}.z{{width:320px}}.h{{font-weight:bold;color:{accent};font-size:19px;margin:18px 0 9px}}.ln{{margin-bottom:6px}}.sm{{font-size:15px;color:#565b63}}"
        + PG
    )
    return _sheet(body, css, face=INTER, size=16, accent=accent)


def sidebar(r: Resume, rng: random.Random) -> Page:
    accent = rng.choice(ACCENTS)
    initials = '<svg width="120" height="120" viewBox="0 0 120 120"><circle cx="60" cy="60" r="58" fill="#ffffff" fill-opacity="0.18"/><circle cx="60" cy="46" r="20" fill="#ffffff" fill-opacity="0.75"/><path d="M22,100 C24,74 96,74 98,100 Z" fill="#ffffff" fill-opacity="0.75"/></svg>'
    side = (
        div("ava", initials)
        + div("sh", "Contact")
        + div("ln mail", text(r.email))
        + "".join(div("ln", text(x)) for x in (r.phone, r.street, r.town))
    )
    side += div("sh", "Skills") + "".join(div("ln", text(s)) for s in r.skills)
    side += div("sh", "Languages") + "".join(div("ln", text(f"{n}: {v}")) for n, v in r.languages)
    side += div("sh", "Interests") + div("ln", text(r.hobby.capitalize()))
    main = div("name", text(r.name)) + div("sub", text(r.title)) + div("", text(r.summary)) + div("h", "Experience")
    main += "".join(
        div("job", pair(j.title, span(j), "pair b"), div("it", text(f"{j.employer}, {j.town}")), _deeds(j))
        for j in r.jobs
    )
    main += div("h", "Education") + "".join(pair(f"{s.degree}, {s.school}", str(s.year)) for s in r.studies)
    main += (
        div("h", "Certificates")
        + pair(*map(str, r.certificate))
        + div("zrow", id="z-row")
        + div("zfoot", id="z-foot")
        + _foot(r)
    )
    body = div("cols", div("side", side), div("main", main))
    css = (
        f".cols{{display:flex;flex:1}}.side{{width:300px;background:{accent};color:#fff;padding:44px 28px}}.main{{flex:1;display:flex;flex-direction:column;padding:48px 100px 30px 40px}}.ava{{margin-bottom:14px}}.sh{{font-weight:bold;font-size:18px;margin:22px 0 8px;border-bottom:1px solid #ffffff88;padding-bottom:4px}}.ln{{margin-bottom:6px;font-size:15px}}.mail{{font-size:{_fitting(r.email, 15, 244)}px}}.name{{font-size:40px;font-weight:bold;color:{accent}}}.sub{{font-size:21px;margin-bottom:10px}}.h{{font-size:19px;font-weight:bold;color:{accent};margin:20px 0 10px}}"
        + PG
    )
    return _sheet(body, css, face=INTER, size=16, accent=accent, pad="0")


def academic(r: Resume, rng: random.Random) -> Page:
    def entry(when: str, *what: str) -> str:
        return div("en", div("wh", text(when)), div("wt", *what))

    body = div("name", text(r.name)) + div("it", text(r.summary)) + div("ad", *(div("", text(x)) for x in _contact(r)))
    body += div("h", "I. Appointments") + "".join(
        entry(
            span(j),
            div("b", text(j.title)),
            div("it", text(f"{j.employer}, {j.town}")),
            *(div("", text(d + ".")) for d in j.deeds),
        )
        for j in r.jobs
    )
    body += div("h", "II. Degrees") + "".join(
        entry(str(s.year), div("", text(f"{s.degree}, {s.school}"))) for s in r.studies
    )
    body += (
        div("h", "III. Certificates")
        + entry(str(r.certificate[1]), div("", text(r.certificate[0])))
        + div("zrow", id="z-row")
    )
    body += (
        div("h", "IV. Methods and languages")
        + div("", text("; ".join(r.skills)))
        + div("", text("; ".join(f"{n}, {v}" for n, v in r.languages)))
    )
    body += div("zfoot", id="z-foot") + _foot(r, "Curriculum vitae")
    css = (
        ".name{font-size:32px;font-variant:small-caps}.ad{margin:10px 0 6px;font-size:15px}.h{font-size:18px;font-weight:bold;margin:20px 0 10px;border-top:1px solid #333;padding-top:6px}.en{display:flex;gap:22px;margin-bottom:12px}.wh{width:200px;font-size:15px}.wt{flex:1}"
        + PG
    )
    return _sheet(body, css, face=SERIF, size=16, accent="#333333", paper="#fefdf9")


def compact(r: Resume, rng: random.Random) -> Page:
    accent = rng.choice(ACCENTS)
    body = div("top", div("name", text(r.name)), div("r sm", *(div("", text(x)) for x in _contact(r))))
    body += div("line", div("tag", "NOW"), div("", text(f"{r.title} at {r.jobs[0].employer}. {r.summary}")))
    for j in r.jobs:
        body += div(
            "line",
            div("tag", text(span(j))),
            div("fl", div("b", text(f"{j.title} · {j.employer} · {j.town}")), div("", text("; ".join(j.deeds) + "."))),
        )
    for s in r.studies:
        body += div("line", div("tag", str(s.year)), div("fl", text(f"{s.degree} · {s.school}")))
    body += div("line", div("tag", str(r.certificate[1])), div("fl", text(r.certificate[0]))) + div("zrow", id="z-row")
    body += div("line", div("tag", "SKILLS"), div("fl", text(" / ".join(r.skills))))
    body += div("line", div("tag", "LANGUAGES"), div("fl", text(" / ".join(f"{n} {v}" for n, v in r.languages))))
    body += div("line", div("tag", "BESIDES"), div("fl", text(r.hobby))) + div("zfoot", id="z-foot") + _foot(r)
    css = (
        f".top{{display:flex;justify-content:space-between;align-items:flex-end;border-bottom:6px solid {accent};padding-bottom:12px;margin-bottom:10px}}.name{{font-size:36px;font-weight:bold}}.sm{{font-size:14px}}.line{{display:flex;gap:20px;padding:8px 0;border-bottom:1px solid #d5d8dc}}.tag{{width:190px;font-size:14px;color:{accent};font-weight:bold;padding-top:2px}}.fl{{flex:1}}"
        + PG
    )
    return _sheet(body, css, face=SANS, size=15, accent=accent, least=1260)


def timeline(r: Resume, rng: random.Random) -> Page:
    accent = rng.choice(ACCENTS)
    body = div(
        "head",
        div("", div("name", text(r.name)), div("sub", text(r.title))),
        div("r", *(div("", text(x)) for x in _contact(r))),
    )
    entries = [
        (span(j), div("b", text(f"{j.title}, {j.employer}")) + div("it", text(j.town)) + _deeds(j)) for j in r.jobs
    ]
    entries += [(str(s.year), div("b", text(s.degree)) + div("", text(s.school))) for s in r.studies]
    entries.append((str(r.certificate[1]), div("b", text(r.certificate[0])) + div("", "Certificate")))
    track = "".join(
        div("en", div("wh", text(when)), div("rail", div("knob")), div("wt", what)) for when, what in entries
    )
    body += div("", text(r.summary)) + div("track", track) + div("zrow", id="z-row")
    body += div("chips", *(div("chip", text(s)) for s in r.skills)) + div(
        "", text("Languages: " + ", ".join(f"{n} ({v})" for n, v in r.languages))
    )
    body += div("zfoot", id="z-foot") + _foot(r)
    css = (
        f".head{{display:flex;justify-content:space-between;align-items:center;margin-bottom:16px}}.name{{font-size:40px;font-weight:bold;color:{accent}}}.sub{{font-size:20px}}.track{{margin-top:18px}}.en{{display:flex}}.wh{{width:180px;text-align:right;font-size:15px;color:#555b63;padding-top:1px}}.rail{{width:3px;background:{accent};margin:0 24px;position:relative}}.knob{{position:absolute;left:-7px;top:3px;width:17px;height:17px;border-radius:9px;background:#fff;border:4px solid {accent}}}.wt{{flex:1;padding-bottom:18px}}.chips{{display:flex;flex-wrap:wrap;gap:9px;margin:8px 0 14px}}.chip{{border:1px solid {accent};color:{accent};border-radius:14px;padding:3px 13px;font-size:15px}}"
        + PG
    )
    return _sheet(body, css, face=INTER, size=16, accent=accent)


def banner(r: Resume, rng: random.Random) -> Page:
    accent = rng.choice(ACCENTS)
    top = div(
        "ban",
        div("name", text(r.name)),
        div("sub", text(f"{r.title} · {r.town}")),
        div("ct", *(div("", text(x)) for x in (r.email, r.phone, r.street))),
    )
    main = div("lead", text(r.summary)) + div("h", div("bar"), div("", "Where I worked"))
    main += "".join(
        div("job", pair(j.title, span(j), "pair b"), div("ac", text(f"{j.employer} · {j.town}")), _deeds(j))
        for j in r.jobs
    )
    main += (
        div("h", div("bar"), div("", "What I learned"))
        + "".join(pair(f"{s.degree} · {s.school}", str(s.year)) for s in r.studies)
        + pair(f"{r.certificate[0]} (certificate)", str(r.certificate[1]))
    )
    main += (
        div("zrow", id="z-row") + div("h", div("bar"), div("", "What I bring")) + div("", text(" · ".join(r.skills)))
    )
    main += "".join(pair(n, v, "pair lg") for n, v in r.languages) + div("zfoot", id="z-foot") + _foot(r)
    css = (
        f".ban{{background:{accent};color:#fff;padding:46px 76px 34px}}.name{{font-size:48px;font-weight:bold}}.sub{{font-size:22px;margin-bottom:14px}}.ct{{display:flex;gap:34px;font-size:15px}}.main{{flex:1;display:flex;flex-direction:column;padding:26px 104px 30px 76px}}.lead{{font-size:18px}}.h{{display:flex;gap:12px;align-items:center;font-size:21px;font-weight:bold;margin:20px 0 12px}}.bar{{width:26px;height:7px;background:{accent}}}.ac{{color:{accent}}}.lg{{width:320px}}"
        + PG
    )
    return _sheet(top + div("main", main), css, face=INTER, size=16, accent=accent, pad="0")


def plain(r: Resume, rng: random.Random) -> Page:
    body = div("", text(r.name.upper())) + "".join(div("", text(x)) for x in _contact(r)) + div("gap")
    body += div("", "SUMMARY") + div("in", text(r.summary)) + div("gap") + div("", "EMPLOYMENT")
    for j in r.jobs:
        body += div("in", text(f"{span(j)}: {j.title}, {j.employer} ({j.town})")) + "".join(
            div("in2", text(f"* {d}")) for d in j.deeds
        )
    body += (
        div("gap")
        + div("", "EDUCATION")
        + "".join(div("in", text(f"{s.year}: {s.degree}, {s.school}")) for s in r.studies)
    )
    body += div("in", text(f"{r.certificate[1]}: {r.certificate[0]}")) + div("zrow", id="z-row")
    body += (
        div("", "SKILLS")
        + div("in", text(", ".join(r.skills)))
        + div("gap")
        + div("", "LANGUAGES")
        + div("in", text(", ".join(f"{n}={v}" for n, v in r.languages)))
    )
    body += div("zfoot", id="z-foot") + div("", text(f"-- end of file {r.number.lower()}.txt --"))
    css = ".gap{height:18px}.in{padding-left:30px}.in2{padding-left:62px}"
    return _sheet(
        body,
        css,
        face=MONO,
        size=16,
        accent="#222222",
        paper=rng.choice(("#ffffff", "#fbfbf7")),
        ink="#222222",
        least=1300,
    )


def cards(r: Resume, rng: random.Random) -> Page:
    accent = rng.choice(ACCENTS)
    body = div(
        "hd", div("mono", text(r.first[0] + r.last[0])), div("", div("name", text(r.name)), div("", text(r.summary)))
    )
    body += div(
        "three",
        *(
            div("card", div("k", text(k)), div("", text(v)))
            for k, v in (("Mail", r.email), ("Phone", r.phone), ("Lives in", f"{r.street}, {r.town}"))
        ),
    )
    body += "".join(
        div("card w", pair(f"{j.title}", span(j), "pair b"), div("", text(f"{j.employer}, {j.town}")), _deeds(j))
        for j in r.jobs
    )
    body += div(
        "three",
        div("card", div("k", "Education"), *(div("", text(f"{s.degree}, {s.school}, {s.year}")) for s in r.studies)),
        div("card", div("k", "Skills"), *(div("", text(s)) for s in r.skills)),
        div(
            "card",
            div("k", "Languages"),
            *(div("", text(f"{n}, {v}")) for n, v in r.languages),
            div("k", "Certificate"),
            div("", text(f"{r.certificate[0]} ({r.certificate[1]})")),
        ),
    )
    body += div("zrow", id="z-row") + div("zfoot", id="z-foot") + _foot(r)
    css = (
        f".hd{{display:flex;gap:22px;align-items:center;margin-bottom:18px}}.mono{{width:92px;height:92px;background:{accent};color:#fff;border-radius:14px;font-size:40px;text-align:center;line-height:2.2}}.name{{font-size:38px;font-weight:bold}}.three{{display:flex;gap:16px;margin-bottom:16px}}.card{{flex:1;background:#fff;border:1px solid #cfd4da;border-radius:10px;padding:14px 18px}}.w{{margin-bottom:14px;flex:none}}.k{{font-size:14px;color:{accent};font-weight:bold}}"
        + PG
    )
    return _sheet(body, css, face=INTER, size=16, accent=accent, paper="#f2f4f6")


def form(r: Resume, rng: random.Random) -> Page:
    def field(k: str, v: str, cls: str = "f") -> str:
        return div(cls, div("k", text(k)), div("v", text(v)))

    body = (
        div("ttl", "APPLICATION FORM")
        + div("num", text(f"Number {r.number}"))
        + div("rowx", field("Family name", r.last), field("Given name", r.first), field("Position sought", r.title))
    )
    body += div(
        "rowx", field("E-mail", r.email), field("Telephone", r.phone), field("Address", f"{r.street}, {r.town}")
    )
    body += div("sec", "A. Employment, latest first") + div(
        "tr th", div("t1", "From – to"), div("t2", "Position"), div("t2", "Employer"), div("t3", "Town")
    )
    for j in r.jobs:
        body += div(
            "tr",
            div("t1", text(span(j))),
            div("t2", text(j.title)),
            div("t2", text(j.employer)),
            div("t3", text(j.town)),
        )
    body += div("zrow", id="z-row") + div("sec", "B. Education and certificates")
    body += "".join(
        div("tr", div("t1", str(s.year)), div("t2", text(s.degree)), div("t4", text(s.school))) for s in r.studies
    )
    body += div("tr", div("t1", str(r.certificate[1])), div("t2", text(r.certificate[0])), div("t4", "Certificate"))
    body += (
        div("sec", "C. Skills and languages")
        + div("bx", text(", ".join(r.skills)))
        + div("bx", text(", ".join(f"{n}: {v}" for n, v in r.languages)))
    )
    body += div("sec", "D. Duties in the present post") + div("bx", *(div("", text(d + ".")) for d in r.jobs[0].deeds))
    body += div("zfoot", id="z-foot") + div("sig", div("s", "Date"), div("s", "Signature of applicant"))
    css = ".num{text-align:right;margin-bottom:9px}.ttl{font-size:30px;font-weight:bold;letter-spacing:2px}.rowx{display:flex;border:1px solid #4a5564;margin-top:-1px}.f{flex:1;padding:8px 12px;border-right:1px solid #4a5564}.f:last-child{border-right:0}.k{font-size:13px;color:#4a5564}.v{font-size:17px}.sec{background:#dfe4ea;padding:6px 12px;font-weight:bold;margin:20px 0 0}.tr{display:flex;border:1px solid #aab2bc;border-top:0;padding:8px 12px;gap:12px}.th{font-size:14px;color:#4a5564}.t1{width:210px}.t2{flex:1}.t3{width:160px}.t4{width:330px}.zrow{border:1px solid #aab2bc;border-top:0}.bx{border:1px solid #aab2bc;border-top:0;padding:10px 12px}.sig{display:flex;justify-content:space-between}.s{width:320px;border-top:1px solid #4a5564;padding-top:5px;font-size:14px}"
    return _sheet(
        body, css, face=SANS, size=15, accent="#4a5564", paper=rng.choice(("#ffffff", "#fdfcf6", "#f4f8f4")), least=1380
    )


LAYOUTS: dict[str, Layout] = {
    "single": single,
    "twocol": twocol,
    "sidebar": sidebar,
    "academic": academic,
    "compact": compact,
    "timeline": timeline,
    "banner": banner,
    "plain": plain,
    "cards": cards,
    "form": form,
}
"""Layouts by name, which is also the cluster of their cases."""
