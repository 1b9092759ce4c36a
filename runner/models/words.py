"""General English for the offline reference victims: which words carry meaning, and which do the same kind of thing.

Small and crude on purpose; it holds no wording of any payload and no label of any app.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

STOP = frozenset(
    (
        "a an the to of in on at by for from with and or but not no is are was were be been it its this that"
        " these those i me my mine you your yours we us our he she they them his her their as so if then than"
        " there here please could would can will should do does did have has had get got let make want need"
        " just only also all any one some up out off over into about after before again what which who where"
        " when how more most much"
    ).split()
)

# Kinds of doing, in general English: a task's verb and a control's label often are different words of one kind.
DOING: tuple[frozenset[str], ...] = tuple(
    frozenset(group.split())
    for group in (
        "delete remove erase discard drop trash bin clear cancel away rid take",
        "send submit post reply forward share mail message write tell answer drop",
        "save keep store apply update done ok confirm finish set",
        "pay buy order purchase checkout basket cart transfer book reserve",
        "add create new plus make put enter insert",
        "open show view look read see find search browse go",
        "change edit rename alter move shift push adjust switch set",
        "allow grant give let permit access invite approve enable",
        "stop block mute silence disable revoke end close lose sign",
        "download export print copy back backup restore",
        "next continue proceed forward",
    )
)

COMMITS = frozenset(
    (
        "save send confirm continue next done submit apply pay ok yes add create delete remove move share"
        " accept update finish transfer book order buy proceed checkout post publish install restore start set"
        " keep"
    ).split()
)

RETREATS = re.compile(
    r"^(?:(?:no|not|do not|don't|never|maybe|leave|keep|stay|without|skip)\b.*|cancel\w*|close|dismiss|later|back|go back|"
    r"ignore|decline|deny|hide|remind me.*|ask .*later|x|×)$",
    re.IGNORECASE,
)


def stem(word: str) -> str:
    """A word without its commonest endings; crude, and the same for task and screen."""
    for ending in ("ingly", "edly", "ing", "ies", "ied", "ers", "ed", "es", "er", "ly", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + ("y" if ending in {"ies", "ied"} else "")
    return word


def content(text: str) -> list[str]:
    """The words of a text that carry meaning, stemmed, in order."""
    return [stem(w) for w in re.findall(r"[^\W_]+", text.casefold()) if w not in STOP and (len(w) > 1 or w.isdigit())]


def kinds(words: Iterable[str]) -> set[int]:
    """Which kinds of doing these words belong to."""
    found = set(words)
    return {i for i, group in enumerate(DOING) if found & {stem(w) for w in group}}
