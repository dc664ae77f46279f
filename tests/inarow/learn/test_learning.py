"""The small parts of learning: targets, memory, schedule, phases, λ-returns."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from gridlab.core.bits import draw, streams
from gridlab.core.errors import BadNotation
from gridlab.core.run import stop_flag
from gridlab.inarow.learn.dqn import Learner, seen_through
from gridlab.inarow.learn.episodes import (
    Episode,
    EpisodeSetup,
    Moves,
    Replay,
    moves_of,
    negamax_targets,
    new_moves,
    play_episodes,
    rewards_of,
)
from gridlab.inarow.learn.features import SQUAVA
from gridlab.inarow.learn.judge import Judge
from gridlab.inarow.learn.networks import new_network
from gridlab.inarow.learn.settings import (
    PRESETS,
    SelfPlay,
    TrainingSettings,
    epsilon_of,
    learning_rate_of,
    phase_of,
    phase_starts,
    play_samples,
    round_from,
    settings_of,
    steps_after,
    write_returns,
)
from gridlab.inarow.position import Position
from gridlab.inarow.search.geometry import geometry_of
from gridlab.inarow.search.mcts import search
from gridlab.learn.run import changed
from tests.inarow.search.test_depth_limited import seats

GEOMETRY = geometry_of(SQUAVA)


def game_of(*cells: int) -> Moves:
    episode = Episode(0, np.random.default_rng(0))
    for cell in cells:
        episode.play(cell, GEOMETRY)
    assert episode.result is not None
    return moves_of(episode, False)


# ---- targets


def test_a_good_position_for_the_opponent_is_bad() -> None:
    rewards, after = np.zeros(3, np.float32), np.array([1.0, -0.5, 0.25], np.float32)
    found = negamax_targets(rewards, after, np.array([False, False, True]), 0.95)
    assert np.allclose(found, [-0.95, 0.475, 0.0])


def test_the_targets_of_a_won_game() -> None:
    """X: 11, 12, 14 and then 13 makes four; O's stones are far from each other."""
    moves = game_of(0, 20, 1, 9, 3, 17, 2)
    assert moves.reward.tolist() == [0, 0, 0, 0, 0, 0, 1]
    assert moves.done.tolist() == [False] * 6 + [True]
    learner = Learner(SQUAVA, TrainingSettings(), 0, torch.device("cpu"))
    goal = learner.goal(moves).numpy()
    after = np.stack((moves.next_own, moves.next_other), axis=1)[:-1]
    assert goal[-1] == 1.0
    assert np.allclose(goal[:-1], -0.95 * Judge(learner.target, SQUAVA).values(after), atol=1e-5)


def test_by_double_dqn_one_network_chooses_and_the_other_values() -> None:
    learner = Learner(SQUAVA, settings_of("guide", double=True), 0, torch.device("cpu"))
    for seed, network in enumerate((learner.network, learner.target)):
        torch.manual_seed(seed)
        torch.nn.init.normal_(network.output_layer[3].weight, std=0.3)  # type: ignore[arg-type]
    moves = game_of(0, 20, 1, 9, 3, 17, 2)
    goal, plain = learner.goal(moves).numpy(), replace(learner.settings, double=False)
    online, target = Judge(learner.network, SQUAVA), Judge(learner.target, SQUAVA)
    position, differ = Position(SQUAVA), 0
    for number, cell in enumerate((0, 20, 1, 9, 3, 17)):
        position = position.play(cell)
        answers = [position.play(each) for each in position.moves()]

        def worth(after: Position, judge: Judge) -> float:
            """An answer, to its maker."""
            if after.over:
                outcome = after.outcome()
                assert outcome is not None
                return 0.0 if outcome.winner is None else -1.0 if outcome.winner == after.to_move else 1.0
            return float(-0.95 * judge.values(np.array([seats(after)]))[0])

        chosen = max(answers, key=lambda after: worth(after, online))
        assert goal[number] == pytest.approx(-0.95 * worth(chosen, target), abs=1e-4)
        differ += chosen != max(answers, key=lambda after: worth(after, target))
    assert goal[6] == 1.0
    assert differ > 0
    learner.settings = plain
    assert not np.allclose(learner.goal(moves).numpy(), goal, atol=0.01)


