"""Questions about trees with four choices each, the right ones known."""

import pandas as pd

N = 60
WOODS = ("oak", "ash", "elm", "fir")
CHOICES = [[f"{wood} {i}" for wood in WOODS] for i in range(N)]
PLACES = [i * 7 % 4 for i in range(N)]
RIGHT = [texts[place] for texts, place in zip(CHOICES, PLACES, strict=True)]
LETTERS = ["ABCD"[place] for place in PLACES]
QUESTIONS = [f"Which tree stands at house {i}?" for i in range(N)]


def rows(**columns):
    return pd.DataFrame({"question": QUESTIONS, **columns})


def check_golds(loaded):
    """Every right choice is the one that `RIGHT` says, of the choices of its house."""
    for items in (loaded.train, loaded.test):
        for question, texts, letter in zip(
            items.column("question"), items.choice_texts, items.labels, strict=True
        ):
            house = int(question.rstrip("?").split()[-1])
            assert sorted(texts) == sorted(CHOICES[house])
            assert texts["ABCD".index(letter)] == RIGHT[house]
