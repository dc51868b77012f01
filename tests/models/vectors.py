"""Word vectors that are made up: a folder as readers take it."""

import json

import numpy as np

SIZE = 16


def make_vectors(words, seed=0, noise=0.1):
    """A vector for each word; words of one tuple are near each other."""
    rng = np.random.default_rng(seed)
    vectors = {}
    for group in words:
        centre = rng.normal(size=SIZE)
        for word in group:
            vectors[word] = 10 * (centre + noise * rng.normal(size=SIZE))
    return vectors


def write_vectors(folder, vectors):
    """The files of a folder: every word is one piece, and every letter is."""
    letters = sorted({letter for word in vectors for letter in word})
    pieces, merges = dict.fromkeys(["▁", *letters]), []
    for word in vectors:
        left = "▁"
        for letter in word:
            merges.append((left, letter))
            left += letter
            pieces[left] = None
    numbers = {piece: number for number, piece in enumerate(pieces)}
    table = np.full((len(numbers), SIZE), 0.01, "<f2")
    for word, vector in vectors.items():
        table[numbers["▁" + word]] = vector
    merges = [f"{left} {right}" for left, right in dict.fromkeys(merges)]
    model = {"type": "BPE", "vocab": numbers, "merges": merges}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps({"model": model}), "utf-8")
    write_table(folder / "model.safetensors", table)
    return str(folder)


def write_table(path, table, **changes):
    """A matrix as a file of safetensors."""
    kind = {"f2": "F16", "f4": "F32"}[table.dtype.str[1:]]
    content = table.tobytes()
    entry = {"dtype": kind, "shape": table.shape, "data_offsets": (0, len(content))}
    header = json.dumps({"embedding.weight": {**entry, **changes}}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + content)
