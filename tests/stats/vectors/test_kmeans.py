import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from measurand.core.errors import BadInput, BadOption, Undefined
from measurand.stats.vectors.kmeans import (
    default_k,
    kmeans,
    move_centres,
    nearest_centre,
    partition_stability,
    principal_components,
)
from measurand.stats.vectors.projections import iterate_subspace, largest_eigenpairs


@pytest.fixture(autouse=True)
def one_thread():
    """Threads of small products wait for each other where other tests run."""
    with threadpool_limits(1):
        yield


def clouds(rng, n=600, k=6, width=5, apart=8.0):
    """Points around `k` middles, and which they belong to."""
    cloud = rng.integers(k, size=n)
    return rng.normal(size=(n, width)) + apart * rng.normal(size=(k, width))[
        cloud
    ], cloud


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("offset", [0, 1000])
def test_components_are_those_of_the_singular_values(kind, offset, rng):
    vectors = (rng.normal(size=(2500, 40)) * np.linspace(3, 0.2, 40) + offset).astype(
        kind
    )
    found = principal_components(vectors, 5, rng=rng)
    expected = PCA(5, svd_solver="full").fit_transform(vectors.astype(float))
    signs = np.sign((found * expected).sum(axis=0))
    np.testing.assert_allclose(found, expected * signs, atol=0.01)
    assert found.mean(axis=0) == pytest.approx(np.zeros(5), abs=1e-3)


def test_a_component_far_smaller_than_the_first_is_still_found(rng):
    vectors = rng.normal(size=(300, 8)) * 10.0 ** -np.arange(8)
    found = principal_components(vectors, 6, rng=rng)
    expected = PCA(6, svd_solver="full").fit_transform(vectors)
    np.testing.assert_allclose(np.abs(found), np.abs(expected), rtol=1e-3, atol=1e-9)


@pytest.mark.parametrize(
    "values",
    [
        1 / (1 + np.arange(400) / 20),
        1 / np.arange(1, 401),
        np.r_[30, 1 / np.arange(1, 400)],
        np.r_[np.full(4, 2.0), np.ones(396)],
    ],
    ids=["flat", "falling", "one far larger", "coinciding"],
)
def test_iterated_eigenvectors_are_the_solved_ones(values, rng):
    basis = np.linalg.qr(rng.normal(size=(400, 400)))[0]
    matrix = np.triu((basis * values) @ basis.T).astype(np.float32, order="F")
    found, vectors = iterate_subspace(matrix, 4)
    exact, others = largest_eigenpairs(matrix, 4)
    np.testing.assert_allclose(found, exact, rtol=1e-3)
    assert np.linalg.svd(vectors.T @ others, compute_uv=False).min() > 0.9999


@pytest.mark.parametrize("rank", [0, 3, 20])
def test_what_iterations_cannot_settle_is_left_to_be_solved(rank, rng):
    factor = rng.normal(size=(400, rank)).astype(np.float32)
    matrix = np.asfortranarray(np.triu(factor @ factor.T))
    assert iterate_subspace(matrix, 8) is None
    assert iterate_subspace(matrix[:200, :200], 2) is None
    assert largest_eigenpairs(matrix, 8)[1].shape == (400, 8)


def test_eigenvectors_are_found_where_all_eigenvalues_are_about_equal(rng):
    basis = np.linalg.qr(rng.normal(size=(600, 600)))[0]
    whitened = (basis @ basis.T).astype(np.float32)
    values, vectors = largest_eigenpairs(whitened, 40)
    np.testing.assert_allclose(values, 1, atol=1e-4)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(40), atol=1e-4)


def test_vectors_too_wide_for_a_covariance_have_components_too(rng):
    basis = np.linalg.qr(rng.normal(size=(2100, 3)))[0].T
    vectors = rng.normal(size=(60, 3)) * [9, 5, 2] @ basis
    found = principal_components(vectors, 3, rng=np.random.default_rng(0))
    np.testing.assert_allclose(
        np.abs(found), np.abs(PCA(3).fit_transform(vectors)), atol=1e-6
    )


def test_there_are_never_more_components_than_columns_or_rows(rng):
    assert principal_components(rng.normal(size=(30, 4)), 9, rng=rng).shape == (30, 4)
    assert principal_components(rng.normal(size=(3, 8)), 9, rng=rng).shape == (3, 3)
    assert not principal_components(np.full((9, 4), 0.1), 2, rng=rng).any()


def test_plain_clouds_are_the_clusters(rng):
    points, cloud = clouds(rng)
    found = kmeans(points, 6, rng=rng)
    assert adjusted_rand_score(cloud, found.labels) > 0.99
    assert (np.diff(np.bincount(found.labels)) <= 0).all()
    assert (nearest_centre(points, found.centres) == found.labels).all()
    spread = ((points - found.centres[found.labels]) ** 2).sum()
    assert found.inertia == pytest.approx(spread, rel=1e-4)


def test_the_inertia_is_about_that_of_ten_starts_on_everything(rng):
    points, _ = clouds(rng, 4000, 30, 10, apart=1.0)
    with threadpool_limits(1):
        ten = KMeans(25, n_init=10, random_state=0).fit(points).inertia_
    ours = [kmeans(points, 25, rng=np.random.default_rng(s)).inertia for s in range(4)]
    assert np.mean(ours) < 1.01 * ten


