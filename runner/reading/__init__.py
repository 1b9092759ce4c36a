"""Reading: what a screen says, as lines of text with their boxes, sizes and colours.

Used by the offline reference victim and by one defense. `Reader` reads images in processes of its own and keeps what it
read; `group` puts lines together into blocks. Importing this package loads no OCR engine.
"""

from runner.reading.lines import Block, Line, Word, around, contrast, group, reading_order
from runner.reading.reader import Reader, ReadingError
from runner.reading.settings import Settings

__all__ = [
    "Block",
    "Line",
    "Reader",
    "ReadingError",
    "Settings",
    "Word",
    "around",
    "contrast",
    "group",
    "reading_order",
]
