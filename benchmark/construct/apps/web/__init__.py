"""The web apps, in a fixed order: new ones are added at the end, so that the cases of older ones keep their place."""

from __future__ import annotations

from benchmark.construct.app import App
from benchmark.construct.apps.web.bank import Bank
from benchmark.construct.apps.web.calendar import Calendar
from benchmark.construct.apps.web.classifieds import Classifieds
from benchmark.construct.apps.web.codehost import Codehost
from benchmark.construct.apps.web.content import Content
from benchmark.construct.apps.web.forum import Forum
from benchmark.construct.apps.web.shop import Shop
from benchmark.construct.apps.web.tracker import Tracker
from benchmark.construct.apps.web.travel import Travel
from benchmark.construct.apps.web.webmail import Webmail

APPS: tuple[App, ...] = (
    Shop(), Webmail(), Calendar(), Bank(), Tracker(), Classifieds(), Forum(), Codehost(), Travel(), Content(),
)  # fmt: skip
