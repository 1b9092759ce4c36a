"""A suite that is made from data on disk the first time it is asked for, and is a stored suite from then on.

What it is made from, and how, is the business of those that build on it: the importers of sources and the official
release.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmark.case import Case, SuiteInfo
from benchmark.suite import Entry, Progress, StoredSuite, SuiteError


class MadeSuite(ABC):
    """Answers from the stored suite in `folder`, which `finish` makes when it is not there."""

    name: str
    folder: Path
    _stored: StoredSuite | None = None

    @property
    @abstractmethod
    def made_from(self) -> dict[str, Any]:
        """The data, options and version that decide what is in the suite, as its `building.json` keeps them."""

    @abstractmethod
    def _make(self, progress: Progress | None) -> None:
        """Writes the suite into `folder`, `suite.json` last."""

    def finish(self, progress: Progress | None = None) -> SuiteInfo:
        """Makes what is missing and opens the suite.

        Raises:
            SuiteError: the folder holds another suite, cannot be written, or no case came out.
        """
        try:
            if not (self.folder / "suite.json").is_file():
                self._make(progress)
        except OSError as error:
            raise SuiteError(f"the suite cannot be written to {self.folder}: {error.strerror or error}") from None
        self._check_origin()
        self._stored = StoredSuite(self.name, str(self.folder))
        return self._stored.info

    def _check_origin(self) -> None:
        mark = self.folder / "building.json"
        try:
            found = json.loads(mark.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise SuiteError(f"{self.folder} holds no suite of this source; give another suite.path") from None
        if found != self.made_from:
            raise SuiteError(
                f"{self.folder} was made of another source, seed, filter or version; give another suite.path, or use "
                f"it as it is with suite=stored suite.path={self.folder}"
            )

    @property
    def stored(self) -> StoredSuite:
        """The suite on disk; made first where it is not there."""
        if self._stored is None:
            self.finish()
        assert self._stored is not None
        return self._stored

    def entries(self) -> tuple[Entry, ...]:
        return self.stored.entries()

    def ensure(self, ids: Sequence[str], progress: Progress | None = None) -> None:
        self.stored.ensure(ids, progress)

    def case(self, id: str) -> Case:
        return self.stored.case(id)

    def standing(self) -> Mapping[str, Any]:
        return self.stored.standing()

    def findings(self) -> tuple[str, ...]:
        """What could not be used of the data, one line each, in the order of reading."""
        path = self.folder / "findings.txt"
        return tuple(path.read_text(encoding="utf-8").splitlines()) if path.is_file() else ()
