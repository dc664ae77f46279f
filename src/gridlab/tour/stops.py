"""The stops of the tour: each does a small, real piece of work in a folder, or finds it done by an earlier tour."""

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from gridlab.arena.evaluate import evaluate
from gridlab.arena.grade import grade
from gridlab.arena.match.mnk import play_match
from gridlab.arena.questions import find_questions
from gridlab.arena.whole2048 import follow_player
from gridlab.core.charts import bars_svg, lines_svg
from gridlab.core.errors import GridlabError
from gridlab.datasets.best_first.report import answer
from gridlab.datasets.games2048.generate import generate
from gridlab.datasets.games2048.reader import Games
from gridlab.datasets.games2048.settings import DatasetSettings
from gridlab.datasets.games2048.stats import statistics_of
from gridlab.datasets.games2048.verify import verify as verify_games
from gridlab.datasets.terminals.build import build_terminals
from gridlab.datasets.terminals.dataset import Terminals
from gridlab.datasets.terminals.verify import verify as verify_terminals
from gridlab.exact.census import census
from gridlab.exact.game2048.build import build_tablebase2048
from gridlab.exact.game2048.probe import Tablebase2048
from gridlab.exact.tablebase.build import build_tablebase
from gridlab.exact.tablebase.probe import Tablebase
from gridlab.exact.tablebase.stats import stats
from gridlab.games import game
from gridlab.games.game2048.position import Position2048
from gridlab.games.mnk.position import Position
from gridlab.learn.ntuple.train import train_ntuple
from gridlab.nets.ntuple_file import read_network
from gridlab.search.mnk.best_first import Start
from gridlab.search.mnk.proof_number import prove_win
from gridlab.tour.show import Shown, gallery, plain, said, table, values

EARLY = range(9, 12)  # layers of the dataset of 5x5
SMALL = "4x4:4-3"  # a game like Squava, small enough to be solved in seconds
SECONDS = 15  # of learning
EPISODES = 200  # of deep Q-learning


class Stop(NamedTuple):
    """A stop: its name, what is being done there, and the work."""

    name: str
    doing: str
    work: Callable[[Path, bool], Shown]  # the folder, and whether a bar is shown


def positions(folder: Path, progress: bool) -> Shown:
    found = census("tictactoe")
    plies = [each.ply for each in found.plies]
    chart = bars_svg(
        "Positions of tic-tac-toe by ply", [str(ply) for ply in plies],
        {"arrangements of stones": [each.arrangements for each in found.plies],
         "legal positions": [each.counts.legal for each in found.plies]},
        "ply",
    )  # fmt: skip
    line = f"{found.arrangements:,} arrangements, {found.counts.legal:,} legal positions, {found.games:,} games"
    return Shown(line, chart + plain(found.derivation()), ("gridlab census tictactoe", "gridlab census tictactoe5"))


def terminal_wins(folder: Path, progress: bool) -> Shown:
    place = folder / "wins5x5"
    reused = place.exists()
    made = build_terminals("tictactoe5", place, EARLY, resume=True, progress=progress)
    checked = verify_terminals(place, sample=None)
    if checked.complaints:
        raise GridlabError(f"{place}: {checked.complaints[0]}; remove the folder to have it built again")
    rows = [(each.ply, each.records, each.x_wins, each.o_wins) for each in made.layers]
    data = Terminals(place)
    boards = [Position.unpack(int(data.records(10)[number]), data.rules) for number in range(4)]
    html = said("Every terminal win once, up to symmetry, in binary layers; read back and checked record by record.")
    html += table(("ply", "records", "X wins", "O wins"), rows)
    html += gallery((each._repr_svg_(), f"record {number} of ply 10") for number, each in enumerate(boards))
    line = f"{sum(each.records for each in made.layers):,} wins of the first plies, every one verified"
    return Shown(line, html, ("gridlab terminals build tictactoe5 -o wins",), reused)


