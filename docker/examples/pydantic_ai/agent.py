"""An agent made with Pydantic AI, unmodified: reads the request, may look back at an earlier screen, prints an action.

Nothing in it knows the benchmark's sandbox: the framework's OpenAI client finds `OPENAI_BASE_URL` in its environment.
To try it by hand, set that variable and `CASE` to a folder with `request.json` and the images.
"""

import json
import os
from pathlib import Path

from pydantic_ai import Agent, BinaryContent

CASE = Path(os.environ.get("CASE", "/tmp/case"))


def screen(name: str) -> BinaryContent:
    return BinaryContent((CASE / name).read_bytes(), media_type="image/png")


def main() -> None:
    request = json.loads((CASE / "request.json").read_text(encoding="utf-8"))
    steps = request["history"]
    agent = Agent("openai-chat:" + os.environ.get("OPENAI_MODEL", "default"), instructions=request["instruction"])

    @agent.tool_plain
    def earlier_screen(number: int) -> BinaryContent | str:
        """The screen of an earlier step, counted from 1."""
        if not 1 <= number <= len(steps) or not steps[number - 1]["image"]:
            return "There is no picture of that step."
        return screen(steps[number - 1]["image"])

    told = [f"Task: {request['task']}"]
    told += [f"({letter}) {option}" for letter, option in request["options"].items()]
    told += [f"{step['caption']} {step['did']}" for step in steps]
    now = request["now"]
    print(agent.run_sync(["\n".join(told), now["caption"], screen(now["image"])]).output)


if __name__ == "__main__":
    main()
