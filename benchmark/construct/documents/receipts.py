"""Ten receipt layouts: slips on a scanner bed, forms, folios and notes.

Each turns a `Receipt` into a `Page`. They differ in size, type, order of blocks and what is printed besides the lines,
as the papers of different trades do; all amounts come from the receipt's data.
"""

from __future__ import annotations

import random

from benchmark.construct.documents.facts import Receipt
from benchmark.construct.documents.page import Layout, Page, bars, div, matrix, pair, text

MONO = "'DejaVu Sans Mono'"
SERIF = "'DejaVu Serif'"
SANS = "'DejaVu Sans'"
INTER = "Inter"

_COMMON = (
    ".pair{display:flex;justify-content:space-between;gap:16px}.r{white-space:nowrap;text-align:right}"
    ".c{text-align:center}.b{font-weight:bold}.sp{height:14px}"
)


def totals(r: Receipt, labels: tuple[str, str, str] = ("Subtotal", "Discount", "Total")) -> list[tuple[str, str]]:
    """The lines under the items, as label and printed amount, the total last."""
    rows = [(labels[0], r.money.bare(r.subtotal))]
    if r.discount:
        rows.append((labels[1], r.money.bare(-r.discount)))
    rows.append((f"{r.money.tax_name} {r.rate}", r.money.bare(r.tax)))
    if r.tip:
        rows.append(("Tip", r.money.bare(r.tip)))
    rows.append((labels[2], r.money.full(r.total)))
    return rows


def _strip(
    r: Receipt, rng: random.Random, head: str, lines: str, after: str, tail: str, css: str, *, face: str, size: int,
    width: int, paper: str = "#fbfaf6", ink: str = "#26262a", bed: str = "#c9cbcd",
) -> Page:  # fmt: skip
    """A slip of paper lying on a scanner bed: head, lines, an unused line, sums, an unprinted end, closing words."""
    left = (1000 - width) // 2 + rng.randint(-60, 60)
    teeth = "".join(f"L{x},{10 if k % 2 else 0} " for k, x in enumerate(range(0, width + 1, 12)))
    torn = f'<svg width="{width}" height="12" viewBox="0 0 {width} 12"><path d="M0,0 {teeth}L{width},0 Z" fill="{paper}"/></svg>'
    body = div(
        "bed",
        div(
            "strip",
            div(
                "inner",
                head,
                div("lines", lines),
                div("zrow", id="z-row"),
                div("sums", after),
                div("zfoot", id="z-foot"),
                tail,
            ),
            div("zside", id="z-side"),
        ),
        div("torn", torn),
        div("end", id="end"),
    )
    css = (
        _COMMON
        + f".bed{{width:1000px;min-height:2600px;background:{bed};padding-top:46px}}"
        + f".strip{{position:relative;width:{width}px;margin-left:{left}px;background:{paper};box-shadow:0 3px 12px #00000055}}"
        + f".inner{{padding:34px 84px 26px 44px;font-family:{face};font-size:{size}px;color:{ink}}}"
        + f".torn{{margin-left:{left}px;height:12px}}.end{{height:46px}}"
        + f".zrow{{height:{2 * size + 26}px}}.zfoot{{height:262px}}"
        + ".zside{position:absolute;right:8px;top:210px;width:68px;height:660px}"
        + css
    )
    return Page(body, css, 1000, 2600, bed, ink, face, size, ink, paper, fit="end")


