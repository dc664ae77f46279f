"""The tour, step by step: what fails is told, and the others go on; its report, and what to do next.

Each step does a small, real piece of work in a folder, or finds it done by an earlier tour.
"""

import importlib.util
import os
import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from string import Template
from typing import Any, NamedTuple
from urllib.parse import quote

import gridlab
from gridlab.arena.assess import find_questions
from gridlab.core.charts import bars_svg, lines_svg
from gridlab.core.errors import GridlabError
from gridlab.core.files import locked_folder, try_folder, whole_file
from gridlab.core.run import ROOT, program
from gridlab.game2048.datasets.settings import make_settings
from gridlab.game2048.datasets.verify import statistics_of
from gridlab.game2048.datasets.verify import verify as verify_games
from gridlab.game2048.learn.ntuple_file import read_network
from gridlab.games.grid import MARKS
from gridlab.inarow.datasets.best_first import answer, read_start
from gridlab.inarow.datasets.terminals.build import verify as verify_terminals
from gridlab.inarow.exact.tablebase.verify import stats
from gridlab.inarow.search.proof_number import prove_win
from gridlab.learn.run import PICTURES
from gridlab.players.registry import player_text

# ---- What a step of the tour shows: a little for the terminal, and pictures, tables and commands for the report


class Shown(NamedTuple):
    """The outcome of a step."""

    line: str  # for the terminal: a line or a small picture
    html: str  # for the report
    further: tuple[str, ...] = ()  # commands of gridlab that go further
    reused: bool = False  # whether it was there from an earlier tour


