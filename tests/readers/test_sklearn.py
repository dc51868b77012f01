"""Estimators and pipelines of scikit-learn are readers without a wrapper."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.pipeline import make_pipeline

import measurand as ms
from measurand.core.errors import BadInput
from measurand.core.recipe import identity
from measurand.readers.names import name_readers
from measurand.readers.sklearn import EstimatorReader
from tests.boats import boats

PIPELINE = make_pipeline(TfidfVectorizer(), LogisticRegression())


def test_a_pipeline_keeps_the_promises_of_a_reader():
    for estimator in (
        PIPELINE,
        make_pipeline(CountVectorizer(), RidgeClassifier()),
        make_pipeline(TfidfVectorizer(), SGDClassifier(loss="log_loss")),
    ):
        ms.check_reader(EstimatorReader(estimator=estimator))


def test_a_pipeline_is_named_by_its_class():
    names = name_readers([PIPELINE, "tfidf", make_pipeline(CountVectorizer())])
    assert [*names] == ["Pipeline", "tfidf", "Pipeline (2)"]


def test_other_parameters_are_another_reader():
    first = EstimatorReader(estimator=PIPELINE)
    second = EstimatorReader(estimator=make_pipeline(TfidfVectorizer(min_df=2)))
    assert identity(first) == identity(EstimatorReader(estimator=PIPELINE))
    assert identity(first) != identity(second)


def test_answers_are_those_of_the_estimator():
    items = ms.load(boats(200), label="label").train
    fitted = EstimatorReader(estimator=PIPELINE).fit(items, np.random.default_rng(0))
    texts = [f"{a}\n{b}" for a, b in zip(*map(items.column, items.fields), strict=True)]
    alone = PIPELINE.fit(texts, items.labels)
    assert np.allclose(fitted.predict(items), alone.predict_proba(texts))


def test_an_audit_asks_a_pipeline():
    bench = ms.load(boats(200), label="label")
    report = ms.leakage(bench, readers=[PIPELINE], brief=True)
    assert report.settings["readers"]["Pipeline"]["recipe"] == "sklearn"
    assert "LogisticRegression" in report.settings["readers"]["Pipeline"]["settings"]
    assert {f.statistic for f in report.findings if f.reader == "Pipeline"} >= {
        "accuracy",
        "single_accuracy",
    }


@pytest.mark.parametrize("thing", [DummyClassifier, 3])
def test_what_is_no_instance_is_refused(thing):
    with pytest.raises(BadInput):
        name_readers([thing])
