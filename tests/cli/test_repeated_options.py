"""Options that take one value are given once, in every command; flags and options of several values may be repeated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete

from tests.cli.conftest import GOLD, A, B
from tests.house.rules import check_each, in_turn
from treesql.cli import group


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """All commands below one, with the words that name them."""
    yield path, command
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            below = command.get_command(ctx, name)
            assert below is not None
            yield from commands(below, (*path, name))


def takes_one_value(option: click.Option) -> bool:
    return not (option.multiple or option.is_flag or option.count)


def options_of_one_value() -> list[tuple[tuple[str, ...], click.Option]]:
    """Every such option of every command, with the words that name the command."""
    options = [(path, one) for path, command in commands(group) for one in command.params]
    return [(path, one) for path, one in options if isinstance(one, click.Option) and takes_one_value(one)]


def test_the_whole_tree_is_walked() -> None:
    found = {" ".join([*path, option.opts[-1]]) for path, option in options_of_one_value()}
    assert {
        "load --corpus",
        "score dependency --where",
        "compare lattice --test",
        "lattice prune --min-redundancy",
    } <= found
    assert len(found) > 150


def test_an_option_given_twice_is_refused(run) -> None:  # type: ignore[no-untyped-def]
    def check(given: tuple[tuple[str, ...], click.Option]) -> None:
        path, option = given
        first, last = option.opts[0], option.opts[-1]
        words = [*["1"] * option.nargs]
        done = run(*path, first, *words, "x", last, *words, "y")
        assert done == (2, "", f"{last} is given twice; it takes one value, so give it once\n")

    check_each(check, {" ".join([*path, option.opts[-1]]): (path, option) for path, option in options_of_one_value()})


@pytest.mark.parametrize(
    ("arguments", "name", "often"),
    [
        (["--where", "word = 1", "--where=word > 1"], "--where", "twice"),
        (["--format", "csv", "--format", "csv", "--format", "csv"], "--format", "3 times"),
        (["-o", "a.csv", "--output", "b.csv"], "--output", "twice"),
        (["-oa.csv", "-ob.csv"], "--output", "twice"),
        (["--db", "a.duckdb", "--db", "a.duckdb"], "--db", "twice"),
    ],
)
def test_however_it_is_written(run, arguments: list[str], name: str, often: str) -> None:  # type: ignore[no-untyped-def]
    for kind in (["score", "dependency", GOLD, A], ["score", "dependency"]):
        done = run(*kind, *arguments)
        assert done == (2, "", f"{name} is given {often}; it takes one value, so give it once\n")


def test_the_name_that_was_written_is_told(run) -> None:  # type: ignore[no-untyped-def]
    assert run("wde", GOLD, "--chart", "a.svg", "--chart=b.svg").err.startswith("--chart is given twice")


def test_flags_and_options_of_several_values_are_repeated(run) -> None:  # type: ignore[no-untyped-def]
    once = run("score", "dependency", GOLD, A, "--ci", "--metric", "attachment", "--metric", "exact_match")
    assert once.code == 0
    twice = run("score", "dependency", GOLD, A, "--ci", "--ci", "--metric", "attachment", "--metric", "exact_match")
    assert twice == once
    assert run("score", "dependency", GOLD, A, B, "--metric", "uas", "--format", "csv").code == 0
    assert run("find", GOLD, "pattern { V [upos=VERB] }", "--count", "--count").out == "4\n"


def test_what_looks_like_an_option_behind_two_dashes_is_a_name(run) -> None:  # type: ignore[no-untyped-def]
    done = run("score", "dependency", "--by", "upos", "--", GOLD, "--by", A)
    assert "--by: there is no such file" in done.err


def test_other_mistakes_are_told_as_before(run) -> None:  # type: ignore[no-untyped-def]
    assert "unknown option" in run("stats", GOLD, "--nonsense", "--nonsense").err
    assert "requires an argument" in run("stats", GOLD, "--classes").err
    assert "--help" in run("stats", "--help", "--help").out


def completed(line: str) -> list[str]:
    """What a line is completed with, the last word being incomplete."""
    *words, last = line.split(" ")
    found = BashComplete(group, {}, "treesql", "_TREESQL_COMPLETE").get_completions(words[1:], last)
    return [item.value if item.type == "plain" else f"{item.type}:{item.value}" for item in found]


@in_turn(
    ("line", "found"),
    [
        ("treesql corr", ["correlate"]),
        ("treesql lattice pr", ["prune"]),
        ("treesql score depend", ["dependency"]),
        ("treesql score dependency fix", ["file:fix"]),
        ("treesql compare dependency --metric las_", ["las_precision", "las_recall"]),
        ("treesql score dependency --metric uas,wlas_p", ["uas,wlas_precision"]),
        ("treesql score dependency --by gold_u", ["gold_udeprel"]),
        ("treesql score dependency --by upos,system_dis", ["upos,system_distance"]),
        ("treesql score dependency --table relation_", ["relation_agreement", "relation_confusions"]),
        ("treesql queries conll18", ["conll18", "conll18_counts"]),
        ("treesql drop DB ", ["gold", "parser-a"]),
        ("treesql show DB --corpus p", ["parser-a"]),
        ("treesql stats DB --corpus p", ["parser-a"]),
        ("treesql find DB --corpus p", ["parser-a"]),
        ("treesql score dependency --db DB gold p", ["parser-a"]),
        ("treesql export DB out --corpus g", ["gold"]),
        ("treesql drop none.duckdb ", []),
    ],
)
def test_completion(gold_and_parser: Path, line: str, found: list[str]) -> None:
    assert completed(line.replace("DB", str(gold_and_parser))) == found


def test_completion_of_a_file_that_is_no_database_is_silent(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.duckdb").write_text("no database")
    assert completed(f"treesql drop {tmp_path / 'x.duckdb'} ") == []
    assert capfd.readouterr() == ("", "")