def said(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def named(text: Path | str) -> str:
    """A file or a player as it is typed in a command."""
    return shlex.quote(str(text))


def typed(command: str) -> str:
    """A command of gridlab as it is typed here."""
    return f"<code>{escape(f'{program()} {command}')}</code>"


def drawn(picture: str, caption: str, *commands: str) -> str:
    """A picture or a table with what it shows, and the commands that show the same."""
    made = "".join(f'<div class="made">{typed(each)}</div>' for each in commands)
    return f'<figure class="drawn">{picture}<figcaption>{escape(caption)}{made}</figcaption></figure>'


def plain(text: str) -> str:
    """Text as a terminal shows it."""
    return f"<pre>{escape(text)}</pre>"


def said_by(command: str) -> str:
    """The command that says what has just been said."""
    return f'<p class="made">{typed(command)}</p>'


def gallery(pictures: Iterable[tuple[str, str]]) -> str:
    """Pictures, each with its caption."""
    shown = "".join(f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>" for svg, caption in pictures)
    return f'<div class="gallery">{shown}</div>'


def table(header: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    def cell(kind: str, value: str | int) -> str:
        return f"<{kind}>{escape(f'{value:,}' if isinstance(value, int) else value)}</{kind}>"

    head = "".join(cell("th", each) for each in header)
    body = "".join(f"<tr>{''.join(cell('td', each) for each in row)}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def values(position: gridlab.Position, found: gridlab.Solution) -> str:
    """A board with what each move is worth: W9 wins in 9 plies, L6 loses in 6, D draws; the best are framed."""
    marks = [MARKS[value] for value in position.values]
    cells = [f'<td class="stone">{mark}</td>' if mark != MARKS[0] else "<td></td>" for mark in marks]
    for move in found.moves:
        far = move.distance if move.value in ("win", "loss") else ""
        best = " best" if move.cell in found.best else ""
        cells[move.cell] = f'<td class="{move.value}{best}">{move.value[0].upper()}{far}</td>'
    cols = position.rules.cols
    rows = "".join(f"<tr>{''.join(cells[at : at + cols])}</tr>" for at in range(0, len(cells), cols))
    return f'<table class="board">{rows}</table>'


# ---- Findings of the tour as the report shows them: a board, a chart or a table, with the command that shows the same


LARGE = 512  # the least tile of which a table tells


def worth(known: gridlab.Tablebase, name: str, *positions: gridlab.Position) -> str:
    """Boards with what every move is worth, by a table that goes by this name in commands."""
    boards = "".join(values(each, known.probe(each)) for each in positions)
    probes = [f"tablebase probe {name} {each}" for each in positions]
    return drawn(f'<div class="gallery">{boards}</div>', "What every move is worth to whoever makes it", *probes)


def played_out(position: gridlab.Position, moves: list[int]) -> Iterator[tuple[str, str]]:
    """The board before and after each move, drawn."""
    yield position._repr_svg_(), f"{position.to_move} to move"
    for move in moves:
        mover, position = position.to_move, position.play(str(move))
        yield position._repr_svg_(), f"{mover} {move}"


def result(played: gridlab.Match) -> str:
    """A match as a table."""
    counts = ((f"{played.a} wins", played.a_wins), ("draws", played.draws), (f"{played.b} wins", played.b_wins))
    rows = [(name, count, percent(count / played.games)) for name, count in counts]
    how = f"--games {played.games} --openings {played.openings} --seed {played.seed}"
    again = f'match {played.rules} "{played.a}" "{played.b}" {how}'
    return drawn(table(("result", "games", "share"), rows), f"{played.a} scores {percent(played.a_score)}", again)


def accuracies(held: list[gridlab.Grade], command: str) -> str:
    """How often each of some players kept the value, by ply."""
    series = {each.player: [(float(row["ply"]), 100 * row["accuracy"]) for row in each.by_ply] for each in held}
    chart = lines_svg("Accuracy by ply", series, "plies played", "moves that keep the value (%)", 100)
    return drawn(chart, "How often each keeps a win or a draw that it has", command)


def blunders(held: gridlab.Grade, command: str) -> str:
    """The first positions in which a player gave something away."""
    found = [each for each in held.outcomes if each.blunder and each.move]
    told = [f"{held.player} plays {each.move}: {each.blunder.replace('->', ' → ')}" for each in found[:4]]
    pictures = gallery((each.position._repr_svg_(), text) for each, text in zip(found, told, strict=False))
    caption = "Moves that gave something away: what the position was worth, and what it is worth then"
    return drawn(pictures, caption, command)


def reached(played: gridlab.Evaluation2048, place: Path) -> str:
    """How often each large tile was reached."""
    rates = [(f"{tile}", percent(rate)) for tile, rate in played.tile_rates.items() if tile >= LARGE]
    caption = f"{played.games} games of the network: {played.mean_score:,.0f} points a game"
    again = f"2048 evaluate {named(player_text('ntuple', file=place))} --games {played.games} --seed 1"
    return drawn(table(("tile", "games that reach it"), rates), caption, again)


# ---- The steps of the tour: each does a small, real piece of work in a folder, or finds it done by an earlier tour


EARLY = range(9, 12)  # layers of the dataset of 5x5
SMALL = "4x4:4-3"  # a game like Squava, small enough to be solved in seconds
SECONDS = 15  # of learning
QUESTIONS = 300  # of a grade
EPISODES = 200  # of deep Q-learning


class Step(NamedTuple):
    """A step: its name, what is being done there, the work, and pages of the docs about it."""

    name: str
    doing: str
    work: Callable[[Path, bool], Shown]  # the folder, and whether a bar is shown
    pages: tuple[str, ...] = ()


def positions(folder: Path, progress: bool) -> Shown:
    found = gridlab.census("tictactoe")
    plies = [each.ply for each in found.plies]
    chart = bars_svg(
        "Positions of tic-tac-toe by ply", [str(ply) for ply in plies],
        {"arrangements of stones": [each.arrangements for each in found.plies],
         "legal positions": [each.counts.legal for each in found.plies]},
        "plies played", "number of positions",
    )  # fmt: skip
    html = drawn(chart + plain(found.derivation()), "Positions of tic-tac-toe, and their sum", "census tictactoe")
    line = f"{found.arrangements:,} arrangements, {found.counts.legal:,} legal positions, {found.games:,} games"
    return Shown(line, html, ("census tictactoe5",))


def terminal_wins(folder: Path, progress: bool) -> Shown:
    place = folder / "wins5x5"
    reused = place.exists()
    made = gridlab.build_terminals("tictactoe5", place, EARLY, resume=True, progress=progress)
    checked = verify_terminals(place, sample=None)
    if checked.complaints:
        raise GridlabError(f"{place}: {checked.complaints[0]}; remove the folder to have it built again")
    rows = [(each.ply, each.records, each.x_wins, each.o_wins) for each in made.layers]
    data = gridlab.Terminals(place)
    boards = [gridlab.Position.unpack(int(data.records(10)[number]), data.rules) for number in range(4)]
    html = said("Every terminal win once, up to symmetry, in binary layers; read back and checked record by record.")
    html += drawn(
        table(("ply", "wins up to symmetry", "by X", "by O"), rows), "The wins that come earliest",
        f"terminals build tictactoe5 --plies {EARLY[0]}-{EARLY[-1]} -o first-wins",
    )  # fmt: skip
    pictures = gallery((each._repr_svg_(), f"record {number} of ply 10") for number, each in enumerate(boards))
    html += drawn(pictures, "The first records of a layer", f"terminals show {named(place)} 10 --count 4")
    line = f"{sum(each.records for each in made.layers):,} wins of the first plies, every one verified"
    return Shown(line, html, ("terminals build tictactoe5 -o wins",), reused)


def solved(folder: Path, progress: bool) -> Shown:
    place = folder / "4x4.tb"
    if not (reused := place.exists()):
        gridlab.build_tablebase(SMALL, place, progress=progress)
    known = gridlab.Tablebase(place)
    found = stats(known)
    chart = bars_svg(
        f"Positions of {SMALL} by ply and value", [str(each.ply) for each in found.plies],
        {name: [getattr(each, name) for each in found.plies] for name in ("wins", "draws", "losses")},
        "plies played", "number of positions",
    )  # fmt: skip
    total = sum(each.wins + each.draws + each.losses for each in found.plies)
    start = gridlab.Position(found.directory.rules)
    html = said(f"{total:,} positions, each with its value and distance, in a file that answers at once.")
    html += drawn(chart, "What they are worth to the player to move", f"tablebase stats {named(place)}")
    html += worth(known, named(place), start, start.play("22"))
    outcome = found.openings
    line = f"{total:,} positions of {SMALL} solved: a {outcome.value} for X in {outcome.distance} plies"
    return Shown(line, html, ("tablebase build squava -o squava.tb",), reused)


def squava(folder: Path, progress: bool) -> Shown:
    known = gridlab.Tablebase("squava")  # its first plies come with the package
    start = gridlab.Position(known.rules)
    html = said("On 5×5 four in a row win and three in a row lose. The empty board, and the board after X 33:")
    html += worth(known, "squava", start, start.play("33"))
    line = f"what every first move is worth: +17 wins in 17 plies, -20 loses in 20\n{known.probe(start).board()}"
    return Shown(line, html, ("play squava --against perfect",))


def searches(folder: Path, progress: bool) -> Shown:
    asked, steps, output = (folder / f"{name}.txt" for name in ("input", "steps", "output"))
    with whole_file(asked) as file:
        file.write(b"3\nX..\n.O.\n...\nX\n")
    found = answer(read_start(asked), steps, output)
    proof = prove_win(0, 0, gridlab.game("6x6:4"))
    if flaw := proof.flaw():
        raise GridlabError(f"the proof of 6x6:4 does not hold: {flaw}")
    sentence = f"four in a row on 6x6 is {proof.result}: {proof.size:,} positions, every reply checked by the rules"
    html = said(f"Best-first search looks for a line that the opponent has to allow. {str(found).splitlines()[2]}.")
    start = gridlab.Position.parse("X../.O./...", gridlab.game("tictactoe"))
    line = gallery(played_out(start, found.as_dict()["line"]))
    search = f"best-first {named(asked)} --steps {named(steps)} -o {named(output)}"
    html += drawn(line, "The line, move by move", search)
    html += said(f"Proof-number search lets the opponent defend: {sentence}.") + said_by("solve 6x6:4 --prove")
    return Shown(f"{str(found).splitlines()[2]}\n{sentence}", html, (f"{search} --both",))


def graded(folder: Path, progress: bool) -> Shown:
    place, players = folder / "4x4.tb", ("alpha-beta depth=2", "mcts playouts=400")
    played = gridlab.play_match(*players, SMALL, 60, "random:2", seed=1, progress=progress)
    asked = find_questions(gridlab.game(SMALL, "mnk"), QUESTIONS, tablebase=place, seed=1, progress=progress)
    more: dict[str, Any] = {"questions": asked, "tablebase": place, "seed": 1, "progress": progress}
    held = [gridlab.grade(player, SMALL, **more) for player in players]
    kept = " and ".join(percent(each.accuracy) for each in held)
    line = f"{players[0]} scores {percent(played.a_score)} against {players[1]}; of their moves {kept} keep the value"
    html = said(f"{played.games} games of {SMALL}; a win counts 1, a draw ½.") + result(played)
    html += said("The same two compared with perfect play, on positions where a move can change the value:")
    html += accuracies(held, f'grade {SMALL} "{players[0]}" "{players[1]}" {exam_of(place)}')
    html += blunders(held[0], f'grade {SMALL} "{players[0]}" {exam_of(place)} --verbose')
    further = 'grade squava "mcts playouts=2000"', "tournament tictactoe random heuristic mcts"
    return Shown(line, html, further)


def exam_of(place: Path) -> str:
    return f"--positions {QUESTIONS} --tablebase {named(place)} --seed 1"


def games_2048(folder: Path, progress: bool) -> Shown:
    place = folder / "games2048.jsonl"
    if not (reused := place.exists()):
        settings = make_settings(seed=1, depth=3, evaluator="rows")
        gridlab.generate("2048", place, 20, settings=settings, progress=progress)
    checked = verify_games(place)
    if not checked.sound:
        raise GridlabError(f"{place}: {checked.flawed} games are not sound; remove it to have them played again")
    found, best = statistics_of(place), max(gridlab.Games(place), key=lambda each: each.final_score)
    tiles = {int(tile): number for tile, number in found.as_dict()["max_tiles"].items()}
    games = {"games": [tiles[each] for each in sorted(tiles)]}
    names = [str(each) for each in sorted(tiles)]
    chart = bars_svg("Games by largest tile", names, games, "largest tile", "number of games")
    line = f"{checked.games} games, {checked.moves:,} moves, each replayed by the rules; the best {best.final_score:,}"
    last = gridlab.Position2048.unpack(best.final_board)
    html = said(f"Mean score {found.as_dict()['mean_score']:,.0f} points.")
    end = gallery([(last._repr_svg_(), f"the end of the best game: {best.final_score:,} points")])
    html += drawn(chart + end, "How far the games went", f"2048 stats {named(place)}")
    return Shown(line, html, ("2048 generate -g 500 -o games.jsonl", "play 2048"), reused)


def solved_2048(folder: Path, progress: bool) -> Shown:
    place = folder / "2048-2x3.tb"
    if not (reused := place.exists()):
        gridlab.build_tablebase2048("2048:2x3", place, progress=progress)
    known = gridlab.Tablebase2048(place)
    rows = [("perfect", f"{known.mean:,.2f}", percent(1))]
    for player in ("expectimax depth=3", "random"):
        score = gridlab.follow_player(player, known.rules).mean_score
        rows.append((player, f"{score:,.2f}", percent(score / known.mean)))
    html = said("Exact mean scores over every board that can come up; nothing is sampled.")
    html += drawn(
        table(("player", "mean score (points)", "share of best play"), rows), "2048 on a board of 2×3 cells",
        'grade 2048:2x3 "expectimax depth=3" random --whole',
    )  # fmt: skip
    line = f"best play on 2x3 makes {known.mean:.2f} points on average, {rows[1][0]} {rows[1][1]}, random {rows[2][1]}"
    return Shown(line, html, ("tablebase build 2048:3x3 -o 3x3.tb",), reused)


def learning(folder: Path, progress: bool) -> Shown:
    place = folder / "2048.ntuple"
    if not (reused := place.exists()):
        with without_pictures():
            gridlab.train_ntuple("2048", place, minutes=SECONDS / 60, tuples="17x4", seed=1, progress=progress)
    learnt = read_network(place).head.learnt
    played = gridlab.evaluate(player_text("ntuple", file=place), games=50, seed=1)
    curve = {"mean score": [(each.seconds, each.mean_score) for each in learnt.curve]}
    chart = lines_svg("Mean score by seconds of learning", curve, "learning time (s)", "mean score (points)")
    again = f"train 2048 --minutes {SECONDS / 60:g} --seed 1 --tuples 17x4 -o again.ntuple"
    html = drawn(chart, "How it learnt; the games are those it learns from", again) + reached(played, place)
    speed = f"in {learnt.seconds:.0f} s and {learnt.games:,} games, {learnt.moves / learnt.seconds:,.0f} moves a second"
    line = f"from nothing, {speed}: {played.mean_score:,.0f} points a game"
    return Shown(line, html, ("train 2048 -o ten.ntuple",), reused)


@contextmanager
def without_pictures() -> Iterator[None]:
    """A training's own picture is a bonus: the report draws the curve, so nobody need hear that it is missing."""
    before, PICTURES.disabled = PICTURES.disabled, True
    try:
        yield
    finally:
        PICTURES.disabled = before


def deep_learning(folder: Path, progress: bool) -> Shown:
    from gridlab.inarow.learn.training import OPPONENTS, train

    place = folder / "dqn"
    reused = place.exists()
    with without_pictures():
        found = train(out=place, episodes=EPISODES, preset="guide", seed=1, resume=reused, progress=progress)
    rates = [(OPPONENTS[name], percent(rate)) for name, rate in found.rates.items()]
    html = said(f"{EPISODES} games are a beginning; the network that comes with the package has learnt from many more.")
    html += drawn(
        table(("opponent", "score of the network alone"), rates), "The network, looking one ply ahead",
        f"train squava --preset guide --episodes {EPISODES} --seed 1 -o again",
    )  # fmt: skip
    scores = ", ".join(f"{rate} against {opponent}" for opponent, rate in rates)
    line = f"{found.episode:,} games; the network alone scores {scores}"
    return Shown(line, html, ("train squava --preset best", "play squava --against dqn-minimax"), reused)


def steps() -> list[Step]:
    """The steps of this machine: deep learning where torch is installed."""
    found = [
        Step("Why 5,478?", "counting every position of tic-tac-toe", positions,
             ("howto/tictactoe-states.md", "census.md")),
        Step("Every way to win", "the earliest terminal wins of 5x5 five-in-a-row", terminal_wins, ("terminals.md",)),
        Step("A game solved", f"the value of every position of {SMALL}", solved, ("tablebase.md",)),
        Step("Squava", "its openings, with perfect play", squava, ("games/squava.md",)),
        Step("Lines and proofs", "best-first search, and a win that no defence prevents", searches,
             ("best_first.md", "solve.md")),
        Step("Compared with perfect play", "a match, and two players graded against perfect play", graded,
             ("players.md", "howto/grade-your-player.md")),
        Step("2048 for training", "twenty games by expectimax, each verified", games_2048, ("2048-datasets.md",)),
        Step("2048 solved", "perfect play on 2x3, and how far others are from it", solved_2048, ("2048-solved.md",)),
        Step("2048 learnt", f"{SECONDS} seconds of temporal-difference learning", learning, ("learning-2048.md",)),
    ]  # fmt: skip
    if importlib.util.find_spec("torch") and importlib.util.find_spec("safetensors"):
        about = f"{EPISODES} games of deep Q-learning"
        found.append(Step("Squava learnt", about, deep_learning, ("learning-squava.md",)))
    return found


# ---- What to do after the tour: commands as they are typed here, and the pages that say more


class Next(NamedTuple):
    """A command, and what it is for."""

    command: str
    about: str


def next_commands(called: str | None = None) -> list[Next]:
    """Three things to type next: in the report, in the last lines of the tour and, with `called`, in README."""
    called = called or program()
    return [
        Next(f"{called} serve --open", "the web lab: play, and see what every move is worth"),
        Next(f"{called} play squava --against perfect", "Squava in the terminal, against perfect play"),
        Next(f'{called} grade tictactoe "mcts playouts=50"', "how often a player finds a best move"),
    ]


def page_link(page: str, report: Path, text: str = "") -> str:
    """A link from a report to a page of the docs, as built by `make docs` if it is; nothing where there are no docs."""
    source, built = ROOT / "docs" / page, (ROOT / "site" / page).with_suffix(".html")
    if not source.is_file():
        return ""
    title = text or source.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    return f'<a href="{_address(built if built.is_file() else source, report)}">{escape(title)}</a>'


def _address(page: Path, report: Path) -> str:
    try:
        return quote(Path(os.path.relpath(page, report.resolve().parent)).as_posix())
    except ValueError:  # on another drive
        return page.as_uri()


# ---- The report of a tour: one page that stands alone, with boards, charts, tables, timings and what to do next


PAGE = Path(__file__).with_name("report.html")  # its line ends are left out
STYLE = Path(__file__).with_name("report.css")


class StepResult(NamedTuple):
    """A step as it went."""

    step: Step
    shown: Shown | None  # None if it failed
    seconds: float
    error: str = ""


def write_report(path: Path, visits: list[StepResult]) -> None:
    """The page of a tour."""
    page = Template(PAGE.read_text("utf-8").replace("\n", "")).substitute(
        style=STYLE.read_text(), summary=escape(_summary(visits)), version=gridlab.__version__,
        place=escape(str(Path.cwd())), next=_onward(path),
        steps="".join(_section(number, each, path) for number, each in enumerate(visits, 1)),
    )  # fmt: skip
    with whole_file(path) as file:
        file.write(page.encode())


def _summary(visits: list[StepResult]) -> str:
    whole = sum(each.seconds for each in visits)
    failed = [each.step.name for each in visits if each.error]
    return f"{len(visits)} steps in {whole:.0f} seconds" + (f"; failed: {', '.join(failed)}" if failed else "")


def _section(number: int, visit: StepResult, report: Path) -> str:
    step, shown, seconds, error = visit
    time = f"{seconds:.1f} s" + (", found from an earlier tour" if shown and shown.reused else "")
    head = f'<h2>{number}. {escape(step.name)}</h2><p class="muted">{escape(step.doing)} · {time}</p>'
    if shown is None:
        return f'<section>{head}<p class="failed">This did not work: {escape(error)}</p></section>'
    further = _listed([*map(typed, shown.further), *_links(step.pages, report)])
    return f'<section>{head}{shown.html}<p class="muted">To go further:</p>{further}</section>'


def _onward(report: Path) -> str:
    commands = [f"<code>{escape(each.command)}</code> {escape(each.about)}" for each in next_commands()]
    whole = page_link("index.md", report, "Every page of the docs, by purpose")
    links = [*_links(("tutorial.md", "web.md", "commands.md"), report), *filter(None, [whole])]
    return _listed(commands) + _listed(links)


def _links(pages: Iterable[str], report: Path) -> list[str]:
    return [link for page in pages if (link := page_link(page, report))]


def _listed(items: Iterable[str]) -> str:
    inside = "".join(f"<li>{each}</li>" for each in items)
    return f"<ul>{inside}</ul>" if inside else ""


# ---- The tour, step by step: what fails is told, and the others go on


REPORT = "report.html"


def take_tour(
    folder: Path | str, tell: Callable[[int, int, Step], object] = lambda *_: None, progress: bool = False
) -> Iterator[StepResult]:
    """Every step as it was; at the end the report is in the folder. `tell` hears of a step before its work begins."""
    folder = try_folder(Path(folder))
    visits: list[StepResult] = []
    with locked_folder(folder):
        every = steps()
        for number, step in enumerate(every, 1):
            tell(number, len(every), step)
            visits.append(visit(step, folder, progress))
            yield visits[-1]
        write_report(folder / REPORT, visits)


def visit(step: Step, folder: Path, progress: bool) -> StepResult:
    """One step; whatever goes wrong there is kept to it."""
    began = time.monotonic()
    try:
        shown, error = step.work(folder, progress), ""
    except Exception as trouble:
        kind = "" if isinstance(trouble, GridlabError) else f"{type(trouble).__name__}: "
        shown, error = None, f"{kind}{trouble}"
    return StepResult(step, shown, time.monotonic() - began, error)