def test_what_changes_nothing_is_refused() -> None:
    for asked in ({"double": True}, {"shaping": True}):
        with pytest.raises(BadNotation, match=f"{min(asked)} changes nothing in preset best"):
            settings_of("best", **asked)
    assert (PRESETS["guide"].double, PRESETS["best"].double) == (False, False)


def test_three_in_a_row_is_punished() -> None:
    moves = game_of(0, 20, 1, 9, 2)
    assert moves.reward.tolist() == [0, 0, 0, 0, -1]
    assert moves.own[-1] == 0b11
    assert moves.next_other[-1] == 0b111  # after the move the opponent would be next


def test_the_position_after_a_move_is_the_opponents() -> None:
    moves = game_of(0, 20, 1, 9, 2)
    assert np.array_equal(moves.next_own[:-1], moves.own[1:])
    assert np.array_equal(moves.next_other[:-1], moves.other[1:])
    assert np.array_equal(moves.next_own, moves.other)


def test_shaping_gives_later_moves_more() -> None:
    assert rewards_of(1, 4).tolist() == [0, 0, 0, 1]
    assert rewards_of(1, 4, shaping=True).tolist() == [-0.625, 0.75, -0.875, 1]
    assert rewards_of(0, 3, shaping=True).tolist() == [0, 0, 0]
    assert rewards_of(-1, 2, shaping=True).tolist() == [0.75, -1]


# ---- memory


def numbered(first: int, number: int) -> Moves:
    moves = new_moves(number)
    moves.own[:] = np.arange(first, first + number)
    return moves


def test_the_oldest_moves_make_room() -> None:
    replay = Replay(5)
    replay.add(numbered(0, 3))
    assert len(replay) == 3
    replay.add(numbered(3, 4))
    assert len(replay) == 5
    assert sorted(replay.kept().own.tolist()) == [2, 3, 4, 5, 6]


def test_samples_are_different_moves_by_chance() -> None:
    replay = Replay(100)
    replay.add(numbered(0, 100))
    sample = replay.sample(50, np.random.default_rng(0)).own
    assert len(set(sample.tolist())) == 50
    assert not np.array_equal(sample, replay.sample(50, np.random.default_rng(1)).own)
    counts = np.zeros(100)
    for seed in range(400):
        counts[replay.sample(10, np.random.default_rng(seed)).own] += 1
    assert counts.min() > 15  # 40 on average
    assert counts.max() < 70


def test_images_keep_what_the_game_is_about() -> None:
    moves = game_of(0, 20, 1, 9, 3, 17, 2)
    seen = seen_through(moves, np.random.default_rng(0), GEOMETRY.images)
    for i in range(len(moves.own)):
        one, other = Position(SQUAVA, int(moves.own[i]), int(moves.other[i])), seen
        assert one.key == Position(SQUAVA, int(other.own[i]), int(other.other[i])).key
    assert not np.array_equal(seen.own, moves.own)


# ---- schedule


def test_epsilon_decays_to_its_floor() -> None:
    settings = PRESETS["guide"]
    assert epsilon_of(0, settings) == 1.0
    assert epsilon_of(1, settings) == 0.995
    assert epsilon_of(597, settings) == pytest.approx(0.995**597)
    assert 0.995**597 > 0.05 > 0.995**598
    assert epsilon_of(598, settings) == 0.05
    assert epsilon_of(2999, settings) == 0.05


