"""Selections: other rows, inputs untouched."""

from measurand.core.catalogue import Catalogue, Entry

SELECTIONS = Catalogue(
    "selection",
    {
        "everything": Entry("measurand.selections.rows:Everything", "all rows"),
        "hold-out": Entry(
            "measurand.selections.rows:HoldOut",
            "drop the rows in which a column has a value",
        ),
        "only": Entry(
            "measurand.selections.rows:Only",
            "keep the rows in which a column has a value",
        ),
        "drop": Entry(
            "measurand.selections.rows:Drop", "drop the rows of one metadata tuple"
        ),
        "sample": Entry(
            "measurand.selections.rows:Sample", "keep a number of rows, drawn at random"
        ),
        "fold": Entry(
            "measurand.selections.rows:Fold",
            "one side of one of k folds that share no cluster",
        ),
        "subsample": Entry(
            "measurand.selections.rows:Subsample",
            "extra, train or test rows of one draw of an exposure study",
        ),
        "split": Entry(
            "measurand.selections.rows:Split",
            "one side of a split whose sides share nothing",
        ),
    },
)
