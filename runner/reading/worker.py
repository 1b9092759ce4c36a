"""The reading process: pixels on standard input, lines on standard output.

A request is one line of JSON, `{"width": w, "height": h}`, and w*h*3 bytes of RGB; a reply is one line of JSON, either
`{"lines": [...]}` or `{"error": "..."}`. The first reply, `{"ready": true}`, says that the networks are loaded. The end
of standard input ends the process, so that none outlives its parent, however that died.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from typing import Any, BinaryIO

from runner.reading.lines import dump
from runner.reading.settings import Settings


def _say(out: BinaryIO, message: dict[str, Any]) -> None:
    out.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
    out.flush()


def serve(requests: BinaryIO, replies: BinaryIO, settings: Settings) -> None:
    """Answers requests until they end."""
    try:
        import numpy as np

        from runner.reading.engine import Engine

        engine = Engine(settings)
    except Exception as error:
        _say(replies, {"error": f"{type(error).__name__}: {error}"})
        return
    _say(replies, {"ready": True})
    while header := requests.readline():
        size = json.loads(header)
        width, height = size["width"], size["height"]
        data = requests.read(width * height * 3)
        if len(data) < width * height * 3:
            return
        try:
            lines = engine.read(np.frombuffer(data, np.uint8).reshape(height, width, 3))
        except Exception as error:
            _say(replies, {"error": f"{type(error).__name__}: {error}"})
        else:
            _say(replies, {"lines": dump(lines)})


def main() -> None:
    # Libraries that print would break the protocol: replies get a descriptor of their own, prints go to stderr.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    logging.disable(logging.CRITICAL)
    serve(sys.stdin.buffer, replies, Settings(**json.loads(sys.argv[1])))


if __name__ == "__main__":
    main()
