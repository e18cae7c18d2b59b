#!/usr/bin/env python3
"""Tokenizes texts with Hugging Face's tokenizers, as expectations for inference/llamacpp/real_tokens_test.go.

    python3 -m venv venv && venv/bin/pip install tokenizers==0.23.3 gguf==0.19.0
    venv/bin/python tools/differential/tokens.py inference/llamacpp/testdata/tokens

No package index carries the models' tokenizer.json. Vocabulary and merges are therefore those of the GGUF files; how
text is cut, merged and falls back to bytes is what the models' tokenizer.json have, and is done by the library.
"""

import json
import pathlib
import random
import subprocess
import sys

import gguf
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

CONTROL, USER_DEFINED = 3, 4  # of tokenizer.ggml.token_type
SPACE = "\u2581"  # what SentencePiece writes for a space

SENTENCES = [
    "", " ", "  ", "\n", "\n\n", "\t", " \n ", "a", "A", "é", "字", "\U0001f389", ".", "I'm",
    "we'll they've he'd it's", "Two agents count the bridges of a town.", "The answer is: (C).",
    "The answer is 42.", "  leading spaces", "trailing spaces   ", "many     spaces   between", "tab\tand\ttab",
    "line\nline\n\nline\n\n\nline", "\r\n\r\nwindows", "3 + 4 = 7", "1234567890", "1,234,567.89", "3.14159",
    "10^-3 m/s", "2026-11-25T15:00:00Z", "x1 y22 z333", "٣٤٥", "Ⅷ ½ ²",
    "CamelCaseIdentifier snake_case_name kebab-case", 'func main() {\n\tfmt.Println("hi")\n}\n',
    "for (int i = 0; i < n; i++) { sum += a[i]; }", "def f(x):\n    return x ** 2\n",
    '{"key": [1, 2.5, null, true]}', '<html><body class="x">&amp;</body></html>',
    "https://example.org/a/b?c=d&e=%20#f", "name@example.org", "\\frac{a}{b} \\leq \\sqrt{x^2}",
    "$\\boxed{12}$", "**bold** _italics_ `code` ~~gone~~", "# Heading\n\n- item\n  - item",
    "| a | b |\n|---|---|\n| 1 | 2 |", "Ünïcödé ça và naïve façade", "Straße, Größe, Übermut", "Привет, мир!",
    "Καλημέρα κόσμε", "שלום עולם", "مرحبا بالعالم",
    "\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e",
    "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35\u0e0a\u0e32\u0e27\u0e42\u0e25\u0e01", "你好，世界。",
    "こんにちは世界", "안녕하세요 세계", "e\u0301 is not \xe9", "a\u0300\u0301\u0302",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \U0001f1e9\U0001f1ea \U0001f44d\U0001f3fd",
    "\U0001f600\U0001f603\U0001f604\U0001f601", "∀x∈ℝ: x² ≥ 0", "“quoted” ‘single’ – — …",
    "a\xa0b\u2009c\u3000d", "zero\u200bwidth\u200djoin", "\ufeffbom", "soft\xadhyphen", "ﬁ ﬂ ligatures",
    "ＦＵＬＬ width １２３", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟙𝟚𝟛", "!!!???...,,,;;;", "--- *** ___ ===", "(a) [b] {c} <d>",
    '\'\'\'"""```', "a'b'c''d", "don't DON'T Don'T", "the'S cat'RE", "ababababababababababab",
    "Donaudampfschifffahrtsgesellschaft", "antidisestablishmentarianism pneumonoultramicroscopic",
    "xqzjkvwp bflmxr", "SHOUTING IN CAPITALS", "mIxEd cAsE", " a b c d e f g", "a  b   c    d",
    "\n a\n  b\n   c", "end.\n\n\n\n\n\nStart", "1 22 333 4444 55555", "v1.2.3-rc.4+build5", "C++ C# F# .NET",
    "50% of $100 = €46.50 £39", "½ cup & 3/4 tsp", "a\u2028b\u2029c", "x\x0by\x0cz",
    "user\nWhat is 2+2?\nassistant\n4", "Question: why?\nAnswer: because.\n",
    "Agent 1: (A)\nAgent 2: (B)\nAgent 3: (A)\n", "Step 1: add. Step 2: carry. Step 3: stop.",
    "\u2581 is not a space", "\u2581\u2581two",
] + [character * n for character, n in (
    ("a", 40), (".", 21), ("=", 70), ("-", 33), (" ", 20), ("\n", 12), ("0", 25))]