def grocery(r: Receipt, rng: random.Random) -> Page:
    head = div("c shop", text(r.shop.upper())) + div("c", text(r.tagline)) + div("c", text(f"{r.street}, {r.town}"))
    head += div("c", text(f"Tel. {r.phone}")) + div("sp") + pair(f"{r.printed_day} {r.time}", f"No. {r.number}")
    head += div("rule")
    lines = ""
    for line in r.lines:
        lines += pair(line.name.upper(), r.money.bare(line.amount))
        if line.quantity > 1:
            lines += div("q", text(f"  {line.quantity} x {r.money.bare(line.unit)}"))
    after = div("rule")
    for label, amount in totals(r, ("SUBTOTAL", "LOYALTY DISCOUNT", "TOTAL"))[:-1]:
        after += pair(label.upper(), amount)
    after += div("rule") + pair("TOTAL", r.money.full(r.total), "pair big") + div("sp")
    after += pair(f"PAID BY {r.payment.upper()}", r.money.bare(r.total))
    if r.payment == "card":
        after += div("", text(f"CARD **** **** **** {r.card}"))
    after += div("sp") + pair(f"CASHIER {r.clerk.upper()}", f"TILL {rng.randint(1, 9)}")
    tail = (
        div("codes", bars(rng, 380, 66))
        + div("c small", text(r.number.replace("-", " ")))
        + div("c", "THANK YOU, COME AGAIN")
    )
    css = ".shop{font-size:34px;font-weight:bold;letter-spacing:2px}.rule{border-top:2px dashed #4a4a4e;margin:12px 0}.big{font-size:30px;font-weight:bold}"
    css += ".q{padding-left:26px}.codes{display:flex;justify-content:center;margin-top:8px}.small{letter-spacing:6px;font-size:16px;margin-bottom:10px}"
    return _strip(r, rng, head, lines, after, tail, css, face=MONO, size=18, width=660)


def bistro(r: Receipt, rng: random.Random) -> Page:
    head = (
        div("c shop", text(r.shop))
        + div("c it", text(r.tagline))
        + div("sp")
        + div("c", text(f"{r.street} · {r.town} · {r.phone}"))
    )
    head += (
        div("sp")
        + pair(f"Table {r.extra['table']}", f"Guests {r.extra['covers']}")
        + pair(f"Served by {r.clerk}", f"Bill {r.number}")
    )
    head += pair(r.printed_day, r.time) + div("dots")
    lines = "".join(
        div("item", div("n", str(line.quantity)), div("w", text(line.name)), div("r", text(r.money.bare(line.amount))))
        for line in r.lines
    )
    after = div("dots")
    for label, amount in totals(r, ("Food and drink", "House discount", "Total"))[:-1]:
        after += pair(label, amount)
    after += div("box", pair("Total to pay", r.money.full(r.total), "pair big"))
    after += div("c", text(f"paid by {r.payment}" + (f", ending {r.card}" if r.payment == "card" else "")))
    tail = div("c it", "We were glad to have you.") + div("c", text(f"{r.site} · tax id {r.tax_id}"))
    css = ".shop{font-size:38px}.it{font-style:italic}.dots{border-top:3px dotted #55504a;margin:16px 0}.item{display:flex;gap:12px;margin:5px 0}.n{width:26px}.w{flex:1}"
    css += ".box{border:2px solid #3a3632;padding:12px 14px;margin:16px 0}.big{font-size:26px;font-weight:bold}"
    return _strip(
        r,
        rng,
        head,
        lines,
        after,
        tail,
        css,
        face=SERIF,
        size=18,
        width=700,
        paper="#fffdf8",
        ink="#2c2824",
        bed="#8f8578",
    )


def fuel(r: Receipt, rng: random.Random) -> Page:
    head = div(
        "top", div("logo", text(r.shop[0])), div("", div("shop", text(r.shop)), div("", text(f"{r.street}, {r.town}")))
    )
    head += div("band", pair(f"PUMP {r.extra['pump']}", f"{r.extra['litres']} LITRES"))
    head += (
        pair("Receipt", r.number)
        + pair("Date", f"{r.printed_day} {r.time}")
        + pair("Vehicle", r.extra["plate"])
        + div("rule")
    )
    lines = "".join(pair(line.name, r.money.bare(line.amount), "pair li") for line in r.lines)
    after = div("rule")
    rows = totals(r, ("Net sum", "Bonus points", "TOTAL"))
    for label, amount in rows[:-1]:
        after += pair(label, amount)
    after += div("rule") + pair("TOTAL", r.money.full(r.total), "pair big")
    after += pair("Tender", r.payment) + (pair("Card no.", f"xxxx xxxx {r.card}") if r.payment == "card" else "")
    tail = div("c", text(f"{r.tagline} · {r.phone}")) + div("c", text(f"Tax no. {r.tax_id}"))
    css = ".top{display:flex;gap:18px;align-items:center}.logo{width:64px;height:64px;border-radius:32px;background:#303238;color:#fff;font-size:36px;text-align:center;padding-top:7px;font-weight:bold}"
    css += ".shop{font-size:28px;font-weight:bold}.band{background:#303238;color:#fff;padding:9px 12px;margin:16px 0;font-weight:bold}.rule{border-top:1px solid #303238;margin:12px 0}.li{margin:6px 0}.big{font-size:30px;font-weight:bold}"
    return _strip(
        r,
        rng,
        head,
        lines,
        after,
        tail,
        css,
        face=INTER,
        size=19,
        width=640,
        paper="#f6f7f4",
        ink="#2b2d31",
        bed="#e4e5e6",
    )


