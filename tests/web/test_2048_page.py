"""2048 in a real browser: no key is lost, no game is lost, and what is shown belongs to the board beside it."""

import json
import random
import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from gridlab.game2048.position import begun, moved, replayed
from gridlab.game2048.rules import DIRECTIONS, Rules2048
from gridlab.players.registry import make_player
from tests.conftest import in_long_runs

pytestmark = pytest.mark.compiled

KEYS = {"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight"}
WINDOWS = [(1280, 800), (1024, 768), (1920, 1080)]
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
PRESS = """async ([keys, pause]) => {
  for (const key of keys) {
    dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    await new Promise((go) => setTimeout(go, pause));
  }
}"""


def opened(page: Page, address: str = "2048?seed=7") -> None:
    page.goto(f"/#/{address}")
    expect(page.locator(".tiles .tile").first).to_be_visible()


def amount(page: Page, name: str) -> int:
    return int(page.get_by_test_id(name).inner_text().replace(",", ""))


def at_rest(page: Page) -> None:
    expect(page.locator(".tiles")).to_have_attribute("aria-busy", "false")


def kept(page: Page, rules: str = "2048") -> dict[str, Any]:
    """What the browser keeps of a board."""
    found: dict[str, Any] = json.loads(page.evaluate("rules => localStorage.getItem('gridlab 2048 ' + rules)", rules))
    return found


def moves_of(text: str) -> list[str]:
    """The moves of a link, three a character: DIRECTIONS is the order of their numbers."""
    count, letters, _ = text.split(".")
    bits = [ALPHABET.index(letter) >> shift & 3 for letter in letters for shift in (4, 2, 0)]
    return [DIRECTIONS[each] for each in bits[: int(count, 36)]]


def agrees(page: Page, rules: str = "2048") -> list[str]:
    """The moves of the page, after which its board and its score are those of the library."""
    game = kept(page, rules)["running"]
    moves = moves_of(game["moves"])[: game["at"]]
    position = replayed(Rules2048.parse(rules), game["seed"], moves)[-1]
    rows = str(position).replace(".", "empty").split("/")
    said = "; ".join(f"row {number}: {row}" for number, row in enumerate(rows, 1))
    expect(page.locator(".tiles")).to_have_attribute("aria-label", f"Board of 2048. {said}")
    assert (amount(page, "score"), amount(page, "count")) == (position.score, len(moves))
    expect(page.locator(".tiles .tile")).to_have_count(sum(map(bool, position.tiles)))
    return moves


def slow_line(page: Page) -> None:
    """150 ms there and back, 1.6 Mbit/s."""
    line = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 94_000}
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", line)


def swipe(page: Page, direction: str) -> None:
    box = page.locator(".tiles").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    right, down = {"up": (0, -60), "down": (0, 60), "left": (-60, 0), "right": (60, 0)}[direction]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right, y + down)
    page.mouse.up()


# ---- no key is lost


@pytest.mark.parametrize("pause", [31, 70, *in_long_runs(130)])
def test_forty_keys_are_forty_keys(page: Page, pause: int) -> None:
    opened(page)
    slow_line(page)
    directions = random.Random(pause).choices(DIRECTIONS, k=40)
    page.evaluate(PRESS, [[KEYS[each] for each in directions], pause])
    at_rest(page)
    moves = agrees(page)
    skipped = int(page.locator(".tiles").get_attribute("data-skipped") or "")
    assert len(moves) + skipped == 40
    assert moves == legal_part(directions)


def legal_part(directions: list[str], seed: int = 7) -> list[str]:
    """The directions that were moves when their turn came."""
    made: list[str] = []
    for each in directions:
        if each in replayed(Rules2048(), seed, made)[-1].moves():
            made.append(each)
    return made


