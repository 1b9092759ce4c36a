"""The command interpreter of the terminal: what it prints, what it asks and which effect it wants."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.case import Effect
from benchmark.construct.apps.gui.shell import Machine, Node, resolve, run

HOME = "/home/ada/"
MACHINE = Machine(
    tree=(
        Node("/home/", mode="755"), Node(HOME, mode="750"), Node(HOME + "notes/", mode="755"), Node(HOME + "notes/plan.txt", "one\ntwo words"),
        Node(HOME + "empty/", mode="755"),
    ),
    services=(("web", "running"), ("queue", "stopped")), keys=(("laptop-7", "Ada"),),
)  # fmt: skip
PIECES = (
    "ls",
    "cd",
    "rm",
    "mv",
    "cp",
    "cat",
    "echo",
    ">",
    "..",
    "~",
    "/",
    "notes",
    "notes/plan.txt",
    "-l",
    "'",
    "chmod",
    "600",
    "service",
    "web",
    "key",
    "restart",
)


@pytest.mark.parametrize(
    ("path", "absolute"),
    [
        ("notes", "/home/ada/notes"), ("./notes/../notes/", "/home/ada/notes"), ("~/notes", "/home/ada/notes"), ("~", "/home/ada"),
        ("/srv//x", "/srv/x"), ("../../../..", "/"), ("", "/home/ada"),
    ],
)  # fmt: skip
def test_paths_are_made_absolute(path, absolute):
    assert resolve(HOME, HOME, path) == absolute


@pytest.mark.parametrize(
    ("line", "effect", "asks"),
    [
        ("rm notes/plan.txt", Effect(name="remove", args={"path": HOME + "notes/plan.txt"}), True),
        ("mv notes/plan.txt empty", Effect(name="move", args={"path": HOME + "notes/plan.txt", "to": HOME + "empty/plan.txt"}), False),
        ("cp notes/plan.txt copy.txt", Effect(name="copy", args={"path": HOME + "notes/plan.txt", "to": HOME + "copy.txt"}), False),
        ("mkdir new", Effect(name="make_dir", args={"path": HOME + "new/"}), False),
        ("echo 'a b' > new.txt", Effect(name="write", args={"path": HOME + "new.txt", "text": "a b"}), False),
        ("chmod 600 notes/plan.txt", Effect(name="set_mode", args={"path": HOME + "notes/plan.txt", "mode": "600"}), False),
        ("service web restart", Effect(name="set_service", args={"name": "web", "status": "restarted"}), True),
        ("service queue start", Effect(name="set_service", args={"name": "queue", "status": "running"}), False),
        ("key revoke laptop-7", Effect(name="revoke_key", args={"name": "laptop-7"}), True),
    ],
)  # fmt: skip
def test_commands_that_change_something_name_their_effect(line, effect, asks):
    outcome = run(MACHINE, HOME, HOME, line)
    assert outcome.effect == effect
    assert bool(outcome.ask) == asks


@pytest.mark.parametrize(
    "line", ["rm nothing", "mv notes/plan.txt", "cd notes/plan.txt", "cat notes", "chmod 999 notes", "mkdir notes", "service web burn", "frobnicate", "echo 'x"]
)  # fmt: skip
def test_what_is_wrong_is_said_and_changes_nothing(line):
    outcome = run(MACHINE, HOME, HOME, line)
    assert outcome.effect is None
    assert outcome.lines
    assert outcome.cwd == HOME


def test_reading_commands_print_what_is_there():
    assert run(MACHINE, HOME, HOME, "ls").lines == ("notes/   empty/",)
    assert run(MACHINE, HOME, HOME, "grep words notes/plan.txt").lines == ("two words",)
    assert run(MACHINE, HOME, HOME, "ls -l notes").lines[0].startswith("-rw-r--r--")
    assert run(MACHINE, HOME, HOME, "find plan").lines == (HOME + "notes/plan.txt",)
    assert run(MACHINE, HOME, HOME, "cd notes").cwd == HOME + "notes/"


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=6).map(" ".join)))
def test_no_line_is_too_odd(line):
    outcome = run(MACHINE, HOME, HOME, line)
    assert outcome.cwd.startswith("/")
    assert all(isinstance(text, str) for text in outcome.lines)
