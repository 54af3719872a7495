"""Commands that are made from kinds: arguments, --system, options, help."""

from __future__ import annotations

import click
import pytest

from tests.cli.conftest import GOLD, A, B
from tests.evaluation.kinds_by_file import KINDS, file_of
from tests.house.rules import in_turn
from treesql.catalog import kinds
from treesql.cli import WHOLE_HELP, scores
from treesql.cli._options import keywords, named_systems
from treesql.errors import UsageError


def test_systems_that_are_named() -> None:
    assert named_systems(("x=a", "y=b")) == {"systems": {"x": "a", "y": "b"}}
    assert named_systems(("x=h,l",)) == {"systems": {"x": ["h", "l"]}}
    assert named_systems(("x=a=b",)) == {"systems": {"x": "a=b"}}
    assert named_systems(()) == {}


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (("a",), "--system a: write NAME=FILE"),
        (("=a",), "--system =a: write NAME=FILE"),
        (("x=",), "--system x=: write NAME=FILE"),
        (("x=a,",), "--system x=a,: write NAME=FILE"),
        (("x=a", "x=b"), "a system is named twice; name each once"),
    ],
)
def test_names_of_systems_that_do_not_fit(named: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        named_systems(named)
    assert str(caught.value).startswith(message)


def test_options_that_were_not_given_are_left_out() -> None:
    given = {"by": None, "ci": False, "metric": (), "base": "0", "min_redundancy": 0.0}
    assert keywords(given) == {"base": "0", "min_redundancy": 0.0}
    assert keywords({"metric": ("uas",), "rules": None}) == {"metric": ("uas",)}


@in_turn("name", KINDS)
def test_help_of_every_kind(name: str) -> None:
    """The kind's text, its metrics, options with their words and defaults, and how systems are named."""
    kind = kinds.kind(name)
    for group in (scores.score_command, scores.compare_command):
        made = group.get_command(click.Context(group), name)
        assert made
        context = click.Context(made, info_name=name)
        context.meta[WHOLE_HELP] = True
        text = " ".join(made.get_help(context).split())
        assert f": {kind.written_system}. Repeatable." in text
        assert all(metric in text for metric in kind.all_metrics)
        for parameter in kind.declared.values():
            assert f"--{parameter.name.replace('_', '-')}" in text
        assert [one for one in made.params if isinstance(one, click.Option) and not one.help] == []
    made = scores.score_command.get_command(click.Context(scores.score_command), name)
    assert made
    assert " ".join(kind.doc.split()) in " ".join(made.get_help(click.Context(made, info_name=name)).split())


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", KINDS)
def test_every_kind_is_scored_with_its_arguments_or_with_named_systems(run, name: str) -> None:  # type: ignore[no-untyped-def]
    """In both ways the same, but for the name."""
    kind = kinds.kind(name)
    plain = {role.name: file_of(kind, role) for role in kind.roles if not role.option}
    options = [
        word
        for role in kind.roles
        if role.option and (role.several or not role.option)
        for word in (f"--{role.name}", "F")
    ]
    options = [file_of(kind, kind.role("reference")) if word == "F" else word for word in options]
    options += ["--phrases"] if name == "lattice" else []
    options += ["--metric", kind.metrics[0], "--format", "csv"]
    done = run("score", name, *plain.values(), *options)
    assert done.code == 0, done.err
    own = [plain[role.name] for role in kind.own if role.name in plain]
    shared = [plain[role.name] for role in kind.shared if role.name in plain]
    named = run("score", name, *shared, "--system", f"one={','.join(own)}", *options)
    assert named.code == 0, named.err
    first, second = (one.out.splitlines() for one in (done, named))
    assert first[0] == second[0]
    assert first[1].split(",")[1:] == second[1].split(",")[1:]
    assert second[1].startswith('"one"')


def test_a_row_per_system_in_order(run) -> None:  # type: ignore[no-untyped-def]
    out = run("score", "dependency", GOLD, B, A, "--metric", "las", "--format", "csv").out
    assert [line.split(",")[0] for line in out.splitlines()] == ['"system"', '"parser-b.conllu"', '"parser-a.conllu"']