@pytest.mark.parametrize("inputs", [200, *in_long_runs(2000)])
def test_keys_swipes_and_undo_at_random_moments(page: Page, inputs: int) -> None:
    page.add_init_script("localStorage.setItem('gridlab', JSON.stringify({ values2048: true }))")
    opened(page, "2048?game=2048:7x7&seed=7&player=expectimax depth=1")
    slow_line(page)
    chance, pressed, undone = random.Random(5), 0, 0
    while pressed + undone < inputs:
        what = chance.random()
        if what < 0.07:
            undone += page.evaluate(
                "() => { const undo = [...document.querySelectorAll('button')].find((each) => "
                "each.textContent === 'Undo'); undo.click(); return !undo.disabled }"
            )
        elif what < 0.17:
            swipe(page, chance.choice(DIRECTIONS))
            pressed += 1
        else:
            keys = [KEYS[each] for each in chance.choices(DIRECTIONS, k=chance.randint(1, 12))]
            page.evaluate(PRESS, [keys, chance.choice([0, 5, 31, 70])])
            pressed += len(keys)
    at_rest(page)
    moves = agrees(page, "2048:7x7")
    skipped = int(page.locator(".tiles").get_attribute("data-skipped") or "")
    assert len(moves) + undone + skipped == pressed


def test_a_slow_adviser_holds_up_no_move(page: Page) -> None:
    page.add_init_script("localStorage.setItem('gridlab', JSON.stringify({ values2048: true }))")
    opened(page, "2048?seed=7&player=expectimax depth=8")
    page.evaluate(PRESS, [["a", "w", "d", "s"] * 5, 60])
    page.wait_for_timeout(300)
    at_rest(page)
    assert len(agrees(page)) >= 15


def test_what_was_pressed_while_the_server_was_away_counts(page: Page) -> None:
    opened(page)
    away = re.compile("/2048/play|/health")
    page.route(away, lambda route: route.abort())
    page.evaluate(PRESS, [["a", "w", "d", "s"], 20])
    expect(page.locator("#offline")).to_be_visible()
    assert amount(page, "count") == 0
    page.unroute(away)
    expect(page.get_by_test_id("count")).to_have_text(str(len(legal_part(["left", "up", "right", "down"]))))
    agrees(page)


# ---- no game is lost


def test_a_game_survives_reload_other_pages_and_a_new_window(page: Page) -> None:
    opened(page)
    page.evaluate(PRESS, [["a", "w", "d", "s"] * 6, 5])
    at_rest(page)
    before, best = agrees(page), amount(page, "best")
    assert best == amount(page, "score") > 0
    page.reload()
    expect(page.get_by_test_id("count")).to_have_text(str(len(before)))
    assert agrees(page) == before
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_test_id("count")).to_have_text(str(len(before) - 1))
    page.goto("/#/about")
    expect(page.get_by_role("heading", name="About").or_(page.locator("[data-page='about'] h1")).first).to_be_visible()
    page.get_by_role("link", name="2048", exact=True).click()
    expect(page.get_by_test_id("count")).to_have_text(str(len(before) - 1))
    page.get_by_role("button", name="Redo").click()
    expect(page.get_by_test_id("count")).to_have_text(str(len(before)))
    assert agrees(page) == before
    other = page.context.new_page()
    other.goto("/#/2048")
    expect(other.get_by_test_id("count")).to_have_text(str(len(before)))
    assert amount(other, "best") == best


def test_undo_goes_back_beyond_a_reload_to_the_beginning(page: Page) -> None:
    opened(page)
    page.evaluate(PRESS, [["a", "w", "d", "s"] * 18, 0])
    at_rest(page)
    made = len(agrees(page))
    assert made > 55  # more than one answer brings
    page.reload()
    expect(page.get_by_test_id("count")).to_have_text(str(made))
    for _ in range(made):
        page.evaluate("[...document.querySelectorAll('button')].find((each) => each.textContent === 'Undo').click()")
    expect(page.get_by_test_id("count")).to_have_text("0")
    agrees(page)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_games_of_two_windows_are_both_kept(page: Page) -> None:
    other = page.context.new_page()
    for window, seed in ((page, 7), (other, 8)):
        opened(window, f"2048?seed={seed}")
    for window, times in ((page, 3), (other, 2), (page, 1)):
        window.evaluate(PRESS, [["a", "w", "d", "s"] * times, 5])
        at_rest(window)
    counts = [amount(window, "count") for window in (page, other)]
    for window, count in zip((page, other), counts, strict=True):
        window.reload()
        expect(window.get_by_test_id("count")).to_have_text(str(count))


