from measurand.text.words import remember_texts


def test_a_text_is_changed_once():
    calls = []
    change = remember_texts(lambda text: calls.append(text) or text.upper())
    assert [change(text) for text in ("a", "b", "a", "")] == ["A", "B", "A", ""]
    assert calls == ["a", "b", ""]


def test_too_many_characters_are_forgotten_and_none_are_mixed_up():
    calls = []
    change = remember_texts(lambda text: calls.append(text) or text[::-1], most=20)
    texts = [f"text {number}" for number in range(5)]
    for _ in range(2):
        assert [change(text) for text in texts] == [text[::-1] for text in texts]
    assert len(calls) == 10
