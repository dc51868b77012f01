"""The forms in which a key is known again, and those that docs/security.md excepts."""

import base64
import codecs
import random
import re
from pathlib import Path

import pytest

from measurand.disk.files import keep_calls
from measurand.models.server.client import endpoint_replies
from measurand.models.server.key import _readings, redact_key
from tests.models.fake_server import serving
from tests.models.server.conftest import KEY
from tests.models.server.test_client import prompts, reached

PAGE = Path(__file__).parents[3] / "docs" / "security.md"
ROW = re.compile(r"^\| (.*) \| (hidden|kept) \|$", re.MULTILINE)


def each(form):
    """Every letter of the key in this form."""
    return lambda key: "".join(form.format(ord(letter)) for letter in key)


def encoded(encode, *encodings):
    """The key as bytes, among others, in letters."""
    return lambda key: [
        encode(before + key.encode(encoding) + b"!").decode()
        for encoding in (encodings or ("utf-8",))
        for before in (b"", b"a", b"ab", b"abc", b"abcd")
    ]


def twice(*encodings):
    """The key in base64 of base64, with something before it."""
    encodes = base64.b64encode, base64.urlsafe_b64encode
    return lambda key: [
        encode(b"x" + inner(before + key.encode(encoding))).decode()
        for encode in encodes
        for encoding in encodings
        for inner, before in zip(encodes, (b"is ", b"a"), strict=True)
    ]


def mixed(form):
    """Every other letter of the key in this form, and the others as they are."""
    return lambda key: "".join(
        letter if number % 2 else form.format(ord(letter))
        for number, letter in enumerate(key)
    )


def shift(key):
    return "".join(chr(ord(letter) + 1) for letter in key)


HEX = lambda content: content.hex().encode()  # noqa: E731
WIDE = ("utf-16-le", "utf-16-be", "utf-16")
ALIKE = str.maketrans("aceikoprstuxyABEHKMTXYZ", "асеікоргѕтихуАВЕНКМТХҮΖ")
FORMS = {
    "capitals": str.upper,
    "backwards": lambda key: key[::-1],
    "signs between": lambda key: [sign.join(key) for sign in (" ", "-", "\n", "\0")],
    "accents between": lambda key: ["\u0301".join(key), "\u0308\u0327".join(key)],
    "wide letters": lambda key: "".join(chr(ord(c) + 0xFEE0) for c in key),
    r"octal `\163`": each(r"\{:o}"),
    "octal `0o163`": lambda key: [each("0o{:o}")(key), each("0o{:o}, ")(key)],
    "octal codes": each("{:o} "),
    "decimal codes": each("{}, "),
    "`0x73`": lambda key: [each("0x{:x}")(key), each("0x{:X} ")(key)],
    "`0x0073`": each("0x{:04x}, "),
    r"`\x73`": each(r"\x{:02x}"),
    r"`\x{73}`": each(r"\x{{{:x}}}"),
    "`%73`": each("%{:02X}"),
    "`=73`": lambda key: [each("={:02X}")(key), mixed("={:02X}")(key)],
    r"`\u0073`": lambda key: [each(r"\u{:04x}")(key), each(r"\\u{:04x}")(key)],
    r"`\u{73}`": each(r"\u{{{:x}}}"),
    r"`\U00000073`": each(r"\U{:08x}"),
    "`%u0073`": each("%u{:04x}"),
    "`U+0073`": lambda key: [each("U+{:04X}")(key), each("U+{:04X} ")(key)],
    "`&#115;`": lambda key: [each("&#{};")(key), each("&amp;#{};")(key)],
    "`&#x73;`": each("&#x{:x};"),
    "hexadecimal": encoded(HEX),
    "hexadecimal of UTF-16": encoded(HEX, *WIDE),
    "hexadecimal of UTF-32": encoded(HEX, "utf-32-le", "utf-32-be"),
    "base64": lambda key: [
        *encoded(base64.b64encode)(key),
        *encoded(base64.urlsafe_b64encode)(key),
        *encoded(base64.encodebytes)(key * 3),
    ],
    "base64 of UTF-16": encoded(base64.b64encode, *WIDE),
    "base64 twice": twice("utf-8"),
    "base64 twice of UTF-16": twice(*WIDE),
    "base32": encoded(base64.b32encode),
    "base64 backwards": lambda key: base64.b64encode(key.encode()).decode()[::-1],
    "hexadecimal backwards": lambda key: key.encode().hex()[::-1],
    "hexadecimal of base64": lambda key: base64.b64encode(key.encode()).hex(),
    "base85": lambda key: base64.b85encode(key.encode()).decode(),
    "Ascii85": lambda key: base64.a85encode(key.encode()).decode(),
    "base32hex": lambda key: base64.b32hexencode(key.encode()).decode(),
    "uuencode": lambda key: codecs.encode(key.encode(), "uu").decode(),
    "binary": each("{:08b} "),
    "base64 of UTF-32": encoded(base64.b64encode, "utf-32-le"),
    "rot13": lambda key: codecs.encode(key, "rot13"),
    "letters shifted by one": shift,
    "pairs swapped": lambda key: re.sub("(.)(.)", r"\2\1", key),
    "letters that look alike": lambda key: key.translate(ALIKE),
    "letters between": "x".join,
    "names of letters": lambda key: " ".join(f"{letter}-letter" for letter in key),
}
DOCUMENTED = {
    form: hidden
    for forms, hidden in ROW.findall(PAGE.read_text("utf-8"))
    for form in forms.split("; ")
}


