"""The table of parts is alike for both audits; what was not asked stays empty."""

import math

from measurand.arms.table import PARTS, PartRow, exact_estimate, parts_exhibit
from measurand.core.clause import Name
from measurand.core.estimate import Estimate

CLAIM = (Name("column", "claim"),)
ACCURACY = Estimate(0.6, 0.5, 0.7, 0.95, 100, "families")


def test_a_row_holds_each_estimate_with_its_interval():
    row = PartRow(CLAIM, "tfidf", 0.5, ACCURACY, bound=exact_estimate(0.2, 100))
    exhibit = parts_exhibit([row], "majority class")
    (cells,) = exhibit.table.to_dict("records")
    assert (exhibit.name, cells["part"], cells["reader"]) == (PARTS, "claim", "tfidf")
    assert [cells[f"accuracy{e}"] for e in ("", "_low", "_high")] == [0.6, 0.5, 0.7]
    assert (cells["bound"], cells["baseline"]) == (0.2, 0.5)
    assert math.isnan(cells["gain"])


def test_a_part_of_several_columns_names_them_all():
    both = (*CLAIM, Name("column", "evidence"))
    exhibit = parts_exhibit([PartRow(both, "cross", 0.5)], "chance")
    assert exhibit.table["part"].tolist() == ["claim + evidence"]
    assert exhibit.settings == {"baseline": "chance"}
