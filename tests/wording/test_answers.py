"""What is said of logs."""

from measurand.logs.read import read_answers
from measurand.wording.answers import describe_logs
from tests.logs.written import write_lm_eval


def test_each_log_and_each_loss_is_said(tmp_path):
    run = write_lm_eval(
        tmp_path, {"full": [True] * 6, "shuffled0": [True] * 3 + [False] * 3}
    )
    lines = [*describe_logs(read_answers(run))]
    assert lines[0] == "lm-eval: 2 logs"
    assert lines[1].startswith("  “tiny” on “boats_full”: 100.0 % (95 % CI")
    assert lines[-1].startswith("“tiny” loses 50.0 points (95 % CI")


def test_names_cannot_change_the_terminal(tmp_path):
    run = write_lm_eval(tmp_path, {"full": [True] * 6}, model="a\x1b[31mb\nc")
    assert "“ab c”" in "".join(describe_logs(read_answers(run)))