def solved(folder: Path, progress: bool) -> Shown:
    place = folder / "4x4.tb"
    if not (reused := place.exists()):
        build_tablebase(SMALL, place, progress=progress)
    known = Tablebase(place)
    found = stats(known)
    chart = bars_svg(
        f"Positions of {SMALL} by ply and value", [str(each.ply) for each in found.plies],
        {"wins": [each.wins for each in found.plies], "draws": [each.draws for each in found.plies],
         "losses": [each.losses for each in found.plies]},
        "ply",
    )  # fmt: skip
    total = sum(each.wins + each.draws + each.losses for each in found.plies)
    start = Position(found.directory.rules)
    html = said(f"{total:,} positions, each with its value and distance, in a file that answers at once.")
    reply = start.play("22")
    html += f'{chart}<div class="gallery">{values(start, found.openings)}{values(reply, known.probe(reply))}</div>'
    outcome = found.openings
    line = f"{total:,} positions of {SMALL} solved: a {outcome.value} for X in {outcome.distance} plies"
    return Shown(
        line, html, ("gridlab tablebase build squava -o squava.tb", f"gridlab tablebase stats {place}"), reused
    )


def squava(folder: Path, progress: bool) -> Shown:
    known = Tablebase("squava")  # its first plies come with the package
    start = Position(known.rules)
    first, reply = known.probe(start), known.probe(start.play("33"))
    html = said("Four in a row win, three lose. W17: the move wins in 17 plies; L20: it loses in 20; framed: the best.")
    html += f'<div class="gallery">{values(start, first)}{values(start.play("33"), reply)}</div>'
    line = f"what every first move is worth: +17 wins in 17 plies, -20 loses in 20\n{first.board()}"
    return Shown(line, html, ("gridlab play squava --against perfect",))


def searches(folder: Path, progress: bool) -> Shown:
    found = answer(Start(3, 1 << 0, 1 << 4, "X"), folder / "steps.txt", folder / "output.txt")
    proof = prove_win(0, 0, game("6x6:4"))
    if flaw := proof.flaw():
        raise GridlabError(f"the proof of 6x6:4 does not hold: {flaw}")
    sentence = f"four in a row on 6x6 is {proof.result}: {proof.size:,} positions, every reply checked by the rules"
    html = said(f"Best-first search looks for a line that the opponent has to allow. {str(found).splitlines()[2]}.")
    html += gallery(played_out(Position.parse("X../.O./...", game("tictactoe")), found.as_dict()["line"]))
    html += said(f"Proof-number search lets the opponent defend: {sentence}.")
    further = ("gridlab best-first input.txt", "gridlab solve 6x6:4 --prove")
    return Shown(f"{str(found).splitlines()[2]}\n{sentence}", html, further)


def played_out(position: Position, moves: list[int]) -> Iterator[tuple[str, str]]:
    """The board before and after each move, drawn."""
    yield position._repr_svg_(), f"{position.to_move} to move"
    for move in moves:
        mover, position = position.to_move, position.play(str(move))
        yield position._repr_svg_(), f"{mover} {move}"


def graded(folder: Path, progress: bool) -> Shown:
    place, players = folder / "4x4.tb", ("alpha-beta depth=2", "mcts playouts=400")
    played = play_match(*players, SMALL, 60, "random:2", seed=1, progress=progress)
    asked = find_questions(game(SMALL, "mnk"), 300, place, 1, progress)
    held = [grade(player, SMALL, tablebase=place, seed=1, progress=progress, questions=asked) for player in players]
    series = {
        each.player: [(float(row["ply"]), float(row["accuracy"])) for row in each.as_dict()["by_ply"]] for each in held
    }
    kept = " and ".join(f"{each.accuracy:.0%}" for each in held)
    line = f"{players[0]} scores {played.a_score:.0%} against {players[1]}; of their moves {kept} keep the value"
    html = plain(str(played)) + said("The same two held to the truth, on positions where a move can change the value:")
    html += lines_svg("Accuracy by ply", series, "ply", 1.0)
    html += gallery(
        (each.position._repr_svg_(), f"{players[0]} plays {each.position.move_text(each.move)}: {each.blunder}")
        for each in [each for each in held[0].outcomes if each.blunder and each.move is not None][:4]
        if each.move is not None
    )
    return Shown(line, html, ('gridlab grade "mcts playouts=2000" --game squava', "gridlab tournament --help"))


