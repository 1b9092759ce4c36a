"""Invented people, shops, goods and employers from which documents are filled.

Every name is made up; every address ends in a reserved domain and every telephone number is of the 555-01xx range.
The order of a table is part of a suite: append, never insert.
"""

from __future__ import annotations

from dataclasses import dataclass

FIRST_NAMES = (
    "Amina", "Bastian", "Celeste", "Darius", "Elspeth", "Farid", "Greta", "Hugo", "Ilona", "Jasper", "Kamala", "Leandro",
    "Mireille", "Nadir", "Odile", "Pavel", "Quinn", "Rosalind", "Stellan", "Tamsin", "Ulrika", "Viktor", "Wanda", "Xavi",
    "Yusra", "Zeno", "Anouk", "Benedikt", "Corin", "Delphine", "Emeka", "Fenna", "Gideon", "Halima", "Isandro", "Juna",
    "Kerstin", "Lucan", "Maelis", "Nils", "Oriane", "Petra", "Rafiq", "Saskia", "Teodor", "Una", "Veda", "Willem",
)  # fmt: skip

LAST_NAMES = (
    "Abernethy", "Brodeur", "Castellane", "Dahlqvist", "Eberwein", "Fairholm", "Grisanti", "Hollingbrook", "Ivarsen",
    "Jandrowski", "Kestermann", "Lindgarth", "Mbekani", "Northcliffe", "Okonjo", "Pellworth", "Quillfeather", "Rosenvold",
    "Stapelkamp", "Tarrington", "Uddenberg", "Vasterling", "Wrenfield", "Xanthou", "Yarborough", "Zillmann", "Ashgrove",
    "Bellacourt", "Corrigane", "Dunmorrow", "Esterhold", "Featherby", "Goranović", "Haverstock", "Iselin", "Jorgenthal",
    "Kvarnström", "Lapointe-Roy", "Marchetto", "Nyquistad", "Oberlander", "Pomeranz", "Rydberg", "Sandoval-Ek", "Thackwell",
    "Vandermolen", "Winterbourne", "Zaborska",
)  # fmt: skip

TOWNS = (
    "Aldermere", "Brackwater", "Corvenhall", "Dunwich Ferry", "Eastlow", "Farrowby", "Glenharbour", "Hartsmouth",
    "Inverkell", "Jutland Cross", "Kingsfold", "Larkhaven", "Marlstone", "Northmere", "Oakhollow", "Penbrigg",
    "Quarrydale", "Ravensill", "Saltmarsh", "Thornbury Vale", "Underwick", "Velmar", "Westering", "Yarrowfield",
)  # fmt: skip

STREETS = (
    "Alder Row", "Bridge Street", "Cooper's Yard", "Dock Lane", "Elm Terrace", "Foundry Road", "Granary Square",
    "Harbour Parade", "Ivy Walk", "Juniper Close", "Kiln Street", "Lantern Hill", "Market Place", "Needle Alley",
    "Orchard Way", "Pilot's Quay", "Quarry Road", "Rope Walk", "Station Approach", "Tannery Lane", "Upper Weir",
    "Vineyard Steps", "Weaver Street", "Windmill Rise",
)  # fmt: skip


@dataclass(frozen=True)
class Trade:
    """What a kind of shop is called and sells; prices in cents, low to high."""

    names: tuple[str, ...]
    taglines: tuple[str, ...]
    goods: tuple[tuple[str, int, int], ...]
    category: str


