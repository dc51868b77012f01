"""What the fuzzer gives to the command line: each case from its kind and a number."""

import csv
import gzip
import io
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

from bench.fuzz_dice import NUMBERS, Dice
from bench.fuzz_logs import answer_files
from bench.fuzz_tables import (
    CHOICE_CHANGES,
    CLAIMS,
    FORMATS,
    ROW_CHANGES,
    claims,
    disturb,
    encode,
    figures,
    mutate,
    questions,
)
from measurand.cli.app import verb_commands

QUICK = ("--no-calibrate", "--workers", "1")
EVIDENCE = ("--shuffles", "2", *QUICK)
LEAKAGE = ("--no-map", "--workers", "1")
STUDY = ("--m", "5", "--n", "5", "--repeats", "2", "--workers", "1", "--plan")
SAMPLE = ("--items", "20", "--train-items", "20", "--changes", "1", *QUICK)
# Refused late, when every option was read and held against the table.
LATE = ("--reader", "majority")
# What would train encoders, start other processes or take minutes is not drawn.
OWN_VALUES: dict[str, tuple[str, ...]] = {
    "--workers": ("0", "-1", "1", "1000000", "nan", "two"),
    "--engine": ("local", "Local", "rays", "", "\x1b[31m"),
    "--sampler": ("laplace", "nut", "", "../x"),
    "--strongest": ("tfidf", "foo", "../x", ""),
    "--url": ("http://127.0.0.1:9/v1", "file:///etc/passwd", "http://[::1", "x", ""),
    "--budget": ("1s", "0s", "-1s", "9" * 400 + "h", "infs", "nan", "1e9m", "", "s"),
    "--timeout": ("1", "0", "-1", "nan", "inf", "1e400"),
    "--retries": ("0", "-1", "1" + "0" * 30, "x"),
}
LONG = ("--checks", "--help", "--tune")  # options that are not given
HARMLESS_OUT = ("out", "out/", "./out", "../out", "new/out", "home", "../notes.txt")


@dataclass(frozen=True)
class Case:
    """One call of the command line.

    Attributes:
        arguments: What follows its name; `{url}` is the address of the server.
        files: What stands in the working folder, beside the files of a user.
        new: What it may make, from the working folder.
        serves: Whether a hostile server runs meanwhile.
    """

    arguments: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    new: tuple[str, ...] = ()
    serves: bool = False


def make_case(kind: str, number: int, saved: Mapping[str, bytes]) -> Case:
    """The case of a kind with this number; `saved` are the files of a whole report."""
    dice = Dice(kind, number)
    if kind == "saved":
        return _saved_case(dice, saved)
    return MAKERS[kind](dice)


def _bytes_case(dice: Dice) -> Case:
    """A file of some format whose bytes are at random, or were changed at random."""
    ending = dice.choice(FORMATS)
    whole = encode(claims(dice), ending)
    if dice.often(0.3):
        ending, whole = f"{ending}.gz", gzip.compress(whole, mtime=0)
    content = dice.odd("bytes") if dice.often(0.25) else mutate(dice, whole)
    if dice.often(0.1):
        content = gzip.compress(content, mtime=0)
    file = f"table.{dice.choice((ending, ending, ending, 'jsonl', 'csv', 'yaml'))}"
    return Case(_read(dice, file), {file: content}, ("store",))


def _rows_case(dice: Dice) -> Case:
    """A table with odd cells, labels, columns or lengths."""
    rows = claims(dice, 40 if dice.often(0.9) else dice.choice((0, 1, 2, 5, 12)))
    for _ in range(dice.choice((1, 1, 2, 4))):
        rows = dice.choice(ROW_CHANGES)(dice, rows)
    ending = dice.choice(FORMATS)
    file = f"table.{ending}"
    return Case(_read(dice, file), {file: encode(rows, ending)}, ("store",))