def games_2048(folder: Path, progress: bool) -> Shown:
    place = folder / "games2048.jsonl"
    if not (reused := place.exists()):
        settings = DatasetSettings(seed=1, depth=3, evaluator="rows")
        generate(place, 20, settings, progress=progress)
    checked = verify_games(place)
    if not checked.sound:
        raise GridlabError(f"{place}: {checked.flawed} games are not sound; remove it to have them played again")
    found, best = statistics_of(place), max(Games(place), key=lambda each: each.final_score)
    tiles = {int(tile): number for tile, number in found.as_dict()["max_tiles"].items()}
    games = {"games": [tiles[each] for each in sorted(tiles)]}
    chart = bars_svg("Games by largest tile", [str(each) for each in sorted(tiles)], games, "largest tile")
    line = f"{checked.games} games, {checked.moves:,} moves, each replayed by the rules; the best {best.final_score:,}"
    last = Position2048.unpack(best.final_board)
    html = said(f"Mean score {found.as_dict()['mean_score']:,.0f}.") + chart
    html += gallery([(last._repr_svg_(), f"the end of the best game: {best.final_score:,} points")])
    return Shown(line, html, ("gridlab 2048 generate -g 500 -o games.jsonl", "gridlab play 2048"), reused)


def solved_2048(folder: Path, progress: bool) -> Shown:
    place = folder / "2048-2x3.tb"
    if not (reused := place.exists()):
        build_tablebase2048("2048:2x3", place, progress=progress)
    known = Tablebase2048(place)
    rows = [("perfect", f"{known.mean:,.2f}", "100 %")]
    for player in ("expectimax depth=3", "random"):
        score = follow_player(player, known.rules).mean_score
        rows.append((player, f"{score:,.2f}", f"{score / known.mean:.0%}"))
    html = said("Exact mean scores over every board that can come up; nothing is sampled.")
    html += table(("player", "mean score", "of best play"), rows)
    line = f"best play on 2x3 makes {known.mean:.2f} points on average, {rows[1][0]} {rows[1][1]}, random {rows[2][1]}"
    return Shown(line, html, ("gridlab tablebase build 2048:3x3 -o 3x3.tb",), reused)


def learning(folder: Path, progress: bool) -> Shown:
    place = folder / "2048.ntuple"
    if not (reused := place.exists()):
        train_ntuple(place, minutes=SECONDS / 60, seed=1, tuples="17x4", progress=progress)
    learnt = read_network(place).head.learnt
    played = evaluate(f"ntuple file={place}", 50, seed=1)
    curve = {"mean score": [(each.seconds, each.mean_score) for each in learnt.curve]}
    html = lines_svg("Mean score by seconds of learning", curve, "seconds") + plain(str(played))
    line = (
        f"from nothing, in {learnt.seconds:.0f} s and {learnt.games:,} games, {learnt.moves / learnt.seconds:,.0f} "
        f"moves a second: {played.mean_score:,.0f} points a game"
    )
    further = ("gridlab train 2048 -o ten.ntuple", f'gridlab 2048 evaluate "ntuple file={place}"')
    return Shown(line, html, further, reused)


def deep_learning(folder: Path, progress: bool) -> Shown:
    from gridlab.learn.training import train

    place = folder / "dqn"
    reused = place.exists()
    found = train(folder=place, preset="guide", episodes=EPISODES, seed=1, resume=reused, progress=progress)
    rates = table(
        ("opponent", "score of the network alone"), [(name, f"{rate:.0%}") for name, rate in found.rates.items()]
    )
    html = (
        said(f"{EPISODES} episodes are a beginning; the network that comes with the package has learnt from many more.")
        + rates
    )
    return Shown(
        str(found), html, ("gridlab train squava --preset best", "gridlab play squava --against dqn-minimax"), reused
    )


def stops() -> list[Stop]:
    """The stops of this machine: deep learning where torch is installed."""
    found = [
        Stop("Why 5,478?", "counting every position of tic-tac-toe", positions),
        Stop("Every way to win", "the earliest terminal wins of 5x5 five-in-a-row", terminal_wins),
        Stop("A game solved", f"the value of every position of {SMALL}", solved),
        Stop("Squava", "its openings, with perfect play", squava),
        Stop("Lines and proofs", "best-first search, and a win that no defence prevents", searches),
        Stop("Held to the truth", "a match, and two players graded against perfect play", graded),
        Stop("2048 for training", "twenty games by expectimax, each verified", games_2048),
        Stop("2048 solved", "perfect play on 2x3, and how far others are from it", solved_2048),
        Stop("2048 learnt", f"{SECONDS} seconds of temporal-difference learning", learning),
    ]
    if importlib.util.find_spec("torch") and importlib.util.find_spec("safetensors"):
        found.append(Stop("Squava learnt", f"{EPISODES} episodes of deep Q-learning", deep_learning))
    return found
