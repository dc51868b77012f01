"""The constants of the exposure audit; every report shows them."""

MARGIN = 1.0  # percentage points of accuracy that still count as nothing
M, N, REPEATS = 50, 200, 50  # labelled rows, test rows, draws
CLASSES = 25  # beyond this, m rows hold hardly any of each class
MUCH = 0.05  # a share of texts cut or repeated that a reader of the report should know
SLICES = 500  # unreplicated studies of the meta-analysis
DRAWS = 4000  # posterior draws
R_HAT = 1.01  # over this, chains of NUTS disagree
AGREE = 0.1  # posterior sds between NUTS and Laplace that no verdict would notice

SHOWN = {
    "margin": MARGIN,
    "many_classes": CLASSES,
    "much_cut_or_repeated": MUCH,
    "slices": SLICES,
    "draws": DRAWS,
    "r_hat": R_HAT,
    "agree": AGREE,
}