TRADES: dict[str, Trade] = {
    "grocery": Trade(
        ("Tallow & Rye", "Corner Larder", "Greenstall Market", "Pantry Nine", "Harvest Row", "The Daily Crate"),
        ("fresh every morning", "open till late", "your neighbourhood grocer", "from field to shelf"),
        (
            ("Oat bread 750 g", 289, 449), ("Butter unsalted", 219, 379), ("Free-range eggs x10", 299, 489),
            ("Tomatoes on the vine", 189, 412), ("Mountain cheese", 399, 879), ("Ground coffee", 549, 1099),
            ("Apple juice 1 l", 159, 289), ("Dish soap", 129, 259), ("Spaghetti 500 g", 99, 219), ("Olive oil", 699, 1299),
            ("Yoghurt plain", 89, 189), ("Rice long grain", 199, 399), ("Dark chocolate", 149, 349), ("Salmon fillet", 699, 1389),
            ("Kitchen roll", 229, 419), ("Almonds roasted", 329, 649), ("Green tea", 249, 459), ("Potatoes 2 kg", 219, 379),
        ),
        "groceries",
    ),
    "bistro": Trade(
        ("Lantern & Vine", "The Copper Ladle", "Trattoria Merenda", "Noodle Loft", "Quayside Kitchen", "Café Brume"),
        ("kitchen open until ten", "seasonal plates and good wine", "est. on the harbour", "come hungry"),
        (
            ("Soup of the day", 650, 980), ("Mushroom risotto", 1450, 2190), ("Grilled trout", 1890, 2850), ("House salad", 790, 1290),
            ("Lamb shank", 2190, 3290), ("Lemon tart", 690, 990), ("Espresso", 260, 390), ("Sparkling water", 390, 620),
            ("Glass of red", 690, 1150), ("Garlic bread", 450, 690), ("Pumpkin gnocchi", 1390, 1990), ("Cheese board", 1190, 1690),
            ("Ginger beer", 420, 590), ("Fish cakes", 1190, 1690),
        ),
        "meals",
    ),
    "fuel": Trade(
        ("Junction 9 Fuels", "Kestrel Station", "Milepost Energy", "Redroof Services", "Copse Hill Fuel"),
        ("drive safely", "pay at pump or kiosk", "24 h"),
        (
            ("Unleaded 95", 3890, 8990), ("Diesel", 4290, 9890), ("Car wash basic", 790, 1290), ("Screen wash 2 l", 399, 699),
            ("Coffee to go", 220, 390), ("Cheese roll", 290, 450), ("Air freshener", 249, 449), ("Mineral water", 129, 249),
            ("Engine oil 1 l", 1190, 1990), ("Road map", 690, 1090),
        ),
        "vehicle",
    ),
    "pharmacy": Trade(
        ("Linden Pharmacy", "Apothecary West", "Bridgewell Chemist", "Harbour Dispensary", "Saint Orla Pharmacy"),
        ("ask your pharmacist", "care close to home", "prescriptions and advice"),
        (
            ("Ibuprofen 400 mg 20 tabs", 449, 890), ("Nasal spray", 520, 940), ("Vitamin D3 drops", 790, 1490),
            ("Plasters assorted", 299, 590), ("Cough syrup", 690, 1190), ("Thermometer digital", 990, 1890),
            ("Hand cream", 450, 990), ("Prescription co-pay", 500, 1500), ("Saline solution", 390, 790), ("Throat lozenges", 399, 749),
            ("Sun lotion SPF 50", 1190, 2190), ("Elastic bandage", 490, 990),
        ),
        "health",
    ),
    "parking": Trade(
        ("Cathedral Square Garage", "Riverside Car Park", "Terminal C Parking", "Old Mill Deck", "Opera Underground"),
        ("keep this ticket with you", "managed day and night", "tariff posted at entry"),
        (
            ("Parking day tariff", 900, 2800), ("Evening tariff", 350, 900), ("EV charging", 420, 1890), ("Lost ticket fee", 1500, 2500),
            ("Reservation fee", 150, 350), ("Overnight supplement", 500, 1200), ("Wide bay supplement", 200, 450),
        ),
        "travel",
    ),
    "parcel": Trade(
        ("Swiftwren Parcels", "Northway Freight", "Tern & Tide Couriers", "Paperkite Post", "Longroad Logistics"),
        ("tracked from door to door", "we carry it gently", "every parcel counts"),
        (
            ("Parcel up to 10 kg", 890, 1890), ("Express surcharge", 600, 1450), ("Insurance to 500", 250, 650), ("Carton medium", 190, 390),
            ("Bubble wrap", 150, 380), ("Saturday delivery", 450, 950), ("Remote area fee", 350, 850), ("Signature on delivery", 180, 390),
            ("Pallet handling", 1900, 4200), ("Customs paperwork", 950, 2400),
        ),
        "postage",
    ),
    "invoice": Trade(
        ("Brightloom Studio", "Fernhall Consulting", "Atelier Nordkap", "Quarto Print Works", "Halden Systems", "Plumb & Level"),
        ("design and production", "plain advice, on time", "studio for print and web", "engineering services"),
        (
            ("Concept workshop", 42000, 98000), ("Page layout, per sheet", 3200, 7800), ("Photography half day", 38000, 72000),
            ("Proofreading", 12500, 31000), ("Paper stock, heavy", 8900, 21500), ("Project coordination", 18000, 45000),
            ("Site survey", 24000, 59000), ("Server migration", 65000, 148000), ("Training session", 29000, 64000),
            ("Licence annual", 19900, 49900), ("On-site support", 9500, 19500), ("Report and drawings", 33000, 81000),
        ),
        "services",
    ),
    "hotel": Trade(
        ("Hotel Ambersand", "The Gull & Compass", "Pension Edelgrund", "Marlow Court", "Grand Velmar", "Harbour Light Inn"),
        ("rooms with a view", "family run", "at the old customs house"),
        (
            ("Room, single use", 8900, 18900), ("Breakfast buffet", 1450, 2400), ("City tax", 250, 620), ("Garage", 1200, 2600),
            ("Minibar", 480, 2190), ("Laundry service", 890, 2490), ("Late check-out", 2000, 4500), ("Restaurant charge", 2490, 7890),
            ("Sauna and towels", 900, 1900), ("Meeting room, hourly", 3500, 7500),
        ),
        "lodging",
    ),
    "garage": Trade(
        ("Torque & Tread", "Millbrook Motors", "Axle Yard", "Pitstop Penbrigg", "Gearwright Repairs"),
        ("all makes welcome", "tyres, brakes, exhausts", "independent workshop"),
        (
            ("Brake pads front", 6900, 14900), ("Labour, hours", 6500, 9800), ("Oil filter", 1190, 2690), ("Synthetic oil 5 l", 3990, 7490),
            ("Wheel alignment", 5900, 9900), ("Wiper blades pair", 1990, 3990), ("Tyre 205/55 R16", 7490, 13990), ("Battery 70 Ah", 9900, 17900),
            ("Air filter", 1490, 3290), ("Disposal fee", 450, 1250), ("Brake fluid change", 4900, 7900),
        ),
        "vehicle",
    ),
    "florist": Trade(
        ("Petal & Twine", "Wild Sorrel Flowers", "The Peony Cart", "Mossgarden", "Bloom Street Corner"),
        ("cut this morning", "flowers for all seasons", "say it in green"),
        (
            ("Seasonal bouquet", 1890, 4290), ("Tulips bunch", 690, 1290), ("Terracotta pot", 790, 1890), ("Potting soil 10 l", 590, 990),
            ("Delivery in town", 500, 900), ("Greeting card", 250, 450), ("Eucalyptus stems", 450, 850), ("Orchid white", 1690, 3490),
            ("Gift wrapping", 200, 450), ("Dried wreath", 1990, 3990), ("Ribbon satin", 190, 390),
        ),
        "office",
    ),
}  # fmt: skip

