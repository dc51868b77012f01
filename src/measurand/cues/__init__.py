"""Cues: what can be seen in a text without reading it, and what it predicts.

A kind of cue is one small file that says which candidates a part has; coverage,
productivity and the certified test are computed for all kinds alike.
"""

from measurand.core.catalogue import Catalogue, Entry

CUES = Catalogue(
    "cue",
    {
        "choice": Entry(
            "measurand.cues.choices:choice_candidates",
            "where a choice stands, and how it compares with the others",
        ),
        "word": Entry("measurand.cues.words:word_candidates", "words and phrases"),
        "word pair": Entry(
            "measurand.cues.words:pair_candidates", "two words near each other"
        ),
        "place": Entry(
            "measurand.cues.places:place_candidates", "where words stand in a text"
        ),
        "ending": Entry(
            "measurand.cues.places:ending_candidates", "what words end with"
        ),
        "length": Entry(
            "measurand.cues.length:length_candidates", "how long texts are"
        ),
        "number": Entry(
            "measurand.cues.numbers:number_candidates", "how large a number is"
        ),
        "repetition": Entry(
            "measurand.cues.repeats:repeat_candidates", "a content word twice"
        ),
        "form": Entry(
            "measurand.cues.form:form_candidates",
            "case, punctuation, digits and spacing",
        ),
    },
)
