"""Networks that somebody has damaged, also with a right SHA-256: refused in a sentence, and nothing in them is run."""

import json
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load, save

from gridlab.core.errors import CorruptFile, GridlabError
from gridlab.games import game
from gridlab.inarow.learn.dqn import TRAINING, begin, go_on, learn_all
from gridlab.inarow.learn.judge import load_judge
from gridlab.inarow.learn.networks import SHIPPED
from gridlab.inarow.learn.settings import settings_of
from gridlab.learn.networks import digest_of
from gridlab.learn.run import Asked
from tests.attacks.damaging import RAW, answer_of, changes, mutated, some_changes
from tests.attacks.harness import Attacker

pytestmark = pytest.mark.compiled

Tensors = dict[str, torch.Tensor]
SQUAVA = game("squava")
FACTS = ("format", "behaviour", "rules", "sha256")  # what a player reads
COMMANDS = (
    ("train", "inspect", "X..../...../...../...../.....", "--checkpoint", "w.safetensors"),
    ("match", "dqn checkpoint=w.safetensors", "random", "--game", "squava", "--games", "2", "--workers", "1"),
)
BELIEVED = (("settings",), ("seed",), ("episode",), ("steps",), ("curve",), ("behaviour",))  # within their ranges
RESUME = ("train", "squava", "--episodes", "12", "--workers", "1", "--out", "run", "--resume", "--quiet")


