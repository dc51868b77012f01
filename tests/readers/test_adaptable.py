import numpy as np
import pytest
from sklearn.feature_extraction.text import HashingVectorizer

from measurand.readers.adaptable import NO_WEIGHTS, FittedPca
from measurand.text.words import words


@pytest.mark.parametrize("columns", [16, 1024])
def test_words_are_hashed_as_scikit_learn_hashes_them(columns):
    texts = ["A dog, a boat", "", "猫吃鱼 and the boat", "a dog, a boat"]
    reader = FittedPca(("yes",), ("text",), columns, None, NO_WEIGHTS)
    usual = HashingVectorizer(
        analyzer=words, n_features=columns, alternate_sign=False
    ).transform(texts)
    np.testing.assert_array_equal(reader.counts(texts).toarray(), usual.toarray())