def pharmacy(r: Receipt, rng: random.Random) -> Page:
    cross = '<svg width="56" height="56" viewBox="0 0 56 56"><rect x="20" y="4" width="16" height="48" fill="#2d7a55"/><rect x="4" y="20" width="48" height="16" fill="#2d7a55"/></svg>'
    head = div("top", cross, div("", div("shop", text(r.shop)), div("", text(f"{r.street}, {r.town}, {r.phone}"))))
    head += div(
        "frame",
        pair("Dispensed to", r.customer),
        pair("Receipt", r.number),
        pair("Date and time", f"{r.printed_day} {r.time}"),
        pair("Pharmacist", r.clerk),
    )
    lines = pair("Article", "Amount", "pair hd")
    for line in r.lines:
        name = line.name if line.quantity == 1 else f"{line.name} ({line.quantity} x {r.money.bare(line.unit)})"
        lines += pair(name, r.money.bare(line.amount), "pair li")
    after = ""
    for label, amount in totals(r, ("Sum of articles", "Member discount", "To pay"))[:-1]:
        after += pair(label, amount, "pair")
    after += div("due", pair("To pay", r.money.full(r.total), "pair big"))
    after += div("", text(f"Settled by {r.payment}." + (f" Card ends in {r.card}." if r.payment == "card" else "")))
    tail = div("c", text(r.tagline)) + div("c small", "Keep out of reach of children. No returns on medicines.")
    css = ".top{display:flex;gap:16px;align-items:center;margin-bottom:14px}.shop{font-size:27px;font-weight:bold;color:#22593f}.frame{border:1px solid #7d8a83;padding:10px 14px;margin-bottom:16px}"
    css += ".hd{font-weight:bold;border-bottom:2px solid #22593f;padding-bottom:4px}.li{padding:6px 0;border-bottom:1px solid #c9d2cc}.due{background:#e3efe8;padding:10px 12px;margin:14px 0}.big{font-size:24px;font-weight:bold}.small{font-size:14px}"
    return _strip(
        r,
        rng,
        head,
        lines,
        after,
        tail,
        css,
        face=SANS,
        size=17,
        width=740,
        paper="#fcfdfb",
        ink="#28302c",
        bed="#d7dbd9",
    )


