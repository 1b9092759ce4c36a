"""Reading in processes: once per image, kept on disk, and nothing left behind however it ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from benchmark.construct.render import font_folder
from benchmark.images import ImageError, pixel_hash
from runner.reading import Reader, ReadingError, Settings
from runner.reading.kept import Kept
from runner.reading.lines import load

pytest.importorskip("rapidocr", reason="the extra 'reference' is not installed")


def picture(text: str, width: int = 220) -> Image.Image:
    image = Image.new("RGB", (width, 60), (255, 255, 255))
    font = ImageFont.truetype(str(font_folder() / "DejaVuSans.ttf"), 18)
    ImageDraw.Draw(image).text((12, 18), text, fill=(20, 20, 20), font=font)
    return image


def stored(folder: Path, text: str, name: str | None = None) -> Path:
    path = folder / f"{name or text}.png"
    picture(text).save(path)
    return path


def said(lines) -> str:
    return " ".join(line.text for line in lines)


def workers_of(pid: int | None = None) -> list[int]:
    """Reading processes whose parent is `pid` (this process by default), by what the kernel says."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes().split(b"\0")
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        if b"runner.reading.worker" in command and parent == (pid or os.getpid()):
            found.append(int(entry.name))
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(pids: list[int], seconds: float = 20) -> list[int]:
    until = time.monotonic() + seconds
    while time.monotonic() < until and any(alive(pid) for pid in pids):
        time.sleep(0.05)
    return [pid for pid in pids if alive(pid)]


@pytest.fixture(scope="module")
def reader() -> Reader:
    with Reader(processes=1) as shared:
        yield shared


def test_many_who_ask_for_one_image_at_once_wait_for_one_reading(reader: Reader, tmp_path: Path) -> None:
    async def scene() -> None:
        path, twin = stored(tmp_path, "Archive all"), stored(tmp_path, "Archive all", "twin")
        before = reader.read_count
        results = await asyncio.gather(*(reader.read(path) for _ in range(8)))
        assert {said(lines) for lines in results} == {"Archive all"}
        assert reader.read_count == before + 1
        assert await reader.read(twin) == results[0]

    asyncio.run(scene())


def test_paths_and_images_give_the_same_lines(reader: Reader, tmp_path: Path) -> None:
    path = stored(tmp_path, "Move folder")
    assert reader.read_now(str(path)) == reader.read_now(picture("Move folder")) == reader.read_now(path)


def test_a_waiter_that_gives_up_takes_nothing_from_the_others(reader: Reader, tmp_path: Path) -> None:
    async def scene() -> None:
        path = stored(tmp_path, "Keep going")
        first, second = asyncio.create_task(reader.read(path)), asyncio.create_task(reader.read(path))
        await asyncio.sleep(0)
        first.cancel()
        assert said(await second) == "Keep going"

    asyncio.run(scene())


def test_a_damaged_image_fails_alone(reader: Reader, tmp_path: Path) -> None:
    async def scene() -> None:
        bad, good = tmp_path / "bad.png", stored(tmp_path, "Still fine")
        bad.write_bytes(good.read_bytes()[:200])
        results = await asyncio.gather(reader.read(bad), reader.read(good), return_exceptions=True)
        assert isinstance(results[0], ImageError)
        assert said(results[1]) == "Still fine"
        with pytest.raises(ImageError, match=r"absent\.png"):
            await reader.read(tmp_path / "absent.png")

    asyncio.run(scene())


def test_an_image_that_is_not_the_one_of_its_hash_is_refused(reader: Reader, tmp_path: Path) -> None:
    with pytest.raises(ReadingError, match="does not hold the pixels"):
        reader.read_now(stored(tmp_path, "Other"), pixels=pixel_hash(picture("Expected")))


def test_a_process_that_is_killed_is_replaced(reader: Reader) -> None:
    reader.read_now(picture("Before"))
    (pid,) = workers_of()
    os.kill(pid, signal.SIGKILL)
    wait_until_gone([pid])
    assert said(reader.read_now(picture("After"))) == "After"
    assert workers_of() != [pid]


