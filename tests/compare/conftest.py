"""The reports that pages are tried with are compared too."""

from tests.report.conftest import _hostile, _realistic  # noqa: F401