def parking(r: Receipt, rng: random.Random) -> Page:
    head = div("p", div("pp", "P"), div("", div("shop", text(r.shop)), div("", text(f"{r.street}, {r.town}"))))
    head += div(
        "grid",
        *(
            div("cell", div("k", text(k)), div("v", text(v)))
            for k, v in (
                ("Entry", r.extra["entry"]),
                ("Exit", r.time),
                ("Date", r.printed_day),
                ("Ticket", r.number),
                ("Plate", r.extra["plate"]),
                ("Level", f"-{rng.randint(1, 4)}"),
            )
        ),
    )
    lines = "".join(pair(line.name, r.money.bare(line.amount), "pair li") for line in r.lines)
    after = ""
    for label, amount in totals(r, ("Charges", "Resident reduction", "Paid"))[:-1]:
        after += pair(label, amount)
    after += div("big", text("PAID " + r.money.full(r.total))) + pair("Means of payment", r.payment)
    after += pair("Approval", f"{r.card}") if r.payment == "card" else ""
    tail = div(
        "qr",
        matrix(rng, 25, 150),
        div("", div("", text(r.tagline)), div("", text(f"Help desk {r.phone}")), div("", text(r.site))),
    )
    css = ".p{display:flex;gap:20px;align-items:center;margin-bottom:18px}.pp{width:84px;height:84px;background:#1f4f8b;color:#fff;font-size:60px;font-weight:bold;text-align:center;line-height:1.35}.shop{font-size:27px;font-weight:bold}"
    css += ".grid{display:flex;flex-wrap:wrap;border-top:2px solid #1f4f8b;border-bottom:2px solid #1f4f8b;padding:10px 0;margin-bottom:14px}.cell{width:33%;padding:6px 0}.k{font-size:14px;color:#56606c}.v{font-size:20px;font-weight:bold}"
    css += ".li{padding:7px 0}.big{font-size:36px;font-weight:bold;margin:12px 0}.qr{display:flex;gap:24px;align-items:center}"
    return _strip(
        r,
        rng,
        head,
        lines,
        after,
        tail,
        css,
        face=INTER,
        size=18,
        width=720,
        paper="#fdfcf3",
        ink="#23303f",
        bed="#5d646c",
    )


def _sheet(
    body: str,
    css: str,
    *,
    face: str,
    size: int,
    paper: str,
    ink: str,
    accent: str,
    row: int,
    height: int = 1400,
    width: int = 1120,
    pad: str = "64px 96px 44px 80px",
) -> Page:
    """A full sheet: a flex column whose blank foot takes what height is left."""
    css = (
        _COMMON
        + f".sheet{{position:relative;display:flex;flex-direction:column;width:{width}px;height:{height}px;padding:{pad};font-family:{face};font-size:{size}px;color:{ink}}}"
        + ".zfoot{flex:1;min-height:250px}.zside{position:absolute;right:14px;top:330px;width:70px;height:740px}"
        + f".zrow{{height:{row}px}}"
        + ".table{display:flex;flex-direction:column}.tr{display:flex;gap:14px}.d{flex:1}.n{width:120px;text-align:right}.q{width:90px;text-align:right}"
        + css
    )
    return Page(
        div("sheet", body, div("zside", id="z-side")), css, width, height, paper, ink, face, size, accent, paper
    )


def _rows(r: Receipt, cls: str = "tr") -> str:
    return "".join(
        div(
            cls,
            div("q", str(line.quantity)),
            div("d", text(line.name)),
            div("n", text(r.money.bare(line.unit))),
            div("n", text(r.money.bare(line.amount))),
        )
        for line in r.lines
    )