def test_workers_get_no_secret(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary-31415")
    for pid in workers_of():
        os.kill(pid, signal.SIGKILL)
    reader.read_now(picture("Secret"))
    for pid in workers_of():
        assert b"canary" not in Path(f"/proc/{pid}/environ").read_bytes()
        assert b"canary" not in Path(f"/proc/{pid}/cmdline").read_bytes()


def test_what_was_read_is_not_read_again(tmp_path: Path) -> None:
    path, cache = stored(tmp_path, "Second time"), tmp_path / "cache"
    with Reader(cache, processes=1) as first:
        lines = first.read_now(path)
    others = workers_of()
    with Reader(cache, processes=1) as second:
        assert second.read_now(path) == lines
        assert second.read_now(path, pixels=pixel_hash(picture("Second time"))) == lines
        assert (second.read_count, second.cache_count) == (0, 2)
        assert workers_of() == others
        path.unlink()
        assert second.read_now(path, pixels=pixel_hash(picture("Second time"))) == lines


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda entry: "", id="empty"),
        pytest.param(lambda entry: json.dumps(entry)[:-20], id="cut short"),
        pytest.param(lambda entry: "[]", id="another shape"),
        pytest.param(lambda entry: json.dumps(entry | {"pixels": "0" * 64}), id="of another image"),
        pytest.param(lambda entry: json.dumps(entry | {"settings": "older"}), id="of other settings"),
        pytest.param(
            lambda entry: json.dumps(entry | {"found": [["x", [5, 5, 1, 1], 1, 1, [], [], []]]}), id="bad box"
        ),
        pytest.param(lambda entry: json.dumps(entry | {"found": 3}), id="no lines"),
    ],
)
def test_damaged_entries_are_as_good_as_none(tmp_path: Path, damage) -> None:
    cache = Kept(tmp_path, "settings", load)
    line = ["hi", [1, 1, 5, 5], 0.9, 12.0, [0, 0, 0], [255, 255, 255], []]
    cache.put("ab" * 32, [line])
    assert [item.text for item in cache.get("ab" * 32)] == ["hi"]
    path = cache.path("ab" * 32)
    path.write_text(damage(json.loads(path.read_text())))
    assert cache.get("ab" * 32) is None
    cache.put("ab" * 32, [line])
    assert [item.text for item in cache.get("ab" * 32)] == ["hi"]
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_other_settings_have_other_entries(tmp_path: Path) -> None:
    assert Kept(tmp_path, "a", load).path("f" * 64) != Kept(tmp_path, "b", load).path("f" * 64)


def test_a_cache_that_cannot_be_written_costs_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    cache = Kept(tmp_path / "cache", "settings", load)
    for pixels in ("ab" * 32, "cd" * 32):
        cache.put(pixels, [])
        assert cache.get(pixels) is None
    assert [record.message.startswith("readings are not kept") for record in caplog.records] == [True]


def test_closing_ends_everything_and_tells_who_waits(tmp_path: Path) -> None:
    others = workers_of()
    reader = Reader(processes=1)
    reader.read_now(picture("Warm"))
    pids = [pid for pid in workers_of() if pid not in others]

    async def scene() -> list[object]:
        tasks = [asyncio.create_task(reader.read(picture(f"Number {i}", 300 + i))) for i in range(6)]
        await asyncio.sleep(0.01)
        start = time.monotonic()
        await asyncio.to_thread(reader.close)
        assert time.monotonic() - start < 5
        return await asyncio.gather(*tasks, return_exceptions=True)

    results = asyncio.run(scene())
    assert any(isinstance(result, ReadingError) for result in results)
    assert all(isinstance(result, (ReadingError, tuple)) for result in results)
    assert pids
    assert wait_until_gone(pids) == []
    assert workers_of() == others
    with pytest.raises(ReadingError, match="closed"):
        reader.read_now(picture("Too late"))
    reader.close()


PROGRAM = textwrap.dedent(
    """
    import asyncio, sys
    from pathlib import Path
    from PIL import Image
    from runner.reading import Reader

    async def main():
        async with Reader(processes=2) as reader:
            await asyncio.gather(reader.read(Path(sys.argv[1])), reader.read(Path(sys.argv[2])))
            print("ready", flush=True)
            noise = [Image.effect_noise((1200, 800), 90 + i).convert("RGB") for i in range(8)]
            await asyncio.gather(*(reader.read(image) for image in noise))

    asyncio.run(main())
    """
)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_its_parent(tmp_path: Path, how: signal.Signals) -> None:
    paths = [str(stored(tmp_path, text)) for text in ("One", "Two")]
    # A shell's background job ignores SIGINT and hands that on; a terminal's Ctrl-C is what is meant here.
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    program = subprocess.Popen(
        [sys.executable, "-c", heard + PROGRAM, *paths], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    assert program.stderr is not None
    with program.stdout, program.stderr:
        assert program.stdout.readline() == "ready\n", program.stderr.read()
        pids = workers_of(program.pid)
        assert len(pids) == 2
        time.sleep(0.3)
        program.send_signal(how)
        assert program.wait(timeout=20) != 0
        assert wait_until_gone(pids) == []


def test_importing_loads_no_engine() -> None:
    code = (
        "import sys, runner.reading; "
        "print([m for m in ('rapidocr', 'onnxruntime', 'cv2', 'numpy') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_an_engine_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import PackageNotFoundError

    def absent(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("runner.reading.settings.version", absent)
    with pytest.raises(ReadingError, match="extra 'reference'"):
        Reader()


def test_settings_that_the_engine_refuses_are_told_and_not_retried_for_ever() -> None:
    with Reader(processes=1, settings=Settings(batch=0)) as reader, pytest.raises(ReadingError):
        reader.read_now(picture("Never"))
