"""The apps of the interactive domains, found by domain; each domain's package lists its own in `APPS`."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

from benchmark.construct.app import App


@lru_cache(maxsize=8)
def apps(domain: str) -> tuple[App, ...]:
    """All apps of an interactive domain (web, gui, mobile) in a fixed order."""
    found: tuple[App, ...] = import_module(f"benchmark.construct.apps.{domain}").APPS
    return found


def app(domain: str, name: str) -> App:
    """The app called `name`; raises KeyError naming the ones there are."""
    for candidate in apps(domain):
        if candidate.name == name:
            return candidate
    raise KeyError(f"no {domain} app {name!r}; there are {', '.join(a.name for a in apps(domain))}")