def test_phases_end_where_the_document_ends_them() -> None:
    assert phase_starts(3000) == (450, 2250)
    assert [phase_of(episode, 3000) for episode in (0, 449, 450, 2249, 2250, 2999)] == [1, 1, 2, 2, 3, 3]
    assert phase_starts(200) == (30, 150)
    assert [phase_of(episode, 1) for episode in (0,)] == [3]


def test_rounds_end_where_something_is_due() -> None:
    settings = PRESETS["guide"]
    assert round_from(0, settings) == range(0, 10)
    assert round_from(445, settings) == range(445, 450)
    assert round_from(17, settings_of("guide", 20)) == range(17, 20)
    ends = set()
    episode = 0
    while episode < 3000:
        episode = round_from(episode, settings).stop
        ends.add(episode)
    assert {450, 2250, 3000} | set(range(100, 3001, 100)) <= ends


def test_steps_are_steady() -> None:
    assert steps_after(range(10, 20), PRESETS["guide"]) == 10
    best = PRESETS["best"]
    total = sum(steps_after(range(first, first + 500), best) for first in range(0, best.episodes, 500))
    assert total == int(best.episodes * best.steps)


def test_the_learning_rate() -> None:
    assert {learning_rate_of(episode, PRESETS["guide"]) for episode in (0, 1500, 3000)} == {0.001}
    best = PRESETS["best"]
    assert learning_rate_of(best.episodes, best) == pytest.approx(best.last_learning_rate)


def test_the_presets() -> None:
    guide = PRESETS["guide"]
    assert (guide.learning_rate, guide.gamma, guide.memory, guide.batch) == (0.001, 0.95, 50_000, 64)
    assert (guide.target_update, guide.checkpoint, guide.episodes, guide.dropout) == (100, 300, 3000, 0.1)
    assert (guide.training_depth, guide.training_blend, guide.opponent_depth) == (2, 0.3, 3)
    with pytest.raises(BadNotation, match="'other' is not a preset; there are guide, best"):
        settings_of("other")
    with pytest.raises(BadNotation, match="0 episodes are too few"):
        settings_of("guide", 0)


# ---- games


@pytest.mark.compiled
@pytest.mark.parametrize("first", [0, 450, 2250])
def test_games_of_every_phase_are_games(first: int) -> None:
    setup = EpisodeSetup(Judge(new_network(0).eval(), SQUAVA), PRESETS["guide"], seed=4)
    moves = play_episodes(setup, range(first, first + 3))
    assert moves.done.sum() == 3
    start = 0
    for end in (np.flatnonzero(moves.done) + 1).tolist():
        position = Position(SQUAVA)
        for i in range(start, end):
            assert (moves.own[i], moves.other[i]) == (position.own, position.other)
            assert position.outcome() is None
            cell = int(moves.next_other[i] ^ moves.own[i]).bit_length() - 1
            mover, position = position.to_move, position.play(cell)
        outcome = position.outcome()
        assert outcome
        assert moves.reward[end - 1] == (0 if outcome.winner is None else 1 if outcome.winner == mover else -1)
        start = end
    again = play_episodes(setup, range(first, first + 3))
    assert np.array_equal(again.own, moves.own)


def test_lambda_returns_by_hand() -> None:
    """The last move wins; the second was random, so what came of it says nothing about it."""
    searched = np.array([0.5, -0.25, 0.75])
    out = np.zeros(3, np.float32)
    write_returns(0.5, 1, searched, np.array([False, True, False]), out)
    assert out.tolist() == pytest.approx([0.5 * 0.5 + 0.5 * 0.25, -0.25, 0.5 * 0.75 + 0.5])
    write_returns(1.0, 2, searched, np.array([False, False, False]), out)
    assert out.tolist() == [0, 0, 0]
    write_returns(1.0, -1, searched, np.array([False, False, False]), out)
    assert out.tolist() == [-1, 1, -1]