def copied(page: Page) -> str:
    page.evaluate("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }")
    page.get_by_role("button", name="Copy link").click()
    return str(page.evaluate("window.copied"))


def test_a_link_carries_the_moves_and_destroys_nothing(page: Page) -> None:
    opened(page)
    page.evaluate(PRESS, [["a", "w", "d", "s"] * 4, 0])
    at_rest(page)
    link, moves = copied(page), agrees(page)
    page.get_by_role("button", name="New game").click()
    expect(page.get_by_test_id("count")).to_have_text("0")
    page.evaluate(PRESS, [["a", "w", "d"], 20])
    at_rest(page)
    mine = agrees(page)
    page.goto("about:blank")
    page.goto(link)
    expect(page.get_by_test_id("count")).to_have_text(str(len(moves)))
    expect(page.locator(".head")).to_contain_text(f"Your other game: {len(mine)} move")
    page.evaluate(PRESS, [["a", "w", "d", "s"], 20])  # now the game of the link is played
    at_rest(page)
    assert len(agrees(page)) > len(moves)
    page.get_by_role("button", name="Back to it").click()
    expect(page.get_by_test_id("count")).to_have_text(str(len(mine)))
    assert agrees(page) == mine


@pytest.mark.parametrize("damaged", ["3.i.jxn", *in_long_runs("5.AA.1", "zz")])
def test_a_damaged_link_is_told(page: Page, damaged: str) -> None:
    opened(page, f"2048?seed=7&moves={damaged}")
    expect(page.locator(".toast")).to_have_text("The moves of this link are damaged; the game starts from its seed.")
    assert amount(page, "count") == 0


def test_the_text_of_moves_is_the_same_on_both_sides(page: Page) -> None:
    opened(page)
    assert text_of(["left", "up", "left"]) == "3.i.jxm"  # as moves.js says
    chance = random.Random(1)
    for many in (0, 1, 2, 3, 4, 7000):
        moves = chance.choices(DIRECTIONS, k=many)
        call = "async (moves) => (await import('/js/game2048/moves.js')).textOf(moves)"
        text = page.evaluate(call, moves)
        assert text == text_of(moves)
        assert moves_of(text) == moves
        assert page.evaluate("async (text) => (await import('/js/game2048/moves.js')).movesOf(text)", text) == moves
        assert len(text) < many / 3 + 12


def text_of(moves: list[str]) -> str:
    numbers = [DIRECTIONS.index(each) for each in moves] + [0] * (-len(moves) % 3)
    letters = "".join(ALPHABET[16 * a + 4 * b + c] for a, b, c in zip(*[iter(numbers)] * 3, strict=True))
    said, check = f"{base36(len(moves))}.{letters}", 7
    for letter in said:
        check = (check * 31 + ord(letter)) % 46649
    return f"{said}.{base36(check)}"


def base36(number: int) -> str:
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    return digits[number] if number < 36 else base36(number // 36) + digits[number % 36]


# ---- what is shown belongs to the board


def test_a_hint_is_of_its_board_alone(page: Page) -> None:
    opened(page)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".directions .remark")).to_contain_text("ntuple would go")
    expect(page.locator(".direction.is-best")).to_have_count(1)
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_test_id("count")).to_have_text("1")
    expect(page.locator(".direction.is-best")).to_have_count(0)
    expect(page.locator(".directions .remark")).to_have_text("")


