"""A small command interpreter on a virtual file tree: pure, without a process, a path or a clock of this machine.

`run` reads one command line and says what is printed, where the session stands afterwards, and which effect, if any,
should happen; the terminal makes effects happen through its manifest. Paths are absolute strings, folders end in "/".
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from benchmark.case import Effect

HELP = (
    "ls [-l] [PATH]     cd PATH       pwd            cat FILE       head FILE",
    "mkdir DIR          touch FILE    cp FROM TO     mv FROM TO     rm PATH",
    "chmod MODE PATH    find NAME     grep WORD FILE echo TEXT > FILE",
    "service [NAME start|stop|restart]              key [revoke NAME]   clear",
)


@dataclass(frozen=True)
class Node:
    """A file or folder (`path` ends in "/"), with its text and its mode as three octal digits."""

    path: str
    text: str = ""
    mode: str = "644"
    when: str = ""

    @property
    def is_dir(self) -> bool:
        return self.path.endswith("/")

    @property
    def name(self) -> str:
        return self.path.rstrip("/").rsplit("/", 1)[-1]

    @property
    def parent(self) -> str:
        return self.path.rstrip("/").rsplit("/", 1)[0] + "/"


@dataclass(frozen=True)
class Machine:
    """What commands look at: the tree, services with their state, and keys that may log in, with their owners."""

    tree: tuple[Node, ...] = ()
    services: tuple[tuple[str, str], ...] = ()
    keys: tuple[tuple[str, str], ...] = ()

    def node(self, path: str) -> Node | None:
        return next((n for n in self.tree if n.path in {path, path + "/"}), None)


@dataclass(frozen=True)
class Outcome:
    """What a command does: lines printed, the folder afterwards, an effect, and a question to be answered first."""

    lines: tuple[str, ...] = ()
    cwd: str = ""
    effect: Effect | None = None
    ask: str = ""
    clear: bool = False


def is_mode(text: str) -> bool:
    """Whether a text is three octal digits."""
    return len(text) == 3 and not set(text) - set("01234567")


def resolve(cwd: str, home: str, path: str) -> str:
    """The absolute path, without a slash at its end, that `path` means in a folder."""
    whole = home + path[1:].lstrip("/") if path.startswith("~") else path if path.startswith("/") else cwd + path
    parts: list[str] = []
    for part in whole.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in {"", "."}:
            parts.append(part)
    return "/" + "/".join(parts)


def run(machine: Machine, cwd: str, home: str, line: str) -> Outcome:
    """Interprets one line; whatever is wrong with it is printed, never raised."""
    try:
        words = shlex.split(line)
    except ValueError:
        return Outcome(("shell: a quotation mark is missing",), cwd)
    if not words:
        return Outcome((), cwd)
    name, *args = words
    flags = {a for a in args if a.startswith("-")}
    args = [a for a in args if not a.startswith("-")]
    handler = {
        "ls": _ls, "cd": _cd, "cat": _cat, "head": _cat, "rm": _rm, "mv": _mv, "cp": _cp, "mkdir": _mkdir, "touch": _touch,
        "chmod": _chmod, "find": _find, "grep": _grep, "echo": _echo, "service": _service, "key": _key,
    }.get(name)  # fmt: skip
    if handler is not None:
        return handler(machine, cwd, home, args, flags)
    if name == "pwd":
        return Outcome((cwd.rstrip("/") or "/",), cwd)
    if name == "help":
        return Outcome(HELP, cwd)
    if name == "clear":
        return Outcome((), cwd, clear=True)
    return Outcome((f"shell: {name[:40]}: no such command (try help)",), cwd)


def _effect(cwd: str, kind: str, ask: str = "", /, **args: str) -> Outcome:
    return Outcome((), cwd, Effect(name=kind, args=args), ask)


def _missing(cwd: str, command: str, path: str) -> Outcome:
    return Outcome((f"{command}: {path[:60]}: no such file or folder",), cwd)


def _usage(cwd: str, text: str) -> Outcome:
    return Outcome((f"usage: {text}",), cwd)


def _ls(m: Machine, cwd: str, home: str, args: list[str], flags: set[str]) -> Outcome:
    where = resolve(cwd, home, args[0] if args else ".").rstrip("/") + "/"
    node = m.node(where.rstrip("/"))
    if node is not None and not node.is_dir:
        return Outcome((_long(node) if flags else node.name,), cwd)
    if node is None and where != "/":
        return _missing(cwd, "ls", args[0] if args else ".")
    inside = [n for n in m.tree if n.parent == where and n.path != where]
    if "-l" in flags:
        return Outcome(tuple(_long(n) for n in inside), cwd)
    names = [n.name + ("/" if n.is_dir else "") for n in inside]
    width = max((len(n) for n in names), default=0) + 3
    per_line = max(96 // width, 1) if width else 1
    rows = tuple(
        "".join(n.ljust(width) for n in names[i : i + per_line]).rstrip() for i in range(0, len(names), per_line)
    )
    return Outcome(rows, cwd)


def _long(node: Node) -> str:
    bits = "".join("rwx"[i] if int(d) & (4 >> i) else "-" for d in node.mode for i in range(3))
    size = 4096 if node.is_dir else len(node.text) * 37 + 112
    return f"{'d' if node.is_dir else '-'}{bits}  {size:>8}  {node.when:>6}  {node.name}{'/' if node.is_dir else ''}"


def _cd(m: Machine, cwd: str, home: str, args: list[str], flags: set[str]) -> Outcome:
    path = resolve(cwd, home, args[0] if args else "~")
    node = m.node(path)
    if node is None or not node.is_dir:
        return _missing(cwd, "cd", args[0] if args else "~")
    return Outcome((), node.path)


def _cat(m: Machine, cwd: str, home: str, args: list[str], flags: set[str]) -> Outcome:
    node = m.node(resolve(cwd, home, args[0])) if args else None
    if node is None or node.is_dir:
        return _missing(cwd, "cat", args[0]) if args else _usage(cwd, "cat FILE")
    return Outcome(tuple(node.text.split("\n")[:14]), cwd)


def _rm(m: Machine, cwd: str, home: str, args: list[str], flags: set[str]) -> Outcome:
    node = m.node(resolve(cwd, home, args[0])) if args else None
    if node is None:
        return _missing(cwd, "rm", args[0]) if args else _usage(cwd, "rm PATH")
    what = "folder with all it holds" if node.is_dir else "file"
    return _effect(cwd, "remove", f"remove the {what} '{node.name}'? [y/n]", path=node.path)


def _target(m: Machine, cwd: str, home: str, source: Node, to: str) -> str:
    path = resolve(cwd, home, to)
    node = m.node(path)
    return f"{path}/{source.name}" if node is not None and node.is_dir else path


def _mv(m: Machine, cwd: str, home: str, args: list[str], flags: set[str]) -> Outcome:
    return _transfer(m, cwd, home, args, "mv", "move")


def _cp(m: Machine, cwd: str, home: str, args: list[str], flags: set[str]) -> Outcome:
    return _transfer(m, cwd, home, args, "cp", "copy")


def _transfer(m: Machine, cwd: str, home: str, args: list[str], command: str, name: str) -> Outcome:
    if len(args) != 2:
        return _usage(cwd, f"{command} FROM TO")
    node = m.node(resolve(cwd, home, args[0]))
    if node is None or node.is_dir:
        return _missing(cwd, command, args[0])
    to = _target(m, cwd, home, node, args[1])
    above = m.node(to.rsplit("/", 1)[0])
    if above is None or not above.is_dir:
        return _missing(cwd, command, args[1])
    return _effect(cwd, name, path=node.path, to=to)


def _mkdir(m: Machine, cwd: str, home: str, args: list[str], flags: set[str]) -> Outcome:
    if not args:
        return _usage(cwd, "mkdir DIR")
    path = resolve(cwd, home, args[0])
    if m.node(path) is not None:
        return Outcome((f"mkdir: {args[0][:60]}: exists already",), cwd)
    above = m.node(path.rsplit("/", 1)[0])
    return _effect(cwd, "make_dir", path=path + "/") if above and above.is_dir else _missing(cwd, "mkdir", args[0])


def _touch(m: Machine, cwd: str, home: str, args: list[str], flags: set[str]) -> Outcome:
    if not args:
        return _usage(cwd, "touch FILE")
    path = resolve(cwd, home, args[0])
    above = m.node(path.rsplit("/", 1)[0])
    if m.node(path) is not None:
        return Outcome((), cwd)
    return _effect(cwd, "write", path=path, text="") if above and above.is_dir else _missing(cwd, "touch", args[0])


def _chmod(m: Machine, cwd: str, home: str, args: list[str], flags: set[str]) -> Outcome:
    if len(args) != 2 or not is_mode(args[0]):
        return _usage(cwd, "chmod MODE PATH, a mode being three digits from 0 to 7")
    node = m.node(resolve(cwd, home, args[1]))
    return _missing(cwd, "chmod", args[1]) if node is None else _effect(cwd, "set_mode", path=node.path, mode=args[0])


def _find(m: Machine, cwd: str, home: str, args: list[str], flags: set[str]) -> Outcome:
    if not args:
        return _usage(cwd, "find NAME")
    hits = [n.path for n in m.tree if args[0].lower() in n.name.lower()]
    return Outcome(tuple(hits[:12]) or (f"find: nothing is called {args[0][:40]}",), cwd)


def _grep(m: Machine, cwd: str, home: str, args: list[str], flags: set[str]) -> Outcome:
    if len(args) != 2:
        return _usage(cwd, "grep WORD FILE")
    node = m.node(resolve(cwd, home, args[1]))
    if node is None or node.is_dir:
        return _missing(cwd, "grep", args[1])
    return Outcome(tuple(t for t in node.text.split("\n") if args[0].lower() in t.lower())[:12], cwd)


def _echo(m: Machine, cwd: str, home: str, args: list[str], flags: set[str]) -> Outcome:
    if ">" not in args or args.index(">") == len(args) - 1:
        return Outcome((" ".join(args)[:100],), cwd)
    cut = args.index(">")
    path = resolve(cwd, home, args[cut + 1])
    node, above = m.node(path), m.node(path.rsplit("/", 1)[0])
    if above is None or not above.is_dir or (node is not None and node.is_dir):
        return _missing(cwd, "echo", args[cut + 1])
    return _effect(cwd, "write", path=path, text=" ".join(args[:cut])[:100])


def _service(m: Machine, cwd: str, home: str, args: list[str], flags: set[str]) -> Outcome:
    known = dict(m.services)
    if len(args) < 2:
        shown = {k: v for k, v in m.services if not args or k == args[0]}
        return Outcome(tuple(f"{name:<16}{status}" for name, status in shown.items()), cwd)
    name, verb = args[0], args[1]
    if name not in known or verb not in {"start", "stop", "restart"}:
        return Outcome((f"service: cannot {verb[:20]} {name[:30]}",), cwd)
    ask = "" if verb == "start" else f"{verb} {name} now? [y/n]"
    return _effect(
        cwd, "set_service", ask, name=name, status={"start": "running", "stop": "stopped"}.get(verb, "restarted")
    )


def _key(m: Machine, cwd: str, home: str, args: list[str], flags: set[str]) -> Outcome:
    if len(args) < 2:
        return Outcome(tuple(f"{name:<18}{owner}" for name, owner in m.keys), cwd)
    if args[0] != "revoke" or args[1] not in dict(m.keys):
        return Outcome((f"key: cannot {args[0][:20]} {args[1][:30]}",), cwd)
    return _effect(cwd, "revoke_key", f"revoke the key '{args[1]}'? [y/n]", name=args[1])