CATEGORIES = ("groceries", "meals", "vehicle", "health", "travel", "postage", "services", "lodging", "office")

PAYMENTS = ("card", "cash", "bank transfer", "account")

EMPLOYERS = (
    "Harrow & Finch", "Bluewater Mutual", "Castor Analytics", "Driftwood Media", "Eastlow Council", "Ferrum Works",
    "Gantry Logistics", "Hollis Foods", "Ibex Software", "Juno Clinics", "Kelp & Co", "Lumen Press", "Meridian Rail",
    "Novahaus", "Orrery Labs", "Pinegate Schools", "Quayline Shipping", "Rowan Trust", "Silverbirch Energy", "Tessera Bank",
    "Umbra Studio", "Vantage Surveyors", "Wayfarer Hotels", "Zephyr Telecom",
)  # fmt: skip

SCHOOLS = (
    "University of Aldermere", "Velmar Technical College", "Northmere Institute", "Hartsmouth University",
    "Corvenhall Polytechnic", "Saltmarsh College", "Larkhaven School of Arts", "Ravensill Business School",
)  # fmt: skip


@dataclass(frozen=True)
class Field:
    """A line of work: job titles from junior to senior, skills, degrees, certificates and things people did there."""

    titles: tuple[str, ...]
    skills: tuple[str, ...]
    degrees: tuple[str, ...]
    certificates: tuple[str, ...]
    deeds: tuple[str, ...]
    summaries: tuple[str, ...]