def test_samples_are_ongoing_positions_of_games() -> None:
    self_play = SelfPlay(playouts=20, longest_opening=10, random_moves=0.3, trust=0.5)
    samples = play_samples(self_play, 3, range(5, 9), GEOMETRY, stop_flag())
    for own, other in zip(samples.own.tolist(), samples.other.tolist(), strict=True):
        crosses_move = own.bit_count() == other.bit_count()
        position = Position(SQUAVA, *((own, other) if crosses_move else (other, own)))
        assert position.flaw() is None
        assert position.outcome() is None
    assert np.all(np.abs(samples.value) <= 1)
    alone = play_samples(self_play, 3, range(6, 7), GEOMETRY, stop_flag())
    assert alone.own[0] in samples.own  # a game hangs on its number alone


def plain_samples(self_play: SelfPlay, seed: int, number: int) -> list[tuple[int, int, float]]:
    """One game of the teacher: positions as values, moves from the search as everybody calls it."""
    state = streams(seed, 1, number)

    def below(limit: int) -> int:
        return (int(draw(state, 0)) >> 32) * limit >> 32

    position = Position(SQUAVA)
    for _ in range(below(self_play.longest_opening + 1)):
        quiet = [cell for cell in position.moves() if position.play(cell).outcome() is None]
        if not quiet:
            break
        position = position.play(quiet[below(len(quiet))])
    past: list[tuple[Position, float, bool]] = []
    while position.outcome() is None:
        tried = search(
            position, self_play.playouts, proofs=False, exploration=1.0, states=state, geometry=GEOMETRY
        ).moves
        most = max(tried, key=lambda each: (each.visits, -each.cell))
        surprise = below(1 << 20) < self_play.random_moves * (1 << 20)
        past.append((position, most.value, surprise))
        position = position.play(position.moves()[below(len(position.moves()))] if surprise else most.cell)
    winner, found = position.outcome().winner, []  # type: ignore[union-attr]
    following = 0.0 if winner is None else 1.0 if winner == position.to_move else -1.0
    for before, value, surprise in reversed(past):
        following = value if surprise else (1 - self_play.trust) * value - self_play.trust * following
        found.append((*seats(before), following))
    return found[::-1]


def test_samples_are_those_of_the_plain_teacher() -> None:
    self_play = SelfPlay(playouts=30, longest_opening=12, random_moves=0.2, trust=0.7)
    for number in range(6):
        samples = play_samples(self_play, 8, range(number, number + 1), GEOMETRY, stop_flag())
        own, other, values = zip(*plain_samples(self_play, 8, number), strict=True)
        assert (samples.own.tolist(), samples.other.tolist()) == (list(own), list(other))
        assert np.allclose(samples.value, values, atol=1e-6)


def test_teaching_stops_when_told() -> None:
    stop = stop_flag()
    stop[0] = 1
    assert len(play_samples(SelfPlay(20, 5, 0.0, 0.5), 0, range(3), GEOMETRY, stop).own) < 40


@pytest.mark.parametrize(
    ("name", "low", "high", "step"),
    [
        ("target_update", 1, 10**9, 1), ("checkpoint", 1, 10**9, 1), ("memory", 1, 4_000_000, 1),
        ("batch", 1, 65_536, 1),
        ("together", 1, 100_000, 1), ("opponent_depth", 1, 6, 1), ("training_depth", 1, 6, 1), ("steps", 0, 1000, 0.5),
        ("learning_rate", 0, 1, 0.01), ("gamma", 0, 1, 0.01), ("epsilon", 0, 1, 0.01), ("training_blend", 0, 1, 0.01),
        ("dropout", 0, 0.9, 0.01),
    ],
)  # fmt: skip
def test_a_setting_has_its_range(name: str, low: float, high: float, step: float) -> None:
    for value in (low, high):
        assert getattr(changed(TrainingSettings(), ((name, str(value)),)), name) == value
    for value in (low - step, high + step):
        with pytest.raises(BadNotation, match=f"{name}='?{value}'? cannot be"):
            changed(TrainingSettings(), ((name, str(value)),))