def _choices_case(dice: Dice) -> Case:
    """Questions with choices in some layout, and some ways to spoil them."""
    rows = questions(dice, 40 if dice.often(0.9) else dice.choice((0, 1, 2, 21)))
    for _ in range(dice.choice((0, 1, 1, 2, 4))):
        rows = dice.choice(CHOICE_CHANGES)(dice, rows)
    ending = dice.choice(FORMATS)
    file = f"table.{ending}"
    named = (
        *((), (), (), (), ("--choices", "options"), ("--choices", "A", "--choices")),
        *(("--answers", "answer"), ("--label", "answer"), ("--subject", "topic")),
        *(("--document", "title"), ("--subject", "none"), ("--evidence", "passage")),
    )
    roles = dice.choice(named)
    if roles[-1:] == ("--choices",):
        roles += (dice.choice(("B", "A", "options")),)
    verbs: tuple[tuple[str, ...], ...] = (
        *(("show", file),) * 6,
        *(("leakage", file, *LEAKAGE, "--subject", "topic"), ("leakage", file)),
        ("evidence", file, *EVIDENCE),
        ("evidence", file, *EVIDENCE, "--shuffle", "within-subject"),
        ("evidence", file, *EVIDENCE, "--shuffle", "within-document"),
        ("evidence", file, "--reader", "cross", *EVIDENCE, "--folds", "2"),
    )
    verb = dice.choice(verbs)
    if verb == ("leakage", file):
        verb = (*verb, *LEAKAGE, *LATE)
    if verb[0] == "show" and roles[:1] in (("--subject",), ("--document",)):
        roles = ()
    return Case((*verb, *roles), {file: encode(rows, ending)}, ("store",))


def _read(dice: Dice, file: str) -> tuple[str, ...]:
    """A verb that reads the file, mostly one that does little else."""
    roles = ("--query", "claim", "--evidence", "evidence", "--label", "label")
    if dice.often(0.8):
        return ("show", file, *(roles if dice.often(0.5) else ()))
    verbs: tuple[tuple[str, ...], ...] = (
        ("evidence", file, *EVIDENCE, *LATE),
        ("evidence", file, *EVIDENCE, *roles, *LATE),
        ("evidence", file, *EVIDENCE, *roles, "--metadata", "kind"),
        ("leakage", file, *LEAKAGE, *LATE),
        ("exposure", "--accuracies", file),
        ("exposure", file, "--text", "claim", *STUDY, "--reader", "majority"),
        ("explanations", file, *roles, *SAMPLE, *LATE),
        ("suite", file, "--out", "store/suite.jsonl"),
        ("evidence", file, "--test", file, *EVIDENCE, *LATE),
        ("fit", "majority", file, "--save", "store/reader"),
    )
    return dice.choice(verbs)


def _names_case(dice: Dice) -> Case:
    """Columns, labels, files, readers and folders with names of ill will."""
    names = {column: dice.name() if dice.often(0.5) else column for column in CLAIMS}
    rows = [{names[c]: v for c, v in row.items()} for row in claims(dice)]
    if dice.often(0.3):
        kinds = {letter: dice.name() for letter in "abc"}
        column = names["kind"]
        rows = [{**row, column: kinds.get(str(row[column]), "a")} for row in rows]
    file = _file_name(dice) if dice.often(0.3) else "table.jsonl"
    roles = ("--query", names["claim"], "--evidence", names["evidence"])
    roles += ("--label", names["label"])
    more: tuple[str, ...] = ("--metadata", names["kind"])
    out = dice.choice(HARMLESS_OUT) if dice.often(0.4) else _file_name(dice, "")
    pick = dice.random()
    if pick < 0.6:
        arguments: tuple[str, ...] = ("show", file, *roles)
    elif pick < 0.65:
        arguments = ("evidence", file, *EVIDENCE, *roles, *more, "--json")
    elif pick < 0.68:
        arguments = ("evidence", file, *EVIDENCE, *roles, *more, "--out", out)
    elif pick < 0.69:
        arguments = ("leakage", file, *LEAKAGE, *roles, *more, "--out", out)
    elif pick < 0.9:
        reader = ("--reader", dice.name())
        arguments = ("evidence", file, *EVIDENCE, *roles, *more, *reader, "--out", out)
    else:
        arguments = ("show", dice.name(), *roles)
    content = {file: encode(rows, "jsonl")}
    return Case(_arguments(dice, arguments), content, ("store", out))


def _file_name(dice: Dice, ending: str = ".jsonl") -> str:
    """A name that one file in a folder can have."""
    bare = dice.argument(dice.name().replace("/", "_"))
    bare = os.fsdecode(os.fsencode(bare)[:180]).strip(".") or "x"
    return bare + ending


def _arguments(dice: Dice, words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dice.argument(word) for word in words)


def _options_case(dice: Dice) -> Case:
    """Some options of a verb, with values that may be anything."""
    verb = dice.choice(sorted(options_of_verbs()))
    arguments = [*_usual_arguments(dice, verb)]
    options = options_of_verbs()[verb]
    outs = []
    for _ in range(dice.choice((1, 1, 2, 4))):
        option = dice.choice(sorted(options))
        value = _value(dice, option)
        if option in ("--out", "--save", "--store"):
            value = dice.choice(HARMLESS_OUT)
            outs.append(value)
        arguments += [option] if options[option] else [option, value]
    if verb == "demo":
        arguments += ["--workers", "0"]  # the last counts: a demo takes minutes
    files = {
        "table.jsonl": encode(claims(dice), "jsonl"),
        "run.toml": b"seed = 1\n",
        "figures.csv": figures(dice),
    }
    return Case(_arguments(dice, tuple(arguments)), files, ("store", "o", *outs))