def test_a_key_is_one_request_and_values_are_never_of_another_board(page: Page) -> None:
    opened(page)
    page.get_by_role("button", name="Values").click()
    expect(page.locator(".direction.is-best")).to_have_count(1)
    bodies: list[Any] = []
    page.on("request", lambda request: bodies.append(request.post_data_json) if request.method == "POST" else None)
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_test_id("count")).to_have_text("1")
    expect(page.locator(".direction.is-best")).to_have_count(1)
    page.wait_for_timeout(300)
    assert [(body["directions"], body["values"]) for body in bodies] == [(["left"], "ntuple")]
    page.route("**/2048/play", slowly)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".direction.is-best")).to_have_count(1)  # known from before
    page.get_by_role("button", name="Redo").click()
    expect(page.get_by_test_id("count")).to_have_text("1")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_test_id("count")).to_have_text("2")
    expect(page.locator(".direction.is-best")).to_have_count(0)
    expect(page.locator(".directions .remark")).to_have_text(re.compile("asking the adviser|ntuple: "))


def slowly(route: Any) -> None:
    """Moves are answered, advice is not."""
    body = route.request.post_data_json
    if body.get("directions"):
        route.continue_(post_data=json.dumps(body | {"values": ""}))


def test_an_adviser_without_values_says_so_and_moves_go_on(page: Page) -> None:
    page.add_init_script("localStorage.setItem('gridlab', JSON.stringify({ values2048: true }))")
    opened(page, "2048?seed=7&player=random")
    page.evaluate(PRESS, [["a", "w", "d", "s"], 20])
    at_rest(page)
    assert agrees(page) == legal_part(["left", "up", "right", "down"])
    expect(page.locator(".directions .remark")).to_contain_text("'random' has no values to give")


def test_bars_are_as_long_as_their_values(page: Page) -> None:
    opened(page)
    page.get_by_role("button", name="Values").click()
    expect(page.locator(".direction.is-best .loss")).to_have_text("best")
    shown = page.locator(".direction").evaluate_all(
        "all => all.map((each) => [each.querySelector('.worth').textContent, each.querySelector('.loss').textContent,"
        " parseFloat(each.querySelector('.bar i').style.width)])"
    )
    known = [(int(worth.replace(",", "")), loss, width) for worth, loss, width in shown if worth]
    best = max(worth for worth, _, _ in known)
    for worth, loss, width in known:
        assert width == pytest.approx(100 * worth / best, abs=0.01)
        if worth < best:
            assert int(loss.replace(",", "").replace("−", "-")) == pytest.approx(worth - best, abs=1)


def test_a_solved_board_is_exact(page: Page) -> None:
    opened(page, "2048?game=2048:2x2&seed=1")
    page.get_by_role("button", name="Values").click()
    expect(page.locator(".directions .remark")).to_contain_text("Exact: points to come with perfect play")
    expect(page.get_by_role("combobox", name="Adviser")).to_have_value("perfect")
    page.goto("/#/data?file=tables/2048-2x2.tb")
    expect(page.get_by_role("img", name=re.compile("Boards by the sum"))).to_be_visible()


# ---- autoplay, the end, and the goal


def test_autoplay_pauses_steps_and_gives_way_to_a_key(page: Page) -> None:
    opened(page, "2048?seed=7&player=expectimax depth=1&watch=1")
    expect(page.get_by_test_id("count")).to_have_text(re.compile(r"^\d+$"))
    page.get_by_label("Speed of autoplay").select_option("fast")
    expect(page.get_by_test_id("count")).to_have_text(re.compile(r"^[3-9]\d|\d{3}"))
    page.get_by_role("button", name="Pause").click()
    made = amount(page, "count")
    page.get_by_role("button", name="Step").click()
    expect(page.get_by_test_id("count")).to_have_text(str(made + 1))
    page.get_by_role("button", name="Autoplay").click()
    expect(page.get_by_test_id("count")).not_to_have_text(str(made + 1))
    page.evaluate(PRESS, [["a", "w"], 10])
    expect(page.get_by_role("button", name="Autoplay")).to_be_visible()
    at_rest(page)
    agrees(page)
    assert amount(page, "best") == 0  # not the visitor's own
    expect(page.get_by_role("img", name=re.compile("Score after each"))).to_be_visible()


