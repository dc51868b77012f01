"""What is said of a model's logged answers."""

from collections.abc import Iterator, Sequence

from measurand.core.clause import Clause, Fact, Name
from measurand.logs.answers import Answers
from measurand.logs.contrasts import find_losses, is_share, mean_of_log
from measurand.logs.copies import check_copies
from measurand.wording.render import say_clause
from measurand.wording.text import plain_text


def describe_logs(logs: Sequence[Answers]) -> Iterator[str]:
    """What each log holds, what was left out of it, and what conditions cost."""
    for harness in dict.fromkeys(log.harness for log in logs):
        of_harness = [log for log in logs if log.harness == harness]
        yield f"{harness}: {len(of_harness)} log{'s' * (len(of_harness) > 1)}"
        for log in of_harness:
            yield f"  {say_score(log)}"
            if log.condition:
                yield f"    condition: {plain_text(log.condition)}"
            yield from (f"    note: {plain_text(note, 200)}" for note in log.notes)
    check_copies(logs)
    for loss in find_losses(logs):
        facts: dict[str, Fact] = {
            "model": Name("model", loss.model),
            "lost": loss.lost,
            "condition": Name("condition", loss.condition),
            "items": loss.lost.n,
            "draws": loss.draws,
        }
        if loss.left_out:
            facts["left_out"] = loss.left_out
        yield say_clause(Clause("log.lost", facts))


def say_score(log: Answers) -> str:
    """Who answered what, and how well."""
    facts: dict[str, Fact] = {
        "model": Name("model", log.model),
        "task": Name("task", log.task),
        "metric": Name("metric", log.metric),
        "score": mean_of_log(log),
        "items": len(log),
    }
    return say_clause(
        Clause("log.score" if is_share(log.scores) else "log.mean", facts)
    )
