"""One name for one thing: an option is called what the argument of the public function is called."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import gridlab
from tests.attacks.commands import commands as every_command

# Which public functions a command stands for: its options are their arguments.
PAIRS: dict[str, tuple[Callable[..., Any], ...]] = {
    "census": (gridlab.census,),
    "solve": (gridlab.Oracle, gridlab.Oracle.ask, gridlab.Budget),
    "best-first": (gridlab.best_first,),
    "match": (gridlab.play_match, gridlab.Match.save),
    "tournament": (gridlab.play_tournament,),
    "grade": (gridlab.grade, gridlab.grade2048),
    "exam make": (gridlab.make_exam,),
    "exam sit": (gridlab.sit,),
    "exam mark": (gridlab.mark, gridlab.compare_marks),
    "tablebase build": (gridlab.build_tablebase, gridlab.build_tablebase2048),
    "terminals build": (gridlab.build_terminals,),
    "terminals find": (gridlab.find_terminals, gridlab.open_terminals),
    "terminals adopt": (gridlab.adopt_terminals,),
    "terminals merge": (gridlab.merge_terminals,),
    "2048 evaluate": (gridlab.evaluate,),
    "2048 generate": (gridlab.generate,),
    "train squava": (gridlab.train,),
    "train 2048": (gridlab.train_ntuple, gridlab.train_policy),
    "train info": (gridlab.info_of,),
}
EVERYWHERE = {  # options of the command line alone
    "help": "what the command is for",
    "json": "how the result is printed; from Python it has as_dict()",
    "quiet": "the opposite of progress",
    "cluster": "gridlab.on_cluster",
}
OF_ONE_COMMAND = {
    "solve": {"prove": "gridlab.prove", "player": "the report of a player, beside the solution"},
    "best-first": {
        "steps": "a file for what `tell` hears", "out": "a file for the answer, which Python returns",
        "forced": "gridlab.prove", "both": "best_first and prove",
    },
    "tournament": {"plot": "draws what Python has as ratings"},
    "grade": {
        "plot": "draws the grade", "out": "names that picture", "verbose": "the mistakes, which Python has as outcomes",
    },
    "exam mark": {"html": "a page of the marks, which Python returns"},
    "2048 generate": {"verbose": "a switch where Python takes the function `say`"},
    "train squava": {"method": "there is one", "setting": "one of `settings`; can be repeated"},
    "train 2048": {"setting": "one of `settings`; can be repeated"},
    "train info": {"out": "a picture of the curves, which Python has as Info.curve"},
}  # fmt: skip
ARGUMENTS_ALONE = {  # of functions; the command line has no option for them
    "progress": "the opposite of --quiet",
    "rules": "GAME, or --game with the alias --rules; fixed in `train squava`",
    "player": "PLAYER, or one of the words after GAME",
    "players": "the words after GAME", "a": "the word after GAME", "b": "the word after a",
    "exam": "EXAM", "answers": "ANSWERS", "data": "DIR", "folder": "DIR", "folders": "DIR...", "path": "FILE...",
    "position": "GAME and BOARD, or a file with both",
    "budget": "--nodes and --seconds",
    "tell": "the bar of progress hears it", "say": "what is printed to stderr", "show": "the web lab hears it",
    "questions": "drawn once for all players", "counts": "counted by the command",
    "entries": "the size of a table in memory, which the command leaves as it is",
    "settings": "--setting, or every option of 2048 generate",
}  # fmt: skip
COMMANDS = dict(every_command())


def spellings(command: Any) -> Iterator[tuple[str, set[str]]]:
    """The options of a command, each with all its long spellings as Python would write them."""
    for each in command.params:
        if each.param_type_name == "option":
            yield (
                each.opts[0],
                {word.removeprefix("--").replace("-", "_") for word in each.opts if word.startswith("--")},
            )


def arguments(name: str) -> set[str]:
    return {each for function in PAIRS[name] for each in inspect.signature(function).parameters} - {"self"}


@pytest.mark.parametrize("name", PAIRS)
def test_options_are_called_what_arguments_are(name: str) -> None:
    known = arguments(name) | EVERYWHERE.keys() | OF_ONE_COMMAND.get(name, {}).keys()
    for option, words in spellings(COMMANDS[name]):
        assert words & known, f"gridlab {name} {option}: none of {sorted(arguments(name))}"


@pytest.mark.parametrize("name", PAIRS)
def test_arguments_are_called_what_options_are(name: str) -> None:
    options = {word for _, words in spellings(COMMANDS[name]) for word in words}
    for each in arguments(name) - ARGUMENTS_ALONE.keys():
        assert each in options, f"gridlab {name} has no --{each.replace('_', '-')}; it has {sorted(options)}"


def test_exceptions_are_needed() -> None:
    """Whatever is listed as an exception is one."""
    options = {name: {word for _, words in spellings(COMMANDS[name]) for word in words} for name in PAIRS}
    for name, exceptions in OF_ONE_COMMAND.items():
        for each in exceptions:
            assert each in options[name] - arguments(name), f"gridlab {name} --{each}"
    for each in ARGUMENTS_ALONE:
        assert any(each in arguments(name) and each not in options[name] for name in PAIRS), each


def test_usual_names_are_aliases() -> None:
    """Short or usual names beside ours."""
    found = {word for name in ("train 2048", "solve") for _, words in spellings(COMMANDS[name]) for word in words}
    assert {"trace", "lambda", "setting", "set", "learning_rate", "lr", "search_only", "search"} <= found
    gone = {word for command in COMMANDS.values() for _, words in spellings(command) for word in words}
    assert not {"save", "record", "random"} & gone
