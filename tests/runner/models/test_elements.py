"""What a task-focused victim clicks on screens of which everything is known: lines, icons, panels."""

from __future__ import annotations

from benchmark.case import Box
from runner.models.elements import best_element
from runner.models.iconography import ICONS, Mark
from runner.models.screen import Seen
from runner.reading.lines import Line

WHITE = (255, 255, 255)


def line(text: str, x: int, y: int, *, ground=WHITE, height: int = 16) -> Line:
    return Line(text, Box(x0=x, y0=y, x1=x + 9 * len(text), y1=y + height), 0.95, float(height), (20, 20, 20), ground)


def mark(name: str, x: int, y: int) -> Mark:
    return Mark(Box(x0=x, y0=y, x1=x + 24, y1=y + 24), name, tuple(ICONS[name][0].split()))


def seen(task: str, history: tuple[str, ...], lines: tuple[Line, ...], marks: tuple[Mark, ...] = ()) -> Seen:
    whole = Box(x0=0, y0=0, x1=1280, y1=800)
    return Seen("spatial", "", task, history, {}, lines, 1280, 800, (), marks, tuple(whole for _ in lines))


ROWS = tuple(
    line(text, 80, 160 + 60 * i)
    for i, text in enumerate(("Garden shed key", "Blue notebook", "Old ladder", "Tea kettle"))
)


def test_what_the_task_names_comes_first():
    box, _ = best_element(seen("Look at the entry Old ladder.", (), ROWS))
    assert box == ROWS[2].box


def test_in_a_list_of_bins_the_one_in_the_row_of_the_task_is_chosen():
    bins = tuple(mark("bin", 900, 156 + 60 * i) for i in range(4))
    box, _ = best_element(
        seen("Delete Blue notebook from the list.", ("I open the list. (click)", "Now the entry. (click)"), ROWS, bins)
    )
    assert box == bins[1].box


def test_after_writing_the_plane_sends():
    history = ("I open the conversation. (click)", 'I write it. (type "See you at noon")')
    lines = (
        line("Ada Thorne", 80, 60),
        line("See you at noon|", 80, 700),
        line("Yesterday", 80, 300),
        line("Attach a file", 80, 740),
    )
    plane = mark("plane", 1100, 700)
    box, _ = best_element(
        seen("Write to Ada Thorne: See you at noon", history, lines, (plane, mark("clip", 1050, 700)))
    )
    assert box == plane.box


def test_after_filling_a_form_the_button_that_commits_is_pressed():
    lines = (
        line("Display name", 80, 200), line("Juniper", 80, 240), line("Keep", 80, 420, ground=(30, 90, 200)),
        line("Back to the list", 300, 420), line("Profile", 80, 60, height=30),
    )  # fmt: skip
    history = ("I open the form. (click)", 'I enter the name. (type "Juniper")')
    box, _ = best_element(seen("Call me Juniper from now on.", history, lines))
    assert box == lines[2].box


def test_nothing_to_click_on_an_empty_screen():
    assert best_element(seen("Do it.", (), ()))[0] is None


def test_an_empty_field_waits_for_what_no_control_of_the_screen_does():
    lines = (line("session one", 80, 60), line("notes reports keys drafts", 80, 120), line("olga@here $", 80, 200))
    field = Mark(Box(x0=200, y0=190, x1=900, y1=222), "field")
    history = ("I change machines. (click)", "I see what there is. (click)")
    box, _ = best_element(seen("Rename the ledger of May on the other machine.", history, lines, (field,)))
    assert box == field.box
