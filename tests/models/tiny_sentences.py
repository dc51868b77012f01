"""A sentence encoder that is made up, without torch: a folder as readers take it."""

import json

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

SIZE, INNER, LAYERS, HEADS, POSITIONS = 32, 64, 2, 4, 64
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
MARKS = ".,!?'"


def make_tokenizer(words):
    """Word pieces: these words, and letters for all others."""
    pieces = [*SPECIAL, *words, *LETTERS, *MARKS, *(f"##{one}" for one in LETTERS)]
    known = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(known, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(token, known[token]) for token in ("[CLS]", "[SEP]")],
    )
    return tokenizer, known


def make_weights(groups, known, seed=0):
    """Weights of a small BERT; words of one group are near each other."""
    rng = np.random.default_rng(seed)

    def draw(*shape, scale=0.05):
        return rng.normal(0, scale, shape).astype(np.float32)

    table = draw(len(known), SIZE, scale=1)
    for group in groups:
        for word in group:
            table[known[word]] = table[known[group[0]]] + draw(SIZE)
    tensors = {
        "embeddings.word_embeddings.weight": table,
        "embeddings.position_embeddings.weight": draw(POSITIONS, SIZE),
        "embeddings.token_type_embeddings.weight": draw(2, SIZE),
        **_norm("embeddings.LayerNorm", rng),
    }
    for number in range(LAYERS):
        start = f"encoder.layer.{number}."
        for name, given, taken in (
            *((f"attention.self.{part}", SIZE, SIZE) for part in ("query", "key")),
            *(("attention.self.value", SIZE, SIZE),),
            *(("attention.output.dense", SIZE, SIZE),),
            *(("intermediate.dense", SIZE, INNER), ("output.dense", INNER, SIZE)),
        ):
            tensors[f"{start}{name}.weight"] = draw(taken, given)
            tensors[f"{start}{name}.bias"] = draw(taken)
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            tensors |= _norm(start + name, rng)
    return tensors


def _norm(name, rng):
    scale = rng.normal(1, 0.05, SIZE).astype(np.float32)
    return {f"{name}.weight": scale, f"{name}.bias": scale - 1}


def write_encoder(folder, groups=(("good", "fine"), ("bad", "poor")), seed=0):
    """The path of a folder with all files."""
    tokenizer, known = make_tokenizer([word for group in groups for word in group])
    (folder / "1_Pooling").mkdir(parents=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    save_file(make_weights(groups, known, seed), folder / "model.safetensors")
    config = {
        "model_type": "bert",
        "hidden_size": SIZE,
        "intermediate_size": INNER,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "max_position_embeddings": POSITIONS,
        "vocab_size": len(known),
        "hidden_act": "gelu",
    }
    (folder / "config.json").write_text(json.dumps(config))
    set_pooling(folder, "mean")
    return str(folder)


def set_pooling(folder, mode):
    """Let the folder say how tokens become the vector of a text."""
    modes = {
        f"pooling_mode_{m}_tokens" if m != "cls" else "pooling_mode_cls_token": m
        == mode
        for m in ("cls", "mean", "max")
    }
    path = folder / "1_Pooling" / "config.json"
    path.write_text(json.dumps({"word_embedding_dimension": SIZE, **modes}))
