"""What help shows: short, with examples that run, and what people ask for."""

from __future__ import annotations

import json
import shlex
import shutil

import click
import pytest

import treesql
from tests.conftest import ROOT, thorough_but
from tests.house.command_tree import commands
from treesql.cli import COMMANDS, WHOLE_HELP, Command, Option

LINES = 50
"""Lines of a help, at most."""

LINE = 100
"""Characters of a line of the list of queries, at most."""

WRITE = ("treesql load", "treesql stats", "treesql lattice prune", "treesql lattice examples", "treesql lattice fit")
"""Commands whose examples write what those of others read, in order."""

LAST = ("treesql drop",)

OF_KINDS = ("treesql score ", "treesql compare ", "treesql report ")
"""Commands with examples for each kind of evaluation."""


def help_of(name: str, *, whole: bool = False) -> str:
    with click.Context(commands()[name], info_name=name, help_option_names=["-h", "--help"]) as context:
        context.meta[WHOLE_HELP] = whole
        return commands()[name].get_help(context)


def test_help_is_short_and_has_two_examples() -> None:
    too_long = {name: lines for name in commands() if (lines := len(help_of(name).splitlines())) > LINES}
    assert not too_long
    without = [
        name
        for name, command in commands().items()
        if any(isinstance(param, click.Argument) for param in command.params) and len(command.examples) != 2
    ]
    assert not without


def test_whole_help_describes_what_help_names() -> None:
    for name, command in commands().items():
        further = [param for param in command.params if isinstance(param, Option) and param.further]
        short, whole = help_of(name), help_of(name, whole=True)
        for option in further:
            written = max(option.opts, key=len)
            described = short.partition("\nOptions:\n")[2].partition("More options")[0]
            assert f"\n  {written} " not in described, (name, written)
            assert written in short.partition("More options, described by --help --all:")[2], (name, written)
            assert written in whole, (name, written)
        assert "More options" not in whole


def test_all_options_of_help(run) -> None:
    short, whole = run("score", "dependency", "--help").out, run("score", "dependency", "--help", "--all").out
    assert "--max-sentence SIZE" not in short
    assert "--max-sentence SIZE" in whole
    assert run("score", "dependency", "--all", "--help").out == whole
    assert run("score", "dependency", "--all").code == 2  # which is of --help


def test_first_help_shows_six_jobs(run) -> None:
    jobs = [task for task in treesql.tasks() if task.job]
    assert len(jobs) == 6
    assert all(f"{task.job:22} {task.command}\n" in run("--help").out for task in jobs)
    assert all(task.command in run().err for task in jobs)


def test_first_help_says_of_every_command_what_it_does(run) -> None:
    _, _, listed = run("--help").out.partition("\nCommands:\n")
    assert len(listed.splitlines()) == len(COMMANDS)  # a line each
    assert not [line for line in listed.splitlines() if line.endswith("...")]
    long = "Score texts, a row per file: error rates. More of it."
    assert Command("x", help=long).get_short_help_str(20) == "Score texts."
    assert Command("x", help=long).get_short_help_str(80) == "Score texts, a row per file: error rates."
    kinds = run("score", "--help").out.partition("\nCommands:\n")[2]
    assert "  alignment     Score word alignments.\n" in kinds  # without "a row per SYSTEM: ...", which is longer
    assert (
        "differ between\n                the dependency trees of HYPOTHESIS and REFERENCE.\n" in kinds
    )  # nothing is cut


def test_list_of_queries_is_short_and_by_task(run) -> None:
    listed = run("queries")
    asked = [task for task in treesql.tasks() if task.query]
    lines = listed.out.splitlines()
    assert [line.rsplit(maxsplit=1)[-1] for line in lines[2:]] == [task.query for task in asked]
    assert 20 <= len(asked) <= 25
    assert max(map(len, lines)) <= LINE
    assert {task.query for task in asked} <= {query.name for query in treesql.queries()}


def test_queries_are_found_by_words_and_kinds(run) -> None:
    assert run("queries", "--like", "CROSSING", "--format", "csv").out.splitlines()[1].startswith('"complete_match",')
    of_lattices = json.loads(run("queries", "--kind", "lattice", "--format", "json").out)
    assert {query["kind"] for query in of_lattices} == {"metric", "statistic", "attributes"}
    assert {query["family"] for query in of_lattices} == {"lattice"}
    assert len(run("queries", "--all", "--format", "csv").out.splitlines()) == len(treesql.queries()) + 1
    assert [query.name for query in treesql.queries(kind="audit")] == [
        query.name for query in treesql.queries() if query.kind == "audit"
    ]
    none = run("queries", "--like", "xyzzy")
    assert (none.code, none.out, none.err) == (
        0,
        "",
        "no query has 'xyzzy' in names or descriptions; try other words, or part of one\n",
    )
    assert [query.name for query in treesql.queries(like="Random lengths")] == ["dependency_lengths", "arc_length_sums"]
    assert [query.name for query in treesql.queries(like="valency")] == ["dependency_frames"]
    unknown = run("queries", "--kind", "lattices")
    assert (unknown.code, unknown.err.count("\n")) == (2, 1)
    assert "did you mean" in unknown.err
    assert run("queries", "evalb", "--all").code == 2


@pytest.mark.slow
@pytest.mark.parametrize("whole", thorough_but([False, True], False))
def test_examples_of_help_run(tmp_path, monkeypatch, run, whole: bool) -> None:
    """Unless whole, the first example of a kind is parsed alone: the second is it with more systems or options. Reports
    are as well, which tests/reports make of every kind."""
    shutil.copytree(ROOT / "fixtures", tmp_path / "fixtures")
    monkeypatch.chdir(tmp_path)
    lines = {name: command.examples for name, command in commands().items() if isinstance(command, Command)}
    del lines["treesql serve"]  # which runs until it is stopped
    order = [*WRITE, *(name for name in lines if name not in (*WRITE, *LAST)), *LAST]
    ran = set()
    for name in order:
        for at, example in enumerate(lines[name]):
            if not whole and name.startswith(OF_KINDS) and (at == 0 or name.startswith("treesql report ")):
                commands()[name].make_context(name, shlex.split(example))
                continue
            ran.add(line := f"{name} {example}")
            shown = run(*shlex.split(line)[1:])
            assert shown.code == 0, (line, shown.err)
    for task in treesql.tasks():
        assert task.command in ran or run(*shlex.split(task.command)[1:]).code == 0, task
