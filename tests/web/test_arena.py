"""Arena, data and about in a real browser, and the pickers that several pages share."""

import re
from typing import Any
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.compiled


def panel(page: Page, name: str) -> Any:
    return page.get_by_role("region", name=name, exact=True)


def parameters(address: str | None) -> dict[str, str]:
    return {name: value[0] for name, value in parse_qs((address or "").partition("?")[2]).items()}


def graded(page: Page, positions: int = 40) -> Any:
    page.goto("/#/arena")
    grade = panel(page, "Grade")
    grade.get_by_role("combobox", name="Player").select_option("random")
    grade.get_by_role("spinbutton", name="Positions").fill(str(positions))
    grade.get_by_role("button", name="Grade it").click()
    expect(grade).to_contain_text(f"of {positions} moves keep the value")
    return grade


def long_match(page: Page) -> Any:
    """One that takes a while; its progress is told after every eight games."""
    page.goto("/#/arena")
    match = panel(page, "Match")
    match.get_by_role("spinbutton", name="Games").fill("2000")
    match.get_by_role("combobox", name="A", exact=True).select_option("mcts")
    match.get_by_role("button", name="Play the match").click()
    return match


# ---- arena


def test_a_match_is_played_and_its_games_are_watched(page: Page) -> None:
    page.goto("/#/arena")
    match = panel(page, "Match")
    match.get_by_role("combobox", name="Game", exact=True).select_option("tictactoe")
    match.get_by_role("combobox", name="B", exact=True).select_option("random")
    match.get_by_role("spinbutton", name="Games").fill("40")
    match.get_by_role("button", name="Play the match").click()
    expect(match.get_by_role("img", name=re.compile("A wins .* draws"))).to_be_visible()
    expect(match).to_contain_text("40 games")
    expect(match.get_by_role("img", name=re.compile("interval"))).to_be_visible()
    match.get_by_text("Watch its games").click()
    games = match.get_by_role("region", name="Games of the match")
    expect(games.locator("tbody tr")).to_have_count(40)
    second = parameters(games.get_by_role("link", name="Game 2", exact=True).get_attribute("href"))
    moves = second.pop("moves").split(".")
    assert second == {"game": "3x3:3", "x": "random", "o": "alpha-beta depth=2", "at": "0", "watch": "1"}
    expect(games.locator("tbody tr").nth(1)).to_contain_text(f"{moves[0]} {moves[1]}")
    games.get_by_role("link", name="Game 2", exact=True).click()
    expect(page).to_have_url(re.compile("#/board.*x=random"))


def test_of_a_long_match_only_some_games_are_listed(page: Page) -> None:
    page.goto("/#/arena")
    match = panel(page, "Match")
    for name in ("A", "B"):
        match.get_by_role("combobox", name=name, exact=True).select_option("random")
    match.get_by_role("spinbutton", name="Games").fill("202")
    match.get_by_role("button", name="Play the match").click()
    expect(match).to_contain_text("· 202 games")
    match.get_by_text("Watch its games").click()
    expect(match.get_by_role("region", name="Games of the match").locator("tbody tr")).to_have_count(200)
    expect(match).to_contain_text("2 more games are not listed")


def test_results_of_the_arena_outlive_the_page(page: Page) -> None:
    grade = graded(page)
    share = grade.locator(".big").inner_text()
    grade.locator(".gallery a").first.click()
    expect(page).to_have_url(re.compile("board.*start="))
    page.go_back()
    expect(grade.locator(".big")).to_have_text(share)
    expect(grade.get_by_role("spinbutton", name="Positions")).to_have_value("40")
    page.reload()
    expect(grade.locator(".big")).to_have_text(share)
    expect(grade.get_by_role("combobox", name="Player")).to_have_value("random")
    assert grade.locator(".gallery a").count() > 0


def test_a_match_goes_on_while_another_page_is_shown(page: Page) -> None:
    match = long_match(page)
    expect(match).to_contain_text("8 of 2,000")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="About").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("About")
    page.wait_for_timeout(500)
    page.go_back()
    before = match.locator("progress").evaluate("(bar) => bar.value")
    page.wait_for_function("(then) => document.querySelector('progress').value > then", arg=before)
    match.get_by_role("button", name="Cancel").click()
    expect(match).to_contain_text("Cancelled")
    expect(match.get_by_role("img", name=re.compile("A wins .* draws"))).to_be_visible()