def invoice(r: Receipt, rng: random.Random) -> Page:
    accent = rng.choice(("#25406b", "#6b2f45", "#2f5d50", "#444444"))
    head = div(
        "hd",
        div("", div("shop", text(r.shop)), div("", text(r.tagline))),
        div(
            "right",
            div("", text(r.street)),
            div("", text(r.town)),
            div("", text(r.phone)),
            div("", text(f"accounts@{r.site[4:]}")),
        ),
    )
    head += div("inv", "INVOICE")
    head += div(
        "two",
        div(
            "",
            div("k", "Billed to"),
            div("b", text(r.customer)),
            div("", text(r.customer_street)),
            div("", text(r.town)),
        ),
        div(
            "",
            pair("Invoice no.", r.number),
            pair("Invoice date", r.printed_day),
            pair("Payable by", r.extra["due"]),
            pair("Order ref.", r.extra["order"]),
        ),
    )
    table = div(
        "table",
        div(
            "tr th",
            div("q", "Qty"),
            div("d", "Description"),
            div("n", "Unit"),
            div("n", text(f"Amount {r.money.code}")),
        ),
        _rows(r, "tr td"),
        div("zrow", id="z-row"),
    )
    sums = "".join(pair(label, amount) for label, amount in totals(r, ("Net amount", "Discount", "Amount due"))[:-1])
    sums += pair("Amount due", r.money.full(r.total), "pair big")
    foot = div(
        "foot",
        div("", text(f"{r.shop} · {r.street} · {r.town} · tax id {r.tax_id}")),
        div("", text(f"Payment by {r.payment} · thank you for your business")),
    )
    css = f".hd{{display:flex;justify-content:space-between}}.shop{{font-size:34px;font-weight:bold;color:{accent}}}.right{{text-align:right}}.inv{{font-size:44px;letter-spacing:8px;color:{accent};margin:34px 0 22px}}"
    css += f".two{{display:flex;justify-content:space-between;margin-bottom:30px}}.k{{font-size:14px;color:#5c6066}}.th{{background:{accent};color:#fff;padding:10px 12px;font-weight:bold}}.td{{padding:10px 12px;border-bottom:1px solid #c8ccd2}}"
    css += f".sums{{width:400px;margin-left:auto;margin-top:8px}}.sums .pair{{padding:5px 12px}}.big{{font-size:22px;font-weight:bold;border-top:3px solid {accent}}}.foot{{border-top:1px solid #9aa0a8;padding-top:12px;font-size:14px;text-align:center;color:#4c5056}}.two .pair{{width:360px}}.zrow{{border-bottom:1px solid #c8ccd2}}"
    return _sheet(
        head + table + div("sums", sums) + div("zfoot", id="z-foot") + foot,
        css,
        face=INTER,
        size=17,
        paper="#ffffff",
        ink="#24272c",
        accent=accent,
        row=64,
    )


def hotel(r: Receipt, rng: random.Random) -> Page:
    head = (
        div("c shop", text(r.shop))
        + div("c it", text(r.tagline))
        + div("c", text(f"{r.street}, {r.town} · {r.phone} · {r.site}"))
        + div("dbl")
    )
    head += div(
        "two",
        div("", div("it", "Guest folio"), div("b", text(r.customer)), div("", text(r.customer_street))),
        div(
            "info",
            pair("Folio", r.number),
            pair("Room", r.extra["room"]),
            pair("Arrival", r.extra["arrival"]),
            pair("Departure", r.printed_day),
            pair("Nights", r.extra["nights"]),
        ),
    )
    table = div(
        "table",
        div("tr th", div("q", "Qty"), div("d", "Charge"), div("n", "Rate"), div("n", "Amount")),
        _rows(r, "tr td"),
        div("zrow", id="z-row"),
    )
    sums = "".join(
        pair(label, amount) for label, amount in totals(r, ("Charges", "Courtesy reduction", "Balance"))[:-1]
    ) + pair("Balance settled", r.money.full(r.total), "pair big")
    sums += div("it", text(f"by {r.payment}" + (f" ending {r.card}" if r.payment == "card" else "")))
    foot = div("sig", div("s", "Guest signature"), div("s", text(f"Front desk: {r.clerk}"))) + div(
        "c it", text(f"Tax registration {r.tax_id}. We hope to welcome you again.")
    )
    css = ".shop{font-size:42px;letter-spacing:3px}.it{font-style:italic}.dbl{border-top:4px double #5a4632;margin:22px 0}.two{display:flex;justify-content:space-between;margin-bottom:28px}.info{width:380px}"
    css += ".th{border-top:2px solid #5a4632;border-bottom:2px solid #5a4632;padding:8px 0;font-style:italic}.td{padding:9px 0}.sums{width:440px;margin-left:auto;border-top:2px solid #5a4632;padding-top:8px}.sums .pair{padding:4px 0}.big{font-size:21px;font-weight:bold}"
    css += ".sig{display:flex;justify-content:space-between;margin-bottom:18px}.s{width:300px;border-top:1px solid #5a4632;padding-top:5px;font-size:15px}"
    return _sheet(
        head + table + div("sums", sums) + div("zfoot", id="z-foot") + foot,
        css,
        face=SERIF,
        size=17,
        paper=rng.choice(("#fdf9ee", "#fbf7f0")),
        ink="#35291d",
        accent="#5a4632",
        row=62,
    )


