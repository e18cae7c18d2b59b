"""Writes a GGUF file of the architecture qwen2, such as the embedded model, as a directory that vLLM and SGLang load.

    python3 weights.py models/tiny/tiny.gguf DIRECTORY

It needs the packages gguf, safetensors, tokenizers and numpy. Numbers stay those of the file (F16 and F32); the
tokenizer is made of the file's vocabulary and merges, with the pre-tokenizer of Qwen2.
"""
import json
import os
import sys

import numpy as np
from gguf import GGUFReader
from safetensors.numpy import save_file
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

# of the names in a layer of the file, those of transformers
LAYER = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm", "attn_q": "self_attn.q_proj",
         "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
         "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}
OTHERS = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
SPLIT = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
         r"\s+(?!\S)|\s+")
CONTROL = 3  # of the types of tokens in a GGUF file


def name_of(tensor):
    parts = tensor.split(".")
    if parts[0] == "blk":
        return f"model.layers.{parts[1]}.{LAYER[parts[2]]}.{parts[3]}"
    return f"{OTHERS[parts[0]]}.{parts[1]}"


def main(path, out):
    file = GGUFReader(path)
    get = lambda key: file.fields[key].contents()
    of = lambda key: get("qwen2." + key)
    tensors = {name_of(t.name): np.array(t.data) for t in file.tensors}
    tokens, kinds = get("tokenizer.ggml.tokens"), get("tokenizer.ggml.token_type")
    merges = [tuple(m.split(" ")) for m in get("tokenizer.ggml.merges")]
    eos = get("tokenizer.ggml.eos_token_id")
    bos = get("tokenizer.ggml.bos_token_id") if "tokenizer.ggml.bos_token_id" in file.fields else None
    os.makedirs(out, exist_ok=True)
    save_file(tensors, os.path.join(out, "model.safetensors"), {"format": "pt"})

    heads, width = of("attention.head_count"), of("embedding_length")
    write(out, "config.json", {
        "architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_act": "silu", "hidden_size": width,
        "intermediate_size": of("feed_forward_length"), "num_hidden_layers": of("block_count"),
        "num_attention_heads": heads, "num_key_value_heads": of("attention.head_count_kv"),
        "max_position_embeddings": of("context_length"), "rms_norm_eps": of("attention.layer_norm_rms_epsilon"),
        "rope_theta": of("rope.freq_base"), "tie_word_embeddings": "lm_head.weight" not in tensors,
        "vocab_size": len(tokens), "eos_token_id": eos, "bos_token_id": bos, "torch_dtype": "float16",
        "use_sliding_window": False})
    write(out, "generation_config.json", {"eos_token_id": eos})

    t = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges))
    t.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(SPLIT), "isolated"), pre_tokenizers.ByteLevel(False, use_regex=False)])
    t.decoder = decoders.ByteLevel()
    t.add_special_tokens([AddedToken(token, special=True, normalized=False)
                          for token, kind in zip(tokens, kinds) if kind == CONTROL])
    t.save(os.path.join(out, "tokenizer.json"))
    write(out, "tokenizer_config.json", {
        "tokenizer_class": "PreTrainedTokenizerFast", "eos_token": tokens[eos], "pad_token": tokens[eos],
        "chat_template": get("tokenizer.chat_template"), "clean_up_tokenization_spaces": False})


def write(out, name, content):
    with open(os.path.join(out, name), "w") as f:
        json.dump(content, f, indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