def test_a_match_that_a_reload_has_stopped_says_so(page: Page) -> None:
    match = long_match(page)
    expect(match.get_by_role("img", name=re.compile("A wins .* draws"))).to_be_visible()
    page.reload()
    expect(match).to_contain_text("The page was reloaded while this ran, so it was stopped here.")
    expect(match.get_by_role("img", name=re.compile("A wins .* draws"))).to_be_visible()
    expect(match.get_by_role("spinbutton", name="Games")).to_have_value("2000")


def test_no_match_begins_before_its_game_is_known(page: Page) -> None:
    page.goto("/#/arena")
    match, held = panel(page, "Match"), list[Any]()
    expect(match.get_by_role("spinbutton", name="depth")).to_be_visible()
    page.route("**/api/v1/players?game=2048", lambda route: held.append(route))
    match.get_by_role("combobox", name="Game", exact=True).select_option("2048")
    expect(match.get_by_role("button", name="Play the match")).to_be_disabled()
    held[0].continue_()
    expect(match.get_by_role("button", name="Play the match")).to_be_enabled()
    expect(match.get_by_role("combobox", name="A", exact=True)).to_have_value("expectimax")


def test_players_of_2048_can_be_watched_after_a_match(page: Page) -> None:
    page.goto("/#/arena")
    match = panel(page, "Match")
    match.get_by_role("combobox", name="Game", exact=True).select_option("2048")
    match.get_by_role("combobox", name="A", exact=True).select_option("random")
    match.get_by_role("spinbutton", name="Games").fill("2")
    match.get_by_role("button", name="Play the match").click()
    link = match.get_by_role("link", name="Watch B play")
    expect(link).to_be_visible()
    assert parameters(link.get_attribute("href")) == {"game": "2048", "seed": "0", "player": "random", "watch": "1"}


# ---- pickers


def test_rules_that_are_refused_are_told_at_the_form(page: Page) -> None:
    page.goto("/#/arena")
    match = panel(page, "Match")
    match.get_by_role("combobox", name="Game", exact=True).select_option("own")
    for name, value in (("Rows", "9"), ("Columns", "9"), ("In a row to win", "5")):
        match.get_by_role("spinbutton", name=name).fill(value)
    match.get_by_role("button", name="Use these rules").click()
    expect(match.get_by_role("alert")).to_contain_text("at most 63")
    expect(match.locator("progress")).to_have_count(0)
    match.get_by_role("spinbutton", name="Rows").fill("6")
    expect(match.get_by_role("alert")).to_have_count(0)
    expect(match).to_contain_text("Five in a row win, on 6×9.")
    assert match.get_by_role("spinbutton", name="Columns").get_attribute("max") == "10"
    assert match.get_by_role("spinbutton", name="In a row that loses").get_attribute("max") == "4"


SENTENCES = {
    "tictactoe": "Three in a row win, on 3×3.",
    "squava": "Four in a row win, three in a row lose, on 5×5.",
    "6x6:4": "Four in a row win, on 6×6.",
    "3x3:-3": "Three in a row lose, on 3×3.",
    "1x20:13-1": "13 in a row win, one in a row loses, on 1×20.",
    "2048:3x3": "",
    "4x4:": "",
}


def test_rules_in_a_sentence(page: Page) -> None:
    page.goto("/#/about")
    said = (
        "async (games) => (({ aboutGame }) => games.map((each) => aboutGame(each)))(await import('/js/game-picker.js'))"
    )
    assert page.evaluate(said, list(SENTENCES)) == list(SENTENCES.values())


def test_the_strength_of_a_player_is_said_in_words(page: Page) -> None:
    page.goto("/#/arena")
    grade = panel(page, "Grade")
    players = grade.get_by_role("combobox", name="Player")
    expect(players.locator("option[value=dqn]")).to_have_text("dqn (not for this game)")
    expect(players.locator("option[value=dqn]")).to_have_attribute("title", re.compile("knows nothing of"))
    players.select_option("perfect")
    slider = grade.get_by_role("slider", name="Strength: never errs")
    slider.fill("80")
    expect(grade.get_by_text("Strength: gives the value away on 20 % of its moves")).to_be_visible()
    with page.expect_request("**/jobs/grade") as asked:
        grade.get_by_role("button", name="Grade it").click()
    assert (asked.value.post_data_json or {})["player"] == "perfect errs=0.2"


# ---- data