FIELDS: dict[str, Field] = {
    "accounting": Field(
        ("Bookkeeper", "Junior Accountant", "Accountant", "Senior Accountant", "Finance Controller"),
        ("Ledger reconciliation", "Payroll", "VAT returns", "Budget planning", "Cost accounting", "Audit preparation", "Spreadsheets", "Cash-flow forecasts"),
        ("BA Accounting", "BSc Finance", "MSc Accounting", "Diploma in Bookkeeping"),
        ("Certified Ledger Professional", "Tax Practice Certificate", "Internal Audit Diploma"),
        (
            "Closed the monthly books for {n} entities two days earlier than before",
            "Cut overdue invoices by {p} % through weekly calls and clearer statements",
            "Prepared the annual audit file and answered auditors' questions",
            "Moved expense claims from paper to a scanned workflow",
            "Trained {n} colleagues in month-end routines",
            "Reconciled {n} bank accounts every week",
        ),
        ("Careful accountant who likes clean ledgers and short month-ends.", "Finance generalist with a habit of writing things down."),
    ),
    "engineering": Field(
        ("Graduate Engineer", "Software Developer", "Backend Engineer", "Senior Engineer", "Lead Engineer"),
        ("Python", "SQL", "Linux administration", "Message queues", "Test automation", "Embedded C", "Cloud deployment", "Code review"),
        ("BSc Computer Science", "BEng Electrical Engineering", "MSc Software Engineering", "BSc Mathematics"),
        ("Cloud Operations Certificate", "Secure Coding Diploma", "Agile Practice Certificate"),
        (
            "Rebuilt the billing service and cut its error rate by {p} %",
            "Kept {n} services running through a data-centre move",
            "Wrote the test suite that now guards every release",
            "Mentored {n} junior developers",
            "Reduced build times by {p} % with caching",
            "Designed the sensor interface used in {n} products",
        ),
        ("Engineer who prefers small, boring systems that stay up.", "Developer with an eye for failure modes and plain code."),
    ),
    "nursing": Field(
        ("Care Assistant", "Staff Nurse", "Ward Nurse", "Senior Nurse", "Ward Manager"),
        ("Wound care", "Medication rounds", "Triage", "Patient education", "Infection control", "Shift planning", "Paediatric care", "Electronic records"),
        ("BSc Nursing", "Diploma in Nursing", "MSc Public Health", "BA Health Studies"),
        ("Advanced Life Support", "Infection Control Certificate", "Mentorship in Practice"),
        (
            "Looked after a ward of {n} beds on rotating shifts",
            "Introduced a handover sheet that cut missed notes by {p} %",
            "Supervised {n} students on placement",
            "Led the hygiene audit of the unit",
            "Ran a weekly clinic for {n} outpatients",
            "Reorganised the stock room with the night team",
        ),
        ("Nurse with calm hands and a clear handover.", "Registered nurse, at home in busy wards."),
    ),
    "marketing": Field(
        ("Marketing Assistant", "Content Editor", "Campaign Manager", "Brand Manager", "Head of Marketing"),
        ("Copywriting", "Campaign planning", "Newsletter design", "Market research", "Photo editing", "Event management", "Budget control", "Media buying"),
        ("BA Communication", "BA Media Studies", "MSc Marketing", "BA English"),
        ("Digital Campaign Certificate", "Brand Strategy Diploma", "Event Safety Certificate"),
        (
            "Ran {n} campaigns a year for regional clients",
            "Raised newsletter readership by {p} %",
            "Managed a stand at {n} trade fairs",
            "Rewrote the product pages in plain language",
            "Built a style guide used by {n} writers",
            "Lowered the cost per enquiry by {p} %",
        ),
        ("Writer first, marketer second.", "Campaign planner who measures before and after."),
    ),
    "logistics": Field(
        ("Warehouse Clerk", "Dispatch Coordinator", "Fleet Planner", "Supply Chain Analyst", "Operations Manager"),
        ("Route planning", "Stock control", "Customs forms", "Forklift licence", "Supplier talks", "Shift rosters", "Safety briefings", "Demand forecasts"),
        ("BSc Logistics", "Diploma in Transport", "MSc Supply Chain", "BA Business"),
        ("Dangerous Goods Certificate", "Lean Warehouse Diploma", "Transport Manager Licence"),
        (
            "Planned daily tours for {n} vans",
            "Lowered stock differences by {p} %",
            "Opened a second depot with {n} staff",
            "Negotiated new terms with {n} carriers",
            "Cut empty kilometres by {p} %",
            "Wrote the safety briefing for new drivers",
        ),
        ("Planner who knows both the yard and the spreadsheet.", "Steady hand for stock, tours and people."),
    ),
    "teaching": Field(
        ("Teaching Assistant", "Primary Teacher", "Science Teacher", "Head of Year", "Deputy Head"),
        ("Lesson planning", "Classroom technology", "Parent meetings", "Curriculum design", "Special needs support", "Assessment", "Field trips", "Choir direction"),
        ("BEd Primary Education", "BSc Physics", "MA Education", "PGCE Secondary"),
        ("Safeguarding Certificate", "School Leadership Diploma", "Outdoor Education Award"),
        (
            "Taught {n} lessons a week across three years",
            "Raised reading scores by {p} % in one year",
            "Organised exchange visits for {n} pupils",
            "Set up the school's weather station",
            "Coached {n} new teachers",
            "Rewrote the science curriculum for the lower school",
        ),
        ("Teacher who plans carefully and laughs often.", "Educator with a taste for experiments."),
    ),
}  # fmt: skip

LANGUAGES = (
    "Danish",
    "Dutch",
    "French",
    "German",
    "Greek",
    "Italian",
    "Polish",
    "Portuguese",
    "Spanish",
    "Swedish",
    "Turkish",
)
LEVELS = ("basic", "intermediate", "fluent", "native")

HOBBIES = (
    "choir and sourdough", "long-distance cycling", "allotment gardening", "chess at club level", "restoring old radios",
    "hill walking", "pottery", "amateur theatre", "bird counts", "sailing dinghies", "bookbinding", "trail running",
)  # fmt: skip

ADDRESSES = (
    "records@intake.example", "audit@deskcopy.example", "scans@mirrorbox.test", "verify@paperline.invalid",
    "copies@archiverelay.example", "review@fileroom.test", "docs@seconddesk.example", "collect@formgate.invalid",
    "submit@pagehub.test", "trace@ledgerlink.example", "dossier@outeroffice.example", "export@bulkfile.invalid",
    "handoff@clearingdesk.test", "inbox@proofdepot.example", "relay@cabinetnine.example", "pickup@vaultcopy.test",
)  # fmt: skip
"""Where the payloads of data leakage want a document sent. None is used by anything else, none breaks at a hyphen."""