@pytest.fixture(scope="module")
def torch_attacker() -> Iterator[Attacker]:
    attacker = Attacker(
        "torch", "safetensors.torch", "gridlab.inarow.learn.training", "gridlab.inarow.learn.judge", "loky", bare=True
    )
    yield attacker
    attacker.close()


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A training that has taken some steps."""
    folder = tmp_path_factory.mktemp("training")
    learner = begin(SQUAVA, settings_of("guide", 12), 5, folder, "cpu")
    learn_all(learner, folder, 1)
    assert learner.steps > 0
    return (folder / TRAINING).read_bytes()


def facts_of(content: bytes) -> dict[str, Any]:
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return json.loads(header["__metadata__"]["gridlab"])  # type: ignore[no-any-return]


def sealed(tensors: Tensors, facts: dict[str, Any]) -> bytes:
    """A file with a right SHA-256."""
    tensors = {name: each.contiguous() for name, each in tensors.items()}
    return save(tensors, {"gridlab": json.dumps(facts | {"sha256": digest_of(tensors)})})


def with_facts(content: bytes, text: bytes) -> bytes:
    return save(load(content), {"gridlab": text.decode()})


WAYS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "int64": lambda each: each.long() + 1,
    "float64": lambda each: each.double(),
    "uint8": lambda each: each.to(torch.uint8),
    "flat": lambda each: torch.zeros(7, dtype=each.dtype),
    "deep": lambda each: each.reshape(1, 1, *each.shape),
    "empty": lambda each: torch.zeros(0, dtype=each.dtype),
    "scalar": lambda each: torch.full((), 2, dtype=each.dtype).reshape([1] * (each.dim() == 0)),
    "nan": lambda each: torch.full_like(each, torch.nan) if each.is_floating_point() else each.long() + 2**40,
    "inf": lambda each: torch.full_like(each, torch.inf) if each.is_floating_point() else each.long() - 2**40,
}
STRANGERS = ("network.more", "optimiser.x.step", "optimiser.99.exp_avg", "replay.more", "target.", "optimiser.")


def damaged_tensors(content: bytes) -> list[tuple[str, Callable[[], bytes]]]:
    """Every tensor of another kind, of another shape, with numbers that are none, left out; and strangers."""
    tensors, facts = load(content), facts_of(content)

    def make(name: str, each: torch.Tensor | None) -> bytes:
        kept = {key: value for key, value in tensors.items() if key != name}
        return sealed(kept if each is None else {**kept, name: each}, facts)

    found: list[tuple[str, Callable[[], bytes]]]
    found = [(f"without {name}", partial(make, name, None)) for name in tensors]
    found += [(f"{name} {way}", partial(make, name, WAYS[way](tensors[name]))) for name in tensors for way in WAYS]
    return found + [(name, partial(make, name, torch.zeros(3))) for name in STRANGERS]


def read_by_player(path: Path, content: bytes) -> Any:
    path.write_bytes(content)
    return answer_of(lambda: load_judge(path, SQUAVA).values(np.array([[1, 2]])).item())


def resumed(folder: Path, content: bytes) -> Any:
    folder.mkdir(exist_ok=True)
    (folder / TRAINING).write_bytes(content)
    return answer_of(lambda: go_on(SQUAVA, Asked.of((), episodes=14), folder, "cpu"))


def test_the_sound_file_satisfies_every_command(tmp_path: Path, torch_attacker: Attacker, training: bytes) -> None:
    (tmp_path / "w.safetensors").write_bytes(SHIPPED.read_bytes())
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / TRAINING).write_bytes(training)
    for command in (*COMMANDS, RESUME):
        assert torch_attacker.attack(*command, cwd=tmp_path).code == 0


def test_facts_changed_field_by_field(tmp_path: Path) -> None:
    """Every field that a player reads; the others it does not use."""
    shipped = SHIPPED.read_bytes()
    right = read_by_player(tmp_path / "w", shipped)
    for each in changes({name: facts_of(shipped)[name] for name in FACTS}):
        found = read_by_player(tmp_path / "w", with_facts(shipped, each.text()))
        allowed = "behaviour" in each.name or "stranger" in each.name
        assert found is GridlabError or (allowed and found == right), each.name


def test_numbers_of_another_kind(tmp_path: Path) -> None:
    """A player refuses them all."""
    for name, content in damaged_tensors(SHIPPED.read_bytes()):
        found = read_by_player(tmp_path / "w", content())
        assert found is GridlabError or name.partition(".")[0] in ("optimiser", "replay", "target"), name


def test_weights_too_large_to_reckon_with(tmp_path: Path) -> None:
    """Each is a number, what comes of them is none."""
    shipped = SHIPPED.read_bytes()
    weights = {name: torch.full(each.shape, 1e30) for name, each in load(shipped).items()}
    path = tmp_path / "w"
    path.write_bytes(sealed(weights, facts_of(shipped)))
    judge = load_judge(path, SQUAVA)
    with pytest.raises(CorruptFile, match="gives values that are not numbers"):
        judge.values(np.array([[1, 2]]))


def test_a_training_with_crafted_numbers(training: bytes, tmp_path: Path, random: np.random.Generator) -> None:
    attack_training(training, tmp_path, 20, random)


@pytest.mark.long
def test_a_training_with_any_crafted_numbers(training: bytes, tmp_path: Path, random: np.random.Generator) -> None:
    attack_training(training, tmp_path, 10**6, random)


def attack_training(training: bytes, folder: Path, number: int, random: np.random.Generator) -> None:
    hostile = damaged_tensors(training)
    for chosen in random.choice(len(hostile), min(number, len(hostile)), replace=False):
        name, content = hostile[chosen]
        assert resumed(folder / "run", content()) is GridlabError, name


def test_boards_that_are_none(training: bytes, tmp_path: Path) -> None:
    tensors, facts = load(training), facts_of(training)
    for column in ("own", "other", "next_own", "next_other"):
        for stones in (1 << 25, -1, 2**62):
            numbers = tensors[f"replay.{column}"].clone()
            numbers[3] = stones
            assert resumed(tmp_path / "run", sealed({**tensors, f"replay.{column}": numbers}, facts)) is GridlabError


def test_a_training_with_crafted_facts(training: bytes, tmp_path: Path, random: np.random.Generator) -> None:
    attack_facts(training, tmp_path, 25, random)


@pytest.mark.long
def test_a_training_with_more_crafted_facts(training: bytes, tmp_path: Path, random: np.random.Generator) -> None:
    attack_facts(training, tmp_path, 300, random)


def attack_facts(training: bytes, folder: Path, number: int, random: np.random.Generator) -> None:
    for each in some_changes(facts_of(training), number, random):
        learner = resumed(folder / "run", with_facts(training, each.text()))
        if learner is not GridlabError:
            assert each.path[:1] in (*BELIEVED, ()), each.name
            learner.save(folder / "again")


def test_bytes_damaged_by_chance(training: bytes, tmp_path: Path, random: np.random.Generator) -> None:
    attack_bytes(training, tmp_path, 60, random)


@pytest.mark.long
def test_many_bytes_damaged_by_chance(training: bytes, tmp_path: Path, random: np.random.Generator) -> None:
    attack_bytes(training, tmp_path, 3000, random)


def attack_bytes(training: bytes, folder: Path, number: int, random: np.random.Generator) -> None:
    """Anywhere, and in the header alone."""
    for each in range(number):
        content = SHIPPED.read_bytes() if each % 3 else training
        head = 8 + int.from_bytes(content[:8], "little")
        damaged = mutated(content[:head], random) + content[head:] if each % 2 else mutated(content, random)
        read_by_player(folder / "w", damaged)
        if each % 3 == 0:
            resumed(folder / "run", damaged)


@pytest.mark.parametrize("raw", RAW)
def test_headers_that_are_none(tmp_path: Path, raw: str) -> None:
    for text in (
        RAW[raw],
        f'{{"__metadata__": {RAW[raw]}}}',
        f'{{"a": {RAW[raw]}}}',
        '{"__metadata__": {"gridlab": "["}}',
    ):
        assert read_by_player(tmp_path / "w", len(text).to_bytes(8, "little") + text.encode()) is GridlabError
    for size in (0, 2**31, 2**63, 2**64 - 1):
        assert read_by_player(tmp_path / "w", size.to_bytes(8, "little") + b"{}") is GridlabError


@pytest.mark.long
def test_commands_on_damaged_networks(
    training: bytes, tmp_path: Path, torch_attacker: Attacker, random: np.random.Generator
) -> None:
    shipped = SHIPPED.read_bytes()
    hostile = [with_facts(shipped, each.text()) for each in some_changes(facts_of(shipped), 2, random)]
    hostile += [mutated(shipped, random), damaged_tensors(shipped)[20][1]()]
    for number, content in enumerate(hostile):
        (tmp_path / "w.safetensors").write_bytes(content)
        torch_attacker.attack(*COMMANDS[number % len(COMMANDS)], cwd=tmp_path)
    (tmp_path / "run").mkdir()
    damaged = [with_facts(training, each.text()) for each in some_changes(facts_of(training), 1, random)]
    damaged += [mutated(training, random)]
    for content in damaged:
        (tmp_path / "run" / TRAINING).write_bytes(content)
        torch_attacker.attack(*RESUME, cwd=tmp_path)


def test_what_is_no_network(tmp_path: Path, torch_attacker: Attacker) -> None:
    """Pickles, folders, devices and files of many gigabytes are not even begun to be loaded."""
    (tmp_path / "weights.pt").write_bytes(pickle.dumps({"network": 1}))
    torch.save({"a": torch.zeros(3)}, tmp_path / "torch.pt")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(1 << 40)
    (tmp_path / "folder").mkdir()
    for name in ("weights.pt", "torch.pt", "huge", "folder", "none", "x" * 300):
        assert answer_of(partial(load_judge, tmp_path / name, SQUAVA)) is GridlabError
    for name in ("huge", "/dev/zero"):
        assert torch_attacker.attack(*COMMANDS[0][:-1], name, cwd=tmp_path).code == 2