@pytest.mark.parametrize("reach", [1, 2])
def test_no_round_raises_the_inertia(reach, rng):
    points = clouds(rng, 2000, 30, 10, apart=0.7)[0].astype(np.float32)
    inertia = []
    for rounds in range(15):
        centres = move_centres(points, points[:20], reach, rounds)
        inertia.append(((points - centres[nearest_centre(points, centres)]) ** 2).sum())
    assert (np.diff(inertia) <= 1e-5 * inertia[0]).all()
    assert inertia[-1] < 0.95 * inertia[0]


def test_a_round_is_lloyds(rng):
    points = clouds(rng, 500, 8, 4, apart=1.0)[0].astype(np.float32)
    lloyd = KMeans(8, init=points[:8], n_init=1, max_iter=300, tol=0).fit(points)
    found = move_centres(points, points[:8], 1, 300)
    np.testing.assert_allclose(found, lloyd.cluster_centers_, atol=1e-5)


def test_a_centre_without_points_moves_to_a_far_one():
    points = np.array([[0.0], [1.0], [2.0], [9.0]], np.float32)
    found = move_centres(points, np.array([[0.0], [2.0], [99.0]], np.float32), 1, 5)
    assert sorted(found.ravel().tolist()) == [0.5, 2.0, 9.0]


def test_neither_row_order_nor_threads_change_a_partition(rng):
    vectors = clouds(rng, 3000, 20, 400, apart=0.5)[0].astype(np.float32)
    order = rng.permutation(3000)
    first, second = (
        principal_components(rows, 10, rng=np.random.default_rng(0))
        for rows in (vectors, vectors[order])
    )
    np.testing.assert_array_equal(first[order], second)
    with threadpool_limits(2):
        again = principal_components(vectors, 10, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(first, again)
    one = kmeans(first, 12, rng=np.random.default_rng(1))
    two = kmeans(second, 12, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(one.labels[order], two.labels)
    np.testing.assert_array_equal(one.centres, two.centres)
    with threadpool_limits(2):
        three = kmeans(first, 12, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(one.labels, three.labels)


@pytest.mark.parametrize("offset", [0.1, 1e4])
def test_there_are_never_more_clusters_than_different_points(offset, rng):
    few = rng.normal(size=(4, 3)).repeat(50, axis=0) + offset
    found = kmeans(few, 10, rng=rng)
    assert len(found.centres) == 4
    assert np.bincount(found.labels).tolist() == [50] * 4
    assert len(kmeans(rng.normal(size=(3, 2)), 10, rng=rng).centres) == 3
    constant = kmeans(np.full((40, 3), offset), 10, rng=rng)
    assert not constant.labels.any()
    assert constant.centres == pytest.approx(np.full((1, 3), offset))


def test_rare_points_are_not_lost_from_the_sample(rng):
    points = np.zeros((5000, 2))
    points[:3] = [[1, 0], [0, 1], [1, 1]]
    found = kmeans(points, 4, rng=rng)
    assert np.bincount(found.labels).tolist() == [4997, 1, 1, 1]


def test_one_far_point_does_not_hide_that_others_differ(rng):
    points = rng.normal(size=(400, 2))
    points[0] = 1e5
    assert len(kmeans(points, 8, rng=rng).centres) == 8


def test_one_cluster_holds_everything(rng):
    points = rng.normal(size=(50, 2))
    found = kmeans(points, 1, rng=rng)
    assert not found.labels.any()
    np.testing.assert_allclose(found.centres[0], points.mean(axis=0), atol=1e-6)


def test_nearest_is_the_least_distance(rng):
    points, centres = rng.normal(size=(500, 3)) + 1e6, rng.normal(size=(7, 3)) + 1e6
    away = np.linalg.norm(points[:, None] - centres, axis=2)
    assert (nearest_centre(points, centres) == away.argmin(axis=1)).all()
    assert nearest_centre(points[:0], centres).shape == (0,)


def test_the_default_number_of_clusters_leaves_enough_items_in_each():
    for n in range(1, 30_000, 37):
        k = default_k(n, labels=4)
        assert 1 <= k <= 50
        assert n / k >= 20 or k == 1
    assert default_k(10_000) == 50


def test_stability_is_the_mean_over_pairs(rng):
    labelings = [rng.integers(4, size=200) for _ in range(3)]
    a, b, c = labelings
    pairs = [adjusted_rand_score(*pair) for pair in ((a, b), (a, c), (b, c))]
    assert partition_stability(labelings) == pytest.approx(np.mean(pairs))
    with pytest.raises(Undefined, match="at least two"):
        partition_stability([a])


@pytest.mark.parametrize("cut", [principal_components, kmeans])
def test_what_cannot_be_cut_up_is_said_in_one_line(cut, rng):
    with pytest.raises(BadInput, match="1 of 3 vectors"):
        cut(np.array([[0.0, 1], [np.nan, 1], [2, 3]]), 2, rng=rng)
    with pytest.raises(BadOption, match="at least 1, not 0"):
        cut(np.ones((3, 2)), 0, rng=rng)
    with pytest.raises(Undefined, match=r"\(0, 4\)"):
        cut(np.empty((0, 4)), 2, rng=rng)
