"""Readers, from weak to strong."""

from measurand.core.catalogue import Catalogue, Entry

READERS = Catalogue(
    "reader",
    {
        "majority": Entry(
            "measurand.readers.majority:MajorityReader", "always the commonest label"
        ),
        "metadata": Entry(
            "measurand.readers.majority:MetadataReader",
            "the commonest label given the metadata, backing off for unseen values",
        ),
        "tfidf": Entry(
            "measurand.readers.linear:TfidfReader",
            "words and word pairs of each field apart, logistic regression",
        ),
        "cross": Entry(
            "measurand.readers.cross:CrossReader",
            "a lexicalised pair classifier: which query words meet which evidence "
            "words",
        ),
    },
)
