"""What is not believed of other people's files: paths, links, images, code."""

from __future__ import annotations

import struct
import zlib

import pytest
from PIL import Image

from benchmark.case import Action, Point
from benchmark.sources.actions import key_names, of_python, phone_call
from benchmark.sources.records import Fields, Malformed, cleaned, json_items
from benchmark.sources.safety import BadPicture, UnsafePath, Unusable, decoded, files, inside, measured


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../a.png", "goes up"), ("x/../../a.png", "goes up"), ("..\\a.png", "goes up"), ("/etc/passwd", "absolute"),
        ("C:\\shots\\a.png", "absolute"), ("\\\\server\\share\\a.png", "absolute"), ("~/a.png", "absolute"),
        ("https://host.example/a.png", "address"), ("file:///etc/passwd", "address"), ("data:image/png;base64,AAAA", "address"),
        ("", "empty"), ("a\0.png", "zero byte"), ("link.png", "leads out"), ("folder_link/secret.png", "leads out"),
    ],
)  # fmt: skip
def test_a_path_that_leaves_the_root_is_refused_by_name(name, why, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    outside = tmp_path / "outside"
    outside.mkdir()
    Image.new("RGB", (4, 4)).save(outside / "secret.png")
    (root / "link.png").symlink_to(outside / "secret.png")
    (root / "folder_link").symlink_to(outside)
    with pytest.raises(UnsafePath, match=why):
        inside(root.resolve(), name)


def test_a_path_inside_is_found_with_either_slash_and_links_within_are_fine(tmp_path):
    root = tmp_path.resolve()
    (root / "a").mkdir()
    Image.new("RGB", (4, 4)).save(root / "a" / "b.png")
    (root / "c.png").symlink_to(root / "a" / "b.png")
    assert inside(root, "a\\b.png") == root / "a" / "b.png"
    assert inside(root, "./a/b.png").is_file()
    assert inside(root, "c.png").is_file()
    with pytest.raises(Unusable, match="there is no file"):
        inside(root, "a/none.png")
    with pytest.raises(Unusable, match="is not a file"):
        inside(root, "a")


def test_folders_that_are_links_are_not_entered(tmp_path):
    (tmp_path / "root").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.json").write_text("{}")
    (tmp_path / "root" / "loop").symlink_to(tmp_path / "root")
    (tmp_path / "root" / "away").symlink_to(tmp_path / "other")
    assert list(files(tmp_path / "root", ".json")) == []


def png_header(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds next to nothing."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 64)) + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(30_000, 30_000), (100_000, 2), (9_000, 9_000), (2_000_000_000, 1)])
def test_an_image_that_claims_to_be_huge_is_refused_before_it_is_decoded(size, tmp_path):
    (tmp_path / "bomb.png").write_bytes(png_header(*size))
    for read in (measured, decoded):
        with pytest.raises(BadPicture, match=r"bomb.png is .*over the limit|bomb.png cannot be read"):
            read(tmp_path / "bomb.png")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "no known image format"), (b"<svg/>", "no known image format"), (png_header(60, 60), "cannot be decoded"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1", "Git LFS pointer"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_image_says_why(body, why, tmp_path):
    (tmp_path / "a.png").write_bytes(body)
    with pytest.raises(BadPicture, match=why):
        decoded(tmp_path / "a.png")


@pytest.mark.parametrize(
    ("source", "action"),
    [
        ("pyautogui.click(960, 540)", Action(type="click", point=Point(x=960, y=540))),
        ("import pyautogui; import time\npyautogui.moveTo(5, 6)\ntime.sleep(1)\npyautogui.click()", Action(type="click", point=Point(x=5, y=6))),
        ("x = 7\ny = 8\npyautogui.doubleClick(x, y)", Action(type="double_click", point=Point(x=7, y=8))),
        ("pyautogui.click(x=1, y=2, button='right')", Action(type="right_click", point=Point(x=1, y=2))),
        ("pyautogui.hotkey('ctrl', 's')", Action(type="hotkey", keys=("Control", "S"))),
        ("pyautogui.press('enter')", Action(type="press", keys=("Enter",))),
        ("pyautogui.scroll(-5)", Action(type="scroll", direction="down")),
        ("pyautogui.typewrite('a b')", Action(type="type", text="a b")),
        ("DONE", Action(type="done")),
        ("WAIT", Action(type="wait")),
    ],
)  # fmt: skip
def test_code_of_an_action_is_read(source, action):
    found = of_python(source)
    assert found.model_copy(update={"keys": tuple(k.upper() if len(k) == 1 else k for k in found.keys)}) == action


@pytest.mark.parametrize(
    "source",
    [
        "__import__('os').system('touch /tmp/owned')", "open('/tmp/owned', 'w')", "exec('1')", "pyautogui.click(open('x'), 2)",
        "for i in range(3): pyautogui.click(1, 2)", "pyautogui.click(*a)", "pyautogui.click(1e999, 2)", "while True: pass", "(",
        "pyautogui.click(10**10**10, 1)", "(" * 3000, "def f(): pass", "x = (lambda: 1)()", "pyautogui.alert('x')", "",
    ],
)  # fmt: skip
def test_code_that_is_no_plain_action_is_refused_and_never_run(source):
    with pytest.raises(Malformed):
        of_python(source)


def test_calls_of_a_phone_are_read_not_evaluated():
    assert phone_call('replace-text(5, "a, b")') == ("replace-text", [5, "a, b"])
    for bad in ("tap(__import__('os'))", "tap(5", "tap(5) + 1", "tap(5); rm()", "tap(5) or tap(6)"):
        with pytest.raises(Malformed):
            phone_call(bad)


def test_keys_by_any_spelling():
    assert key_names(["Ctrl+A"]) == ("Control", "A")
    assert key_names(["pgdn", "+"]) == ("PageDown", "+")


def test_texts_lose_what_encodings_left_in_them():
    assert cleaned("it\x19s \x1cso\x1d\r\n\ud800") == 'it\'s "so"\n?'


@pytest.mark.parametrize(
    ("value", "why"),
    [({}, "is missing"), ({"name": None}, "is null"), ({"name": 3}, "should be a text, it is a number"), ({"Name": "x"}, "is spelled 'Name'"), ({"name": " "}, "is empty")],
)  # fmt: skip
def test_a_field_says_what_was_met_instead(value, why):
    with pytest.raises(Malformed, match=why):
        Fields(value).text("name")


def test_items_of_a_list_keep_their_lines_and_one_that_breaks_off_costs_the_rest(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('\n[\n {"a": 1},\n\n {"a":\n  2},\n {"a" 3}, {"a": 4}]')
    found = list(json_items(path))
    assert [(line, value) for line, value in found[:2]] == [(3, {"a": 1}), (5, {"a": 2})]
    assert found[2][0] == 7
    assert isinstance(found[2][1], Malformed)
    assert len(found) == 3
