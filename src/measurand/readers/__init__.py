"""Readers, from weak to strong."""

from os.path import isfile, join
from typing import Any

from measurand.core.catalogue import Catalogue, Entry
from measurand.core.errors import BadOption

READERS = Catalogue(
    "reader",
    {
        "majority": Entry(
            "measurand.readers.baselines:MajorityReader", "always the commonest label"
        ),
        "metadata": Entry(
            "measurand.readers.baselines:MetadataReader",
            "the commonest label given the metadata, backing off for unseen values",
        ),
        "lookup": Entry(
            "measurand.readers.baselines:LookupReader",
            "the labels that the same text had in training: memory alone",
        ),
        "pca": Entry(
            "measurand.readers.adaptable:PcaReader",
            "principal components of word counts; can adapt to unlabeled text",
        ),
        "idf": Entry(
            "measurand.readers.adaptable:IdfReader",
            "weighted words and their SVD; can adapt to unlabeled text",
        ),
        "surface": Entry(
            "measurand.readers.baselines:SurfaceReader",
            "spacing, case, punctuation, digits, markup, length of texts, but no word",
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
        "aligned": Entry(
            "measurand.readers.aligned:AlignedReader",
            "words, and how two fields align by static word vectors; no transformer",
            "vectors",
        ),
        "frozen": Entry(
            "measurand.readers.frozen:FrozenReader",
            "words, alignments and vectors of a frozen sentence encoder, without torch",
            "frozen",
        ),
        "minilm": Entry(
            "measurand.readers.encoder:EncoderReader",
            "MiniLM, 22.7M, fine-tuned; installs from PyPI",
            "torch",
        ),
        "smollm2": Entry(
            "measurand.readers.causal:CausalReader",
            "SmolLM2, 135M, fine-tuned by its last token; installs from PyPI",
            "torch",
        ),
        "smollm2-zero": Entry(
            "measurand.readers.causal:exposure_reader",
            "SmolLM2 asked for class names, not trained on labels",
            "torch",
        ),
        **{
            name: Entry(
                "measurand.readers.encoder:EncoderReader",
                f"{name}, fine-tuned; its weights need the hub",
                "torch",
                {"model": name},
            )
            for name in (
                *("bert", "distilbert", "electra-small", "scibert"),
                *("roberta-large", "xlm-roberta", "bert-chinese"),
            )
        },
    },
)
KINDS = Catalogue(
    "kind of reader",
    {
        "frozen": Entry(
            "measurand.readers.frozen:FrozenReader",
            "any sentence encoder of BERT's kin that is not trained, by directory",
            "frozen",
        ),
        "encoder": Entry(
            "measurand.readers.encoder:EncoderReader",
            "any encoder, by directory or hub id",
            "torch",
        ),
        "prompted": Entry(
            "measurand.readers.causal:exposure_reader",
            "any decoder, scoring class names in the prompt of the exposure audit",
            "torch",
        ),
        "packing": Entry(
            "measurand.readers.causal:packed_exposure_reader",
            "the same, adapted to eight prompts a sequence",
            "torch",
        ),
        "causal": Entry(
            "measurand.readers.causal:CausalReader",
            "any decoder, fine-tuned as a classifier: a directory, a hub id or smollm2",
            "torch",
        ),
        "zero-shot": Entry(
            "measurand.readers.causal:ZeroShotReader",
            "any decoder, scoring class names: a directory, a hub id or smollm2",
            "torch",
        ),
        "saved": Entry(
            "measurand.readers.saved:saved_reader",
            "a reader that was fitted and saved before, by its directory",
            "torch",
        ),
        "endpoint": Entry(
            "measurand.readers.endpoint:endpoint_reader",
            "a model behind an OpenAI-compatible server",
            "llm",
        ),
    },
)


def is_endpoint_reader(name: str) -> bool:
    """Whether `make_reader` makes one of a model behind a server of this name.

    >>> is_endpoint_reader("endpoint:small"), is_endpoint_reader("causal:endpoint:a")
    (True, False)
    """
    return name.partition(":")[0] == "endpoint"


def make_reader(name: str, **terms: Any) -> Any:
    """A reader by its name, or by kind and place: `encoder:DIRECTORY`.

    The directory of a saved reader is enough of a name.
    `terms` are for a model behind a server: where it is and what it may cost; a decoder
    takes its `shots` and `orders` alone.
    """
    if not name.isprintable():
        raise BadOption(f"the reader {name!a} is no printable name; give another")
    kind, _, model = name.partition(":")
    if model and kind in KINDS.entries:
        options = {"shots", "orders"}
        taken = {"endpoint": {*terms}, "zero-shot": options}.get(kind, set())
        own_terms = {name: terms[name] for name in terms if name in taken}
        if terms.get("orders") is None:  # each kind has its own
            own_terms.pop("orders", None)
        return KINDS.load(kind, model=model, **own_terms)
    if name not in READERS.entries and isfile(join(name, "reader.json")):
        return KINDS.load("saved", model=name)
    return READERS.load(name)