def garage(r: Receipt, rng: random.Random) -> Page:
    head = div("bar", div("shop", text(r.shop.upper())), div("r", text(f"JOB SHEET AND BILL {r.number}")))
    head += div(
        "grid",
        *(
            div("cell", div("k", text(k)), div("", text(v)))
            for k, v in (
                ("CUSTOMER", r.customer),
                ("ADDRESS", r.customer_street),
                ("DATE", r.printed_day),
                ("PLATE", r.extra["plate"]),
                ("ODOMETER", r.extra["odometer"]),
                ("MECHANIC", r.clerk),
            )
        ),
    )
    table = div(
        "table",
        div("tr th", div("q", "QTY"), div("d", "PARTS AND LABOUR"), div("n", "EACH"), div("n", "SUM")),
        _rows(r, "tr td"),
        div("zrow", id="z-row"),
    )
    sums = "".join(
        pair(label.upper(), amount, "pair sum")
        for label, amount in totals(r, ("Total net", "Trade discount", "Payable"))[:-1]
    ) + pair("PAYABLE", r.money.full(r.total), "pair big")
    foot = pair(f"{r.street}, {r.town}", f"TEL {r.phone}") + pair(f"TAX ID {r.tax_id}", f"PAID VIA {r.payment.upper()}")
    css = ".bar{display:flex;justify-content:space-between;align-items:center;border-bottom:6px solid #2e2e2e;padding-bottom:10px}.shop{font-size:36px;font-weight:bold}.grid{display:flex;flex-wrap:wrap;border:2px solid #2e2e2e;margin:22px 0}.cell{width:33.33%;padding:9px 12px;border-right:1px solid #8a8a8a;border-bottom:1px solid #8a8a8a}.k{font-size:13px;color:#555}"
    css += ".table{border:2px solid #2e2e2e}.th{padding:8px 12px;border-bottom:2px solid #2e2e2e;font-weight:bold}.td{padding:8px 12px;border-bottom:1px dashed #8a8a8a}.sums{margin-left:auto;width:420px;border:2px solid #2e2e2e;border-top:0}.sum{padding:6px 12px}.big{padding:9px 12px;font-weight:bold;font-size:20px;background:#e2e2de}"
    return _sheet(
        head + table + div("sums", sums) + div("zfoot", id="z-foot") + foot,
        css,
        face=MONO,
        size=16,
        paper="#f7f5ec",
        ink="#2e2e2e",
        accent="#2e2e2e",
        row=60,
        height=1360,
    )


def parcel(r: Receipt, rng: random.Random) -> Page:
    head = div(
        "top",
        div("shop", text(r.shop)),
        div("r", div("b", "SHIPPING NOTE AND RECEIPT"), div("", text(f"{r.printed_day}, {r.time}"))),
    )
    head += div(
        "boxes",
        div(
            "bx", div("k", "From"), div("b", text(r.customer)), div("", text(r.customer_street)), div("", text(r.town))
        ),
        div("bx", div("k", "Depot"), div("b", text(r.street)), div("", text(r.town)), div("", text(r.phone))),
        div(
            "bx",
            div("k", "Consignment"),
            div("b", text(r.number)),
            div("", text(f"Weight {r.extra['weight']}")),
            div("", text(f"Ref. {r.extra['order']}")),
        ),
    )
    head += div("codes", bars(rng, 620, 92), matrix(rng, 29, 116))
    table = div(
        "table",
        div("tr th", div("d", "Service"), div("q", "Pieces"), div("n", "Price"), div("n", "Amount")),
        *(
            div(
                "tr td",
                div("d", text(x.name)),
                div("q", str(x.quantity)),
                div("n", text(r.money.bare(x.unit))),
                div("n", text(r.money.bare(x.amount))),
            )
            for x in r.lines
        ),
        div("zrow", id="z-row"),
    )
    sums = (
        "".join(pair(label, amount) for label, amount in totals(r, ("Carriage", "Contract discount", "Total"))[:-1])
        + pair("Total charged", r.money.full(r.total), "pair big")
        + pair("Paid by", r.payment)
    )
    foot = div("c small", text(f"{r.tagline} · {r.site} · {r.tax_id}"))
    css = ".top{display:flex;justify-content:space-between;background:#f2b632;padding:16px 20px;align-items:center}.shop{font-size:32px;font-weight:bold}.boxes{display:flex;border:2px solid #2a2a2a}.bx{flex:1;padding:12px 16px;border-right:2px solid #2a2a2a}.k{font-size:13px;color:#555}"
    css += ".codes{display:flex;justify-content:space-between;align-items:center;margin:22px 0}.th{font-weight:bold;border-bottom:3px solid #2a2a2a;padding:6px 4px}.td{padding:8px 4px;border-bottom:1px solid #bbb}.sums{width:430px;margin-left:auto;margin-top:8px}.sums .pair{padding:4px}.big{font-size:22px;font-weight:bold}.small{font-size:14px}"
    return _sheet(
        head + table + div("sums", sums) + div("zfoot", id="z-foot") + foot,
        css,
        face=INTER,
        size=17,
        paper="#fdfdfb",
        ink="#232323",
        accent="#8a5a00",
        row=58,
        height=1280,
        pad="48px 96px 34px 56px",
    )


