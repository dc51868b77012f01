"""Chat templates: what transformers makes of them, and one line where they do harm."""

import pytest
from transformers import AutoTokenizer

from measurand.core.errors import ReaderFailed
from measurand.models import chat_templates
from measurand.models.generate import chat_prompts
from tests.models import tiny_decoder

PROMPTS = ["Why?", "", "<s> {{ 7 * 7 }}\n", "中文 \ud800", "x" * 20_000]
# The ways in which templates of known models are written.
HONEST = (
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system'"
    " %}{{ '<|im_start|>system\nYou are.<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + "
    "message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
    "{{- bos_token }}\n  {%- if tools is not none %}no{% endif %}\n"
    "{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}"
    "{{ m | tojson }}{% endfor %}{{ ns.n }}{{ eos_token }}",
    "{%- macro say(m) %}{{ m.content | trim }}{% endmacro %}{% for m in messages %}"
    "{% generation %}{{ say(m) }}{% endgeneration %}{% break %}{% endfor %}"
    "{{ dict(a=1) | tojson(indent=2) }}",
)
DEEP = "{{% for a in range(99999) %}}{}{{% endfor %}}"
HARMFUL = {
    "escape": ("{{ cycler.__init__.__globals__.os.system('id') }}", "SecurityError"),
    "type": ("{{ ''.__class__.__mro__ }}", "SecurityError"),
    "private": ("{% set n = namespace() %}{% set n.__a = 1 %}", "TemplateError"),
    "range": ("{% for a in range(10**12) %}{% endfor %}", "OverflowError"),
    "endless": (DEEP.format(DEEP.format(DEEP.format(""))), "within 2 seconds"),
    "power": ("{% set a = 9 ** (9 ** 9) %}", "within 2 seconds"),
    "memory": ("{% set a = 'x' * 10**11 %}", "emory"),
    "doubling": (
        "{% set n = namespace(a='xy') %}{% for i in range(60) %}"
        "{% set n.a = n.a ~ n.a %}{% endfor %}",
        "emory",
    ),
    "letters": (DEEP.format("{{ messages }}"), "more than 100,000 letters"),
    "refusal": ("{{ raise_exception('only\nsystem') }}", "only system"),
    "broken": ("{% for %}", "TemplateSyntaxError"),
    "recursion": ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "RecursionError"),
}


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    return AutoTokenizer.from_pretrained(
        tiny_decoder.save(tmp_path_factory.mktemp("decoder"))
    )


@pytest.mark.parametrize("template", HONEST)
def test_an_honest_template_gives_what_transformers_gives(tokenizer, template):
    tokenizer.chat_template = template
    expected = [
        tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}],
            tokenize=False,
            add_generation_prompt=True,
        )
        for prompt in PROMPTS
    ]
    assert chat_prompts(tokenizer, PROMPTS) == expected


@pytest.mark.parametrize("name", HARMFUL)
def test_a_template_that_does_harm_is_one_line(tokenizer, monkeypatch, name):
    tokenizer.chat_template, word = HARMFUL[name]
    if "seconds" in word:
        monkeypatch.setattr(chat_templates, "SECONDS", 2)
    with pytest.raises(ReaderFailed, match=r"^the chat template [^\n]+$") as caught:
        chat_prompts(tokenizer, ["Why?"])
    assert word in str(caught.value)


def test_templates_of_which_none_is_the_default_are_one_line(tokenizer):
    tokenizer.chat_template = {"rag": "a", "tools": "b"}
    with pytest.raises(
        ReaderFailed, match=r"^the chat template [^\n]+rag, tools[^\n]+$"
    ):
        chat_prompts(tokenizer, ["Why?"])


def test_a_template_sees_no_key(tokenizer, monkeypatch):
    monkeypatch.setenv("MEASURAND_API_KEY", "sk-secret")
    assert "MEASURAND_API_KEY" not in chat_templates._environment()