@cache
def options_of_verbs() -> dict[str, dict[str, bool]]:
    """The options of each verb, and whether one is a flag."""
    return {
        name: {
            option: bool(getattr(parameter, "is_flag", False))
            for parameter in verb.params
            for option in (*parameter.opts, *parameter.secondary_opts)
            if option.startswith("--") and option not in LONG
        }
        or {"--nothing": True}
        for name, verb in verb_commands().items()
    }


def _usual_arguments(dice: Dice, verb: str) -> tuple[str, ...]:
    """What a call of the verb holds that would be refused late, or ends soon."""
    file = dice.choice(("table.jsonl",) * 9 + (dice.name(),))
    usual: dict[str, tuple[tuple[str, ...], ...]] = {
        "demo": ((),),
        "evidence": (
            (file, *EVIDENCE, *LATE),
            (file, *EVIDENCE, *LATE),
            (file, *EVIDENCE),
        ),
        "leakage": ((file, *LEAKAGE, *LATE),),
        "exposure": (
            (file, "--text", "claim", *STUDY),
            ("--accuracies", "figures.csv"),
        ),
        "explanations": ((file, *SAMPLE, *LATE),),
        "audit": ((file, *QUICK, "--evidence", "missing"),),
        "list": ((dice.name(),),),
        "show": ((file,),),
        "render": ((file,),),
        "compare": ((file, file),),
        "fit": (("majority", file, "--save", "o"),),
        "suite": ((file, "--out", "o"),),
    }
    return (verb, *dice.choice(usual.get(verb, ((file,),))))


def _value(dice: Dice, option: str) -> str:
    if option in OWN_VALUES:
        return dice.choice(OWN_VALUES[option])
    return dice.choice((dice.choice(NUMBERS), dice.choice(NUMBERS), dice.name()))


def _config_case(dice: Dice) -> Case:
    """A file of options that is hardly one."""
    verb = dice.choice(("evidence", "leakage", "explanations"))
    options = sorted(
        o for o in options_of_verbs()[verb] if o not in ("--out", "--store")
    )
    lines = [
        _config_line(dice, dice.choice(options)) for _ in range(dice.choice((1, 1, 3)))
    ]
    text = "\n".join(lines).encode("utf-8", "surrogatepass")
    pick = dice.random()
    if pick < 0.2:
        text = mutate(dice, text)
    elif pick < 0.3:
        text = dice.odd("bytes")
    elif pick < 0.4:
        text = json.dumps(dice.odd("cell")).encode()
    quick = {"evidence": EVIDENCE, "leakage": LEAKAGE, "explanations": SAMPLE}[verb]
    files = {"table.jsonl": encode(claims(dice), "jsonl"), "run.toml": text}
    arguments = (verb, "table.jsonl", *quick, *LATE, "--config", "run.toml")
    return Case(arguments, files, ("store",))


def _config_line(dice: Dice, option: str) -> str:
    name = option[2:] if dice.often(0.9) else json.dumps(dice.name())
    values = (
        dice.choice(NUMBERS),
        json.dumps(_value(dice, option)),
        json.dumps([dice.name() for _ in range(2)]),
        json.dumps(dice.odd("cell")),
        *("1979-05-27T07:32:00Z", "{a = 1}", "[[1]]", "'''x\ny'''", "true", "07:32:00"),
        "[" * dice.choice((3, 100, 2_000)),
    )
    return f"{name} = {dice.choice(values)}"


def _server_case(dice: Dice) -> Case:
    """A model behind a server that answers at random."""
    roles = ("--query", "claim", "--evidence", "evidence", "--label", "label")
    asking = ("--reader", "endpoint:small", "--url", "{url}", "--timeout", "1")
    more = dice.choice(
        (
            (),
            ("--price-in", "1", "--price-out", "1", "--cap-money", "5"),
            ("--cap-tokens", "300"),
            ("--shots", "2"),
            ("--key-env", "OPENAI_API_KEY"),
            ("--json",),
        )
    )
    retries = ("--retries", dice.choice(("0", "0", "0", "1")))
    words = ("evidence", "table.jsonl", *EVIDENCE, *roles, "--metadata", "kind")
    out = ("--out", "out") if dice.often(0.3) else ()
    files = {"table.jsonl": encode(claims(dice, 30), "jsonl")}
    arguments = (*words, *asking, *more, *retries, *out)
    return Case(arguments, files, ("store", "out"), serves=True)


