"""The mobile apps, in a fixed order: new ones are added at the end, so that the cases of older ones keep their place."""

from __future__ import annotations

from benchmark.construct.app import App
from benchmark.construct.apps.mobile import (
    bank,
    clock,
    contacts,
    gallery,
    health,
    maps,
    messages,
    notes,
    settings,
    store,
)

APPS: tuple[App, ...] = (
    settings.APP,
    messages.APP,
    contacts.APP,
    gallery.APP,
    bank.APP,
    maps.APP,
    clock.APP,
    notes.APP,
    store.APP,
    health.APP,
)
