"""Networks of 2048 at play: images, searches over them, side by side, ONNX."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from gridlab.core.errors import BadPlayer, FileTrouble, PlayerFault
from gridlab.core.run import stop_flag
from gridlab.game2048 import rules as reference
from gridlab.game2048.evaluate import evaluate
from gridlab.game2048.kernels import pack_board, row_tables, unpack_board
from gridlab.game2048.learn import policy_networks as policy_file
from gridlab.game2048.learn.policy import Policy, expected_values, input_of, load_policy, play_on
from gridlab.game2048.learn.policy_networks import METHODS, NETWORK, Facts, Shape, new_policy
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS, Rules2048
from gridlab.game2048.search.play import PythonGame, play_to_end
from gridlab.learn import networks as tensors_file
from gridlab.learn.networks import named
from gridlab.players.registry import make_player
from tests.conftest import Run

RULES = Rules2048()
SHAPE = Shape(8, 1, 2)


def written(path: Path, method: str, rules: str = "2048", seed: int = 1) -> Path:
    """A network of random weights, on disk."""
    network = new_policy(method, SHAPE, seed)
    facts = Facts(
        format=policy_file.FORMAT, method=method, rules=rules, scale=500.0,  # type: ignore[arg-type]
        settings={"width": 8, "layers": 1, "heads": 2},
    )  # fmt: skip
    policy_file.write(path, named(NETWORK, network), facts)
    return path


@pytest.fixture(params=METHODS)
def network(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    return request.param, written(tmp_path / f"net.{request.param}", request.param)


def test_what_a_file_leaves_out_has_defaults(tmp_path: Path, gridlab: Run) -> None:
    """Older files, and those of other programs, say less."""
    network = named(NETWORK, new_policy("cnn", SHAPE, 1))
    sizes = {"width": 8, "layers": 1, "heads": 2}
    tensors_file.write(tmp_path / "bare.cnn", network, {"format": policy_file.FORMAT, "settings": sizes})
    facts = policy_file.read(tmp_path / "bare.cnn").facts
    assert (facts.method, facts.rules, facts.scale, facts.seed) == ("cnn", "2048", 1.0, 0)
    assert (facts.epoch, facts.steps, facts.seconds, facts.sums, facts.best_epoch) == (0, 0, 0.0, (0.0, 0.0, 0.0), 0)
    assert (facts.data, facts.curve, facts.test) == ((), (), None)
    code, out, _ = gridlab("train", "info", str(tmp_path / "bare.cnn"), "--json")
    told = json.loads(out)
    assert code == 0
    assert (told["holds"], told["method"], told["rules"], told["recipe"]) == ("network", "cnn", "2048", sizes)
    assert (told["seed"], told["epoch"], told["steps"], told["best_epoch"], told["seconds"]) == (0, 0, 0, 0, None)
    assert (told["data"], told["curve"]) == ([], [])


def positions(number: int = 30) -> list[Position2048]:
    """Positions of random games in which a move can be made."""
    random, found = np.random.default_rng(2), list[Position2048]()
    while len(found) < number:
        position = Position2048.start(random)
        for _ in range(int(random.integers(60))):
            if legal := position.moves():
                position = position.step(str(random.choice(legal)), random)
        if position.moves():
            found.append(position)
    return found


def test_only_legal_moves_and_true_probabilities(network: tuple[str, Path]) -> None:
    method, path = network
    player = make_player(f"{method} checkpoint='{path}'", RULES)
    for position in positions():
        values = player.values(position, np.random.default_rng(0))  # type: ignore[attr-defined]
        assert list(values) == position.moves()
        assert sum(values.values()) == pytest.approx(1)
        assert player.move(position, np.random.default_rng(0)) in position.moves()
    assert str(make_player(str(player), RULES)) == str(player)


def test_images_of_a_board_are_judged_alike(network: tuple[str, Path]) -> None:
    """All eight images together give the same answer for every image, its directions mapped."""
    method, path = network
    policy = load_policy(path, method, RULES, 8)
    for position in positions(10):
        grid = np.array(position.tiles).reshape(4, 4)
        mirrored, turned = pack_board(tuple(grid[:, ::-1].ravel().tolist()), RULES), tuple(grid.T.ravel().tolist())
        boards = np.array([position.packed, mirrored, pack_board(turned, RULES)], np.uint64)
        plain, aside, over = policy.directions(boards)
        assert aside[[0, 1, 3, 2]] == pytest.approx(plain)
        assert over[[2, 3, 0, 1]] == pytest.approx(plain)


def test_one_image_is_what_the_network_says(network: tuple[str, Path]) -> None:
    _, path = network
    boards = np.array([position.packed for position in positions()], np.uint64)
    net = policy_file.read(path).network().double()
    policy = Policy(net, RULES, 500.0, 1)
    with torch.inference_mode():
        raw, values = net(*input_of(boards, row_tables()))
    legal = np.array([[name in each.moves() for name in DIRECTIONS] for each in positions()])
    wanted = torch.log_softmax(raw, 1).numpy()
    logs, worth = policy.judge(boards)
    assert logs[legal] == pytest.approx(wanted[legal])
    assert (logs[~legal] == -np.inf).all()
    if values is not None:
        assert worth == pytest.approx(500 * np.maximum(values.numpy(), 0) ** 2)


def plain_expectation(policy: Policy, tiles: reference.Board, depth: int) -> dict[str, float]:
    """Expectimax over the value head in the plainest Python."""
    found = {}
    for direction in reference.legal_moves(RULES, tiles):
        after, points = reference.move(RULES, tiles, direction)
        cells, total = reference.empty_cells(after), 0.0
        for cell in cells:
            for tile, chance in ((2, 0.9), (4, 0.1)):
                board = reference.place(after, cell, tile)
                if depth > 2:
                    value = max(plain_expectation(policy, board, depth - 2).values(), default=0.0)
                else:
                    value = float(policy.judge(np.array([pack_board(board, RULES)], np.uint64))[1][0])
                total += chance * value / len(cells)
        found[direction] = points + total
    return found


def test_expectimax_over_the_value_head(tmp_path: Path) -> None:
    path = written(tmp_path / "net.dual", "dual")
    policy = load_policy(path, "dual", RULES, 1)
    for position in positions(3):
        wanted = plain_expectation(policy, position.tiles, 2)
        player = make_player(f"expectimax evaluator='dual:{path}' depth=2", RULES)
        assert player.values(position, np.random.default_rng(0)) == pytest.approx(wanted)  # type: ignore[attr-defined]
        assert player.points  # type: ignore[attr-defined]
        assert player.move(position, np.random.default_rng(0)) == max(wanted, key=wanted.__getitem__)
    full = Position2048((2, 4, 2, 4, 4, 2, 4, 2, 2, 4, 2, 4, 4, 2, 4, 0))
    wanted = plain_expectation(policy, full.tiles, 4)
    found = expected_values(np.array([full.packed], np.uint64), 4, policy)[0]
    assert {name: found[DIRECTIONS.index(name)] for name in wanted} == pytest.approx(wanted)


def test_side_by_side_is_one_by_one(network: tuple[str, Path]) -> None:
    method, path = network
    player = make_player(f"{method} checkpoint='{path}'", RULES)
    found = play_to_end(player, RULES, 5, range(3, 7), stop_flag())
    alone = [PythonGame(player, RULES, 5, number).play(stop_flag()) for number in range(3, 7)]
    assert found.scores == [game.position.score for game in alone]
    assert found.max_tiles == [game.position.max_tile for game in alone]
    assert found.moves == sum(len(game.directions) for game in alone)


def test_a_player_that_sees_many_and_answers_nonsense() -> None:
    class Wrong:
        def move(self, position: Position2048, random: np.random.Generator) -> str:
            return "up"

        def choose_many(self, boards: np.ndarray) -> np.ndarray:
            return np.full(len(boards), 7, np.int8)

    class Failing(Wrong):
        def choose_many(self, boards: np.ndarray) -> np.ndarray:
            raise ZeroDivisionError("nothing")

    with pytest.raises(PlayerFault, match="answers 7 in"):
        evaluate(Wrong(), games=2)
    with pytest.raises(PlayerFault, match="fails: ZeroDivisionError: nothing"):
        evaluate(Failing(), games=2)


def test_playouts_by_a_network(network: tuple[str, Path]) -> None:
    _, path = network
    text = f"mcts playouts=20 checkpoint='{path}' moves=3"
    player = make_player(text, RULES)
    for position in positions(3):
        values = player.values(position, np.random.default_rng(4))  # type: ignore[attr-defined]
        assert list(values) == position.moves()
        assert values == player.values(position, np.random.default_rng(4))  # type: ignore[attr-defined]
    assert player.points  # type: ignore[attr-defined]
    assert str(make_player(str(player), RULES)) == str(player)


def test_playouts_read_their_network_once(network: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    player, seen = make_player(f"mcts playouts=4 checkpoint='{network[1]}' moves=1", RULES), list[Path]()
    monkeypatch.setattr(tensors_file, "read_bytes_of", lambda path, *_: seen.append(path))
    for position in positions(2):
        player.move(position, np.random.default_rng(4))
    assert seen == []


def test_playing_on_keeps_to_the_rules(tmp_path: Path) -> None:
    policy = load_policy(written(tmp_path / "net", "cnn"), "cnn", RULES, 1)
    dead = pack_board((2, 4, 2, 4, 4, 2, 4, 2, 2, 4, 2, 4, 4, 2, 4, 2), RULES)
    start = positions(1)[0].packed
    points = play_on(np.array([dead, start], np.uint64), 5, policy, np.array([1, 2], np.uint64))
    assert points[0] == 0
    assert points[1] > 0


def test_smaller_boards(tmp_path: Path) -> None:
    rules = Rules2048.parse("2048:2x3")
    path = written(tmp_path / "net", "cnn", "2048:2x3")
    assert evaluate(f"cnn checkpoint='{path}'", rules, 2).games == 2
    board = np.array([pack_board((2, 0, 4, 0, 2, 0), rules)], np.uint64)
    policy = load_policy(path, "cnn", rules, 8)
    assert policy.images == 4
    seen = np.array([pack_board((4, 0, 2, 0, 2, 0), rules)], np.uint64)
    assert policy.directions(seen)[0][[0, 1, 3, 2]] == pytest.approx(policy.directions(board)[0])
    assert unpack_board(int(board[0]), rules) == (2, 0, 4, 0, 2, 0)


def test_what_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "net.cnn", "cnn")
    for text, said in (
        ("cnn", "needs a network: cnn checkpoint=FILE"),
        (f"dual checkpoint='{path}'", "holds a network of the kind cnn, not dual"),
        (f"expectimax evaluator='dual:{path}' depth=2", "of the kind cnn, not dual"),
        (f"cnn checkpoint='{path}' images=3", "images=3"),
        (f"mcts checkpoint='{path}' moves=-1", "moves=-1"),
        ("mcts moves=3", "moves=3"),
        ("mcts playouts=1", "playouts=1"),
        ("mcts exploration=-1", "exploration=-1"),
        (f"cnn checkpoint='{tmp_path / 'nothing'}'", "nothing"),
        ("expectimax evaluator=dual:x depth=3", "depth=3 with a dual network"),
        (f"expectimax evaluator='dual:{path}' depth=2 sample=4", "sample=4"),
    ):
        with pytest.raises((BadPlayer, FileTrouble), match=said):
            make_player(text, RULES)
    with pytest.raises(FileTrouble, match="is a network for 2048, not for 2048:3x3"):
        make_player(f"cnn checkpoint='{path}'", Rules2048.parse("2048:3x3"))


def test_onnx(gridlab: Run, network: tuple[str, Path], tmp_path: Path) -> None:
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    method, path = network
    out = tmp_path / "net.onnx"
    code, text, _ = gridlab("train", "export", str(path), "--onnx", "--out", str(out))
    assert code == 0
    assert "differs from torch by at most" in text
    session = runtime.InferenceSession(out.read_bytes(), providers=["CPUExecutionProvider"])
    boards = np.array([position.packed for position in positions()], np.uint64)
    cells, legal = input_of(boards, row_tables())
    found = session.run(None, {"cells": cells.numpy(), "legal": legal.numpy()})
    with torch.inference_mode():
        said, values = policy_file.read(path).network()(cells, legal)
    assert found[0] == pytest.approx(said.numpy(), abs=1e-4)
    assert len(found) == (2 if method == "dual" else 1)
    if values is not None:
        assert found[1] == pytest.approx(values.numpy(), abs=1e-4)
