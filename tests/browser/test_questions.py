"""What students and maintainers ask is answered within three steps from the front page, as ``questions.toml`` says."""

import pathlib
import re
import tomllib

import pytest

HERE = pathlib.Path(__file__).parent
QUESTIONS = tomllib.loads((HERE / "questions.toml").read_text(encoding="utf-8"))["question"]


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked["question"])
def test_a_question_is_answered_within_three_steps(visit, site, asked):
    page = visit(site / "index.html")
    assert len(asked["steps"]) <= 3
    for step in asked["steps"]:
        kind, _, words = step.rpartition(":")
        if kind == "search":
            field = page.get_by_placeholder("Search").first
            field.fill(words)
            field.press("Enter")
            page.locator("#found-labels a").first.wait_for()
        else:
            links = page.locator("article a, .sidebar-tree a").filter(visible=True)
            whole = links.filter(has_text=re.compile(rf"^\s*{re.escape(step)}\s*$"))
            with page.expect_navigation():
                (whole if whole.count() else links.filter(has_text=step)).first.click()
    seen = page.locator("body").inner_text() + page.title()
    assert [words for words in asked["answer"] if words.lower() not in seen.lower()] == []
    assert page.faults == []