CONTROLS = {
    "smollm2": [
        "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n", "<|endoftext|>", "a<|im_end|>b",
        " <|im_start|> x", "<|im_start|", "<file_sep><filename>a.go", "<|IM_END|>", "<<|im_end|>>",
    ],
    "gemma3": [
        "<start_of_turn>user\nHello<end_of_turn>\n<start_of_turn>model\n", "<eos>", "a<bos>b", " <unused99> x",
        "<start_of_turn", "<table><tr><td>1</td></tr></table>", "[multimodal]", "<<eos>>", "<0x41>", "<unk>",
    ],
}
PIECES = [
    "a", "the", "The", " of", " and", "ing", "tion", "XYZ", "q", "7", "42", "2026", " ", "  ", "\n", "\n\n",
    "\t", ".", ", ", "!", "?", "'s", "'ll", '"', "(", ")", "[", "]", "{", "}", "/", "\\", "-", "_", "+", "=",
    "*", "#", "@", "%", "é", "ß", "ж", "字", "漢字", "か", "한", "ก", "א", "ع", "\U0001f389",
    "\U0001f44d\U0001f3fd", "\u0301", "\xa0", "\u200b", "²", "½", "\u2122", "–", "“", "”", "…",
]


def texts(name):
    draw = random.Random(8)
    mixed = ["".join(draw.choices(PIECES, k=draw.randint(2, 30))) for _ in range(150)]
    return list(dict.fromkeys(SENTENCES + CONTROLS[name] + mixed))


def field(reader, key):
    return reader.fields["tokenizer.ggml." + key].contents()


def byte_level(reader):
    """SmolLM2: digits alone, words as GPT-2 cuts them, bytes as characters."""
    vocab = {t: i for i, t in enumerate(field(reader, "tokens"))}
    t = Tokenizer(models.BPE(vocab, [tuple(m.split(" ")) for m in field(reader, "merges")]))
    t.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    return t


def sentence_piece(reader):
    """Gemma 3: merges are all pairs of tokens that make a token, in the order of its score."""
    kinds, vocab, score = field(reader, "token_type"), {}, {}
    for i, (t, s) in enumerate(zip(field(reader, "tokens"), field(reader, "scores"))):
        if kinds[i] == USER_DEFINED:
            t, s = t.replace(" ", SPACE), 0.0
        vocab[t], score[t] = i, s
    merges = []
    for token, rank in score.items():
        if kinds[vocab[token]] in (1, USER_DEFINED):
            cuts = [(token[:i], token[i:]) for i in range(1, len(token))]
            cuts = [c for c in cuts if c[0] in vocab and c[1] in vocab]
            merges += [(rank, len(a), len(b), a, b) for a, b in sorted(cuts, key=lambda c: (vocab[c[0]], vocab[c[1]]))]
    merges.sort(key=lambda m: m[:3], reverse=True)
    t = Tokenizer(models.BPE(vocab, [m[3:] for m in merges], unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    t.normalizer = normalizers.Replace(" ", SPACE)
    t.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    return t


def with_added(t, reader, *kinds):
    tokens, types = field(reader, "tokens"), field(reader, "token_type")
    for kind in kinds:
        added = [AddedToken(x if x.strip(" ") else x.replace(" ", SPACE), normalized=False, special=kind == CONTROL)
                 for x, k in zip(tokens, types) if k == kind]
        t.add_special_tokens(added) if kind == CONTROL else t.add_tokens(added)
    return t


def main():
    out, script = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).parents[1] / "real-models.sh"
    found = subprocess.run(["sh", script], check=True, stdout=subprocess.PIPE, text=True)
    directory = pathlib.Path(found.stdout.strip())
    for name, file, make in (("smollm2", "smollm2-135m-instruct.q4_1.gguf", byte_level),
                             ("gemma3", "gemma3-270m.q4_k_m.gguf", sentence_piece)):
        reader = gguf.GGUFReader(directory / file)
        plain = with_added(make(reader), reader, USER_DEFINED)
        control = with_added(make(reader), reader, USER_DEFINED, CONTROL)
        with open(out / (name + ".jsonl"), "w") as to:
            for text in texts(name):
                tokens, parsed = (t.encode(text, add_special_tokens=False).ids for t in (plain, control))
                line = {"text": text, "tokens": tokens} | ({"control": parsed} if parsed != tokens else {})
                to.write(json.dumps(line, ensure_ascii=True) + "\n")


if __name__ == "__main__":
    main()
