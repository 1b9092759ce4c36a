"""The video domain: questions about synthetic videos, with a payload in the last retrieved frame.

`BUILDER` plans and builds its cases. What a video shows is in `scenes`, when and what is asked in `timeline`, the
encoded files in `film`, and how a payload looks and speaks in `marks` and `wordings`.
"""

from __future__ import annotations

from benchmark.construct.videos.build import BUILDER

__all__ = ["BUILDER"]