def test_the_end_names_the_worst_moves_and_leads_back_to_them(page: Page) -> None:
    opened(page, "2048?game=2048:2x2&seed=2")
    while not page.get_by_role("group", name="Game over").is_visible():
        page.evaluate(PRESS, [["a", "w", "d", "s"], 5])
        at_rest(page)
    made = agrees(page, "2048:2x2")
    end = page.get_by_role("group", name="Game over")
    expect(end).to_contain_text("Your best so far")
    worst = page.get_by_role("region", name="Worst moves")
    expect(worst).to_contain_text(re.compile(r"Exact, from the solved board: all \d+ decisions? were looked at"))
    entry = worst.get_by_role("button").first
    text = entry.inner_text()
    found = re.search(r"Move (\d+): (\w+) . was played, (\w+) . is better", text)
    assert found, text
    assert made[int(found[1]) - 1] == found[2]
    entry.click()
    expect(page.get_by_test_id("count")).to_have_text(str(int(found[1]) - 1))
    expect(end).to_be_hidden()
    page.keyboard.press(KEYS[found[3]])
    expect(page.get_by_test_id("count")).to_have_text(found[1])
    agrees(page, "2048:2x2")
    page.get_by_role("button", name="New game").click()
    expect(page.get_by_test_id("count")).to_have_text("0")


def test_the_goal_is_celebrated_once_and_the_game_goes_on(page: Page) -> None:
    player, chance = make_player("ntuple", Rules2048()), np.random.default_rng(0)
    here, moves = begun(Rules2048(), 7), list[str]()
    while here.max_tile < 2048:
        direction = player.move(here, chance)
        here = moved(here, direction, 7, len(moves))
        moves.append(direction)
    assert len(moves) > 800
    opened(page, f"2048?seed=7&moves={text_of(moves[:-1])}")
    expect(page.get_by_test_id("count")).to_have_text(f"{len(moves) - 1:,}")
    page.keyboard.press(KEYS[moves[-1]])
    expect(page.locator(".cheer")).to_have_text("2048! The game goes on.")
    page.get_by_role("button", name="Step").click()
    expect(page.get_by_test_id("count")).to_have_text(f"{len(moves) + 1:,}")
    agrees(page)
    page.reload()
    expect(page.get_by_test_id("largest")).to_have_text("2048")
    expect(page.locator(".cheer")).to_be_hidden()


# ---- room


def test_the_board_takes_the_room_there_is(page: Page) -> None:
    opened(page)
    page.get_by_role("button", name="Values").click()
    expect(page.locator(".direction.is-best")).to_have_count(1)
    for width, height in WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        board = page.locator(".tiles").bounding_box()
        assert board
        assert min(board["width"], board["height"]) >= 0.7 * min(width, height)
        for name in (".tiles", ".scores", ".toolbar", ".pad", ".remark"):
            assert bottom_of(page, name) <= height


def bottom_of(page: Page, name: str) -> float:
    box = page.locator(name).first.bounding_box()
    assert box
    assert box["y"] >= 0
    return float(box["y"] + box["height"])


def test_on_a_phone_everything_is_in_sight(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page)
    page.get_by_role("button", name="Values").click()
    expect(page.locator(".direction.is-best .worth")).to_have_text(re.compile(r"\d"))
    navigation = page.get_by_role("navigation", name="Pages").bounding_box()
    assert navigation
    for name in (".tiles", ".scores", ".toolbar", ".pad", ".remark"):
        assert bottom_of(page, name) <= navigation["y"]
    page.locator(".direction:not(.is-idle)").last.click()
    expect(page.get_by_test_id("count")).to_have_text("1")


def test_keys_and_swipes_do_not_scroll(page: Page) -> None:
    opened(page)
    page.keyboard.press("ArrowDown")
    for direction in ("left", "up"):
        swipe(page, direction)
    expect(page.get_by_test_id("count")).to_have_text(str(len(legal_part(["down", "left", "up"]))))
    assert page.evaluate("scrollY") == 0
    assert page.locator(".stage").evaluate("element => getComputedStyle(element).touchAction") == "none"
    page.get_by_role("spinbutton", name="Seed").fill("7")
    page.get_by_role("button", name="Begin with this seed").click()
    expect(page.get_by_test_id("count")).to_have_text("0")
    agrees(page)