def florist(r: Receipt, rng: random.Random) -> Page:
    leaf = "".join(
        f'<ellipse cx="{30 + 22 * k}" cy="{34 - 9 * (k % 2)}" rx="14" ry="6" fill="{c}"/>'
        for k, c in enumerate(("#4f7d5a", "#6d9a63", "#3f6b57", "#87ad72"))
    )
    tint = rng.choice(("#fdf3f1", "#f3f8ee", "#fdf8e6"))
    head = div(
        "c",
        f'<svg width="130" height="50" viewBox="0 0 130 50">{leaf}</svg>',
        div("shop", text(r.shop)),
        div("it", text(r.tagline)),
    )
    head += div(
        "frame",
        pair("Cash sale", r.number),
        pair("Sold on", f"{r.printed_day} at {r.time}"),
        pair("For", r.customer),
        pair("Sold by", r.clerk),
    )
    table = div(
        "table",
        *(
            div(
                "tr td",
                div("d", text(x.name if x.quantity == 1 else f"{x.quantity} × {x.name}")),
                div("n", text(r.money.bare(x.amount))),
            )
            for x in r.lines
        ),
        div("zrow", id="z-row"),
    )
    sums = "".join(
        pair(label, amount) for label, amount in totals(r, ("Together", "Friends' discount", "Sum"))[:-1]
    ) + pair("Sum received", r.money.full(r.total), "pair big")
    sums += div("it", text(f"received by {r.payment}" + (f" (…{r.card})" if r.payment == "card" else "")))
    foot = div("c it", text(f"{r.street}, {r.town} · {r.phone} · {r.site}"))
    css = ".c svg{margin:0 auto}.shop{font-size:40px;color:#3f5f45}.it{font-style:italic}.frame{border-top:1px solid #7d8f74;border-bottom:1px solid #7d8f74;padding:12px 0;margin:20px 0}.td{padding:9px 0;border-bottom:1px dotted #8fa083}.sums{margin-top:14px}.sums .pair{padding:4px 0}.big{font-size:26px;font-weight:bold;color:#3f5f45}.zrow{border-bottom:1px dotted #8fa083}"
    return _sheet(
        head + table + div("sums", sums) + div("zfoot", id="z-foot") + foot,
        css,
        face=SERIF,
        size=19,
        paper=tint,
        ink="#31372e",
        accent="#3f5f45",
        row=64,
        height=1260,
        width=1000,
        pad="40px 100px 36px 100px",
    )


LAYOUTS: dict[str, Layout] = {
    "grocery": grocery,
    "bistro": bistro,
    "fuel": fuel,
    "pharmacy": pharmacy,
    "parking": parking,
    "parcel": parcel,
    "invoice": invoice,
    "hotel": hotel,
    "garage": garage,
    "florist": florist,
}
"""Layouts by name; the name is also the trade whose goods it lists, and the cluster of its cases."""