def _logs_case(dice: Dice) -> Case:
    """Somebody else's accuracies, with cells and columns that are none."""
    lines = [line.split(",") for line in figures(dice).decode().split("\n")]
    for _ in range(0 if dice.often(0.05) else dice.choice((1, 1, 3, 8))):
        line = dice.choice(lines)
        odd = (dice.choice(NUMBERS), dice.name(), "", "acc_base", "correct_base", "2")
        line[dice.randrange(len(line))] = dice.choice(odd)
    text = io.StringIO()
    csv.writer(text).writerows(lines)
    content = text.getvalue().encode("utf-8", "surrogatepass")
    if dice.often(0.2):
        content = mutate(dice, content)
    arguments = ("exposure", "--accuracies", "log.csv")
    if dice.often(0.1):
        arguments += ("--out", "out")
    return Case(arguments, {"log.csv": content}, ("store", "out"))


def _answers_case(dice: Dice) -> Case:
    """A model's answers in somebody's log, or copies and a reading written out."""
    rows = claims(dice)
    files, log = answer_files(dice, rows)
    roles = ("--query", "claim", "--evidence", "evidence", "--label", "label")
    out = dice.choice(HARMLESS_OUT)
    named = dice.choice((roles, roles, ()))
    read = ("table.jsonl", *named, "--predictions", log)
    written = ("table.jsonl", *named, "--out", out)
    verbs: tuple[tuple[str, ...], ...] = (
        *[("show", log), ("evidence", *read, *EVIDENCE), ("audit", log, *QUICK)] * 3,
        ("evidence", log, *EVIDENCE),
        ("leakage", *read, *LEAKAGE),
        ("export", *written, "--to", dice.choice(("lm-eval", "inspect"))),
        ("export", *written, "--to", dice.choice(("table", dice.name()))),
        ("export", *written, "--to", "lm-eval", "--over", log),
        ("export", *written, "--to", "table", "--plan"),
        ("show", "table.jsonl", *named, "--write", out),
        ("show", "table.jsonl", "--roles", log),
    )
    files["table.jsonl"] = encode(rows, "jsonl")
    return Case(_arguments(dice, dice.choice(verbs)), files, ("store", out))


def _saved_case(dice: Dice, saved: Mapping[str, bytes]) -> Case:
    """A report, or a saved reader, that somebody changed."""
    files = {f"report/{name}": content for name, content in saved.items()}
    if dice.often(0.3):
        return _reader_case(dice)
    name = dice.choice(("report.json",) * 6 + ("items.parquet", "run.json"))
    path = f"report/{name}"
    if name.endswith(".json") and dice.often(0.7):
        other = disturb(dice, json.loads(files[path]))
        altered = other != json.loads(files[path])
        files[path] = json.dumps(other).encode() if altered else b"{}"
    else:
        files[path] = mutate(dice, files[path])
    whole = {f"other/{name}": content for name, content in saved.items()}
    verbs: tuple[tuple[str, ...], ...] = (
        *[("show", "report"), ("render", "report"), ("compare", "report", "other")] * 4,
        ("render", "report", "--out", "out"),
        ("compare", "report", "other", "--out", "out"),
        ("compare", "other", "other", "--out", "report", "--overwrite"),
    )
    arguments = dice.choice(verbs)
    files |= whole if "other" in arguments else {}
    return Case(arguments, files, ("store", "out"))


def _reader_case(dice: Dice) -> Case:
    """A saved reader whose description somebody changed."""
    description = {
        "schema": 1,
        "classes": ["no", "yes"],
        "fields": ["claim", "evidence"],
        "length": 64,
        "temperature": 1.0,
        "rate": None,
    }
    content = json.dumps(disturb(dice, description)).encode()
    if dice.often(0.3):
        content = mutate(dice, content)
    files = {
        "reader/reader.json": content,
        "reader/config.json": json.dumps(
            disturb(dice, {"model_type": "bert", "num_labels": 2, "vocab_size": 9})
        ).encode(),
        "reader/model.safetensors": dice.odd("bytes"),
        "table.jsonl": encode(claims(dice), "jsonl"),
    }
    return Case(
        ("evidence", "table.jsonl", *EVIDENCE, "--reader", "reader"), files, ("store",)
    )


MAKERS: dict[str, Callable[[Dice], Case]] = {
    "bytes": _bytes_case,
    "rows": _rows_case,
    "choices": _choices_case,
    "names": _names_case,
    "options": _options_case,
    "config": _config_case,
    "server": _server_case,
    "logs": _logs_case,
    "answers": _answers_case,
}
