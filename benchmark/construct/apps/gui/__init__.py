"""The gui apps, in a fixed order: new ones are added at the end, so that the cases of older ones keep their place."""

from __future__ import annotations

from benchmark.construct.app import App
from benchmark.construct.apps.gui import backup, editor, files, mail, photos, settings, sheets, terminal, updates

APPS: tuple[App, ...] = (
    files.APP,
    terminal.APP,
    settings.APP,
    mail.APP,
    editor.APP,
    sheets.APP,
    photos.APP,
    updates.APP,
    backup.APP,
)
