"""Fixtures that every test may use."""

from tests.servers.loopback import loopback as loopback