def written(form, key=KEY):
    """The key in the ways of one form."""
    texts = FORMS[form](key)
    return [texts] if isinstance(texts, str) else texts


def test_the_page_names_the_forms_that_are_tried_here():
    assert DOCUMENTED.keys() == FORMS.keys()
    assert len(FORMS) >= 34


LONG = "sk-proj-Zq8vT2mXw4LrB7nKc1Yd-Hs6JfGp9QaEu3RtVi5Wo0MxZbNk2"


@pytest.mark.parametrize("key", [KEY, LONG, "correct-horse-battery-staple"])
@pytest.mark.parametrize("form", FORMS)
def test_a_form_of_the_key_is_hidden_as_the_page_says(form, key):
    for text in written(form, key):
        answer = f"Yes, it is {text}, I think."
        kept = redact_key(answer, key)
        assert kept == ("[key]" if DOCUMENTED[form] == "hidden" else answer), text


@pytest.mark.parametrize("form", [f for f in FORMS if DOCUMENTED[f] == "hidden"])
def test_a_form_that_is_hidden_is_in_no_call(tmp_path, form):
    texts = [text for text in written(form) if len(text) < 900]
    rule = lambda prompt: texts[int(re.findall(r"\d+", prompt)[0])]  # noqa: E731
    with serving(rule) as server, keep_calls(tmp_path):
        replies = endpoint_replies(reached(server), prompts(len(texts)))
    assert {(reply.text, reply.tokens) for reply in replies} == {("[key]", ())}
    calls = [path.read_text() for path in tmp_path.glob("calls/*/*.json")]
    assert len(calls) == len(texts)
    assert not any(text in call for text in texts for call in calls)


@pytest.mark.parametrize("sign", ["\ufdfa", "\u33af"])
def test_no_sign_that_stands_for_many_letters_makes_a_text_much_longer(sign):
    """Of `\\ufdfa`, Unicode makes eighteen letters, none of which a key holds."""
    text = sign * 9_999
    assert all(len(view) <= 5 * len(text) for view in _readings(text))
    assert redact_key(f"{text}{KEY}{text}", KEY) == f"{text}[key]{text}"
    assert redact_key(f"{text}{' '.join(KEY)}{text}", KEY) == "[key]"


WORDS = ("The", "sk", "key", "is", "very", "boat", "012", "789", "mast", "sail")


def ordinary(rng):
    """A text with words of the key, and another in a form in which keys are sought."""
    text = rng.choice((" ", "-", ", ")).join(rng.choices(WORDS, k=9))
    form = rng.choice([form for form in FORMS if form != "wide letters"])
    plain = " ".join(rng.choices(("A", "dog", "barks", "at", "31", "boats"), k=9))
    other = rng.choice((rng.randbytes(60).hex(), plain, str(rng.random())))
    return f"{text}: {rng.choice(written(form, other))} é漢字ß"


@pytest.mark.parametrize("texts", [100, pytest.param(2_000, marks=pytest.mark.slow)])
def test_ordinary_texts_stay_as_they_are_to_the_last_letter(texts):
    rng = random.Random(texts)
    keys = (KEY, LONG, "gsk_7Yx0mQ", "7d4a1c09-52be-4f60-8e13-b0c5d6a9f278")
    for text in (ordinary(rng) for _ in range(texts)):
        for key in keys:
            assert redact_key(text, key) == text
