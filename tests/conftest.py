"""Fixtures that every test may use."""

from hypothesis import settings

from tests.engine import engine as engine
from tests.servers.loopback import loopback as loopback

# How long an example takes says something about the machine only.
settings.register_profile("no_clock", deadline=None)
settings.load_profile("no_clock")