def test_data_a_gallery_a_search_a_replay(page: Page) -> None:
    page.goto("/#/data")
    page.get_by_role("link", name=re.compile("^wins")).click()
    gallery = page.get_by_test_id("gallery")
    expect(gallery.locator("figure")).to_have_count(21)
    page.get_by_label("Layer").select_option("6")
    expect(gallery.locator("figcaption").first).to_contain_text("O wins")
    there = page.get_by_role("region", name="Is a board there?")
    there.get_by_role("textbox").fill("OO./XXX/...")
    there.get_by_role("button", name="Look").click()
    expect(there).to_contain_text("yes")
    search = page.get_by_role("region", name="Search by pattern")
    search.get_by_role("textbox").fill("XXX/???/???")
    search.get_by_role("button", name="Search").click()
    expect(search).to_contain_text("of 135 boards match")
    page.get_by_role("link", name=re.compile("tictactoe.tb")).click()
    expect(page.get_by_role("img", name=re.compile("Positions by ply"))).to_be_visible()
    seen: list[str] = []
    page.on("request", lambda request: seen.append(request.url) if "/files/games2048?" in request.url else None)
    page.get_by_role("link", name=re.compile("train.jsonl")).click()
    expect(page.get_by_text("Mean score")).to_be_visible()
    expect(page.get_by_role("button", name="Game 3")).to_be_visible()
    expect(page.get_by_role("button", name="Game 0")).to_have_count(0)
    assert len(seen) == 1
    page.get_by_role("button", name="Forward").first.click()
    expect(page.get_by_text("Move 1 of 30")).to_be_visible()


def test_a_recorded_game_opens_with_its_players_to_be_watched(page: Page) -> None:
    page.goto("/#/data?file=games/match.jsonl")
    first, second = (page.get_by_role("link", name=f"Game {number}", exact=True) for number in (1, 2))
    expect(page.get_by_role("link", name="Game 0")).to_have_count(0)
    asked = parameters(first.get_attribute("href"))
    assert len(asked.pop("moves").split(".")) >= 5
    assert asked == {"game": "3x3:3", "x": "random", "o": "heuristic", "at": "0", "watch": "1"}
    assert parameters(second.get_attribute("href"))["x"] == "heuristic"
    first.click()
    expect(page.locator(".cell")).to_have_count(9)
    expect(page.get_by_role("combobox", name="X, who begins")).to_have_value("random")
    expect(page.get_by_role("combobox", name="O", exact=True)).to_have_value("heuristic")


def test_a_player_from_elsewhere_keeps_its_name(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&moves=22.11&x=Marvin&o=random&at=0&watch=1")
    expect(page.get_by_role("combobox", name="X, who begins")).to_have_value("Marvin")
    expect(page.get_by_role("combobox", name="X, who begins").locator("option:checked")).to_have_text("Marvin")


def test_a_tournament_with_its_cross_table(page: Page) -> None:
    page.goto("/#/data")
    page.get_by_role("link", name=re.compile("^cup ?[0-9]")).click()
    chart = page.get_by_role("img", name=re.compile("Elo of each player"))
    for name in ("random", "heuristic", "alpha-beta depth=2"):
        expect(chart.locator("text.row-name", has_text=name)).to_be_visible()
    crossed = panel(page, "Cross table")
    expect(crossed.locator("tbody tr")).to_have_count(3)
    crossed.get_by_role("link").first.click()
    expect(page.get_by_role("link", name="Game 1", exact=True)).to_be_visible()


def test_the_curve_of_a_short_training_can_be_read(page: Page) -> None:
    page.goto("/#/data?file=nets/three.ntuple")
    chart = page.get_by_role("img", name=re.compile("Mean score"))
    expect(chart.locator("circle.dot").first).to_be_visible()
    across = chart.locator("circle.dot").evaluate_all("(dots) => dots.map((dot) => Number(dot.getAttribute('cx')))")
    assert len(across) == len(set(across)) > 1  # no two points at the same place
    words = chart.locator("text").all_text_contents()
    assert {"points a game", "games learnt from"} <= set(words)
    numbers = [word for word in words if re.fullmatch(r"[\d,.]+", word)]
    assert len(numbers) >= 5


# ---- about


@pytest.mark.parametrize(
    ("name", "title"), [("values", "What is exact, and how it is known"), ("puzzles", "Puzzles and levels")]
)
def test_about_goes_to_a_section(page: Page, name: str, title: str) -> None:
    page.set_viewport_size({"width": 390, "height": 500})
    page.goto(f"/#/about?section={name}")
    expect(panel(page, title)).to_be_focused()
    box = panel(page, title).bounding_box()
    assert box
    assert 50 < box["y"] < 130  # below the bar
    expect(panel(page, "Keys").locator("kbd", has_text=re.compile(r"^[,.]$"))).to_have_count(2)
