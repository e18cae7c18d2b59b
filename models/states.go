package models

import "strings"

// ofRecurrence begins the names of tensors that recurrent layers alone have: Mamba and gated delta nets, RWKV, and
// short convolutions (LFM2).
var ofRecurrence = []string{"ssm_", "time_mix_", "shortconv."}

// addStates counts the recurrent layers, and the memory of their states.
func (h *header) addStates(info *Info) {
	recurrent, attention := map[string]bool{}, map[string]bool{}
	for _, t := range h.tensors {
		rest, ok := strings.CutPrefix(t.name, "blk.")
		block, tensor, _ := strings.Cut(rest, ".")
		if !ok {
			continue
		}
		for _, start := range ofRecurrence {
			if strings.HasPrefix(tensor, start) {
				recurrent[block] = true
			}
		}
		if tensor == "attn_output.weight" {
			attention[block] = true
		}
	}
	if info.RecurrentLayers = len(recurrent); info.RecurrentLayers == 0 {
		return
	}
	info.AttentionLayers = len(attention)
	info.StateBytes = 4 * int64(info.RecurrentLayers) * h.stateSize(info.Architecture, int64(info.Embedding))
	if head, _ := h.integer(info.Architecture + ".wkv.head_size"); head > 0 {
		info.StateHeads = max(1, info.Embedding/int(min(head, 1<<20)))
	}
}

// stateSize returns how many numbers of 32 bits the state of one recurrent layer has, as llama.cpp lays it out
// (llama_hparams::n_embd_r and n_embd_s): the last inputs of a convolution or of a shift of tokens, and the state.
func (h *header) stateSize(arch string, width int64) int64 {
	number := func(key string) int64 {
		n, _ := h.integer(arch + "." + key)
		return min(max(0, n), 1<<20)
	}
	width = min(max(0, width), 1<<20)
	if head := number("wkv.head_size"); head > 0 {
		shifts := number("token_shift_count")
		if shifts == 0 {
			shifts = 2
		}
		return width * (shifts + head)
	}
	if inputs := number("shortconv.l_cache"); inputs > 0 {
		return width * (inputs - 1)
	}
	inner, state := number("ssm.inner_size"), number("ssm.state_size")
	inputs := max(0, number("ssm.conv_kernel")-1)
	return min(inputs, 1<<10)*(inner+2*min(number("ssm.group_count"), 1<<10)*state) + state*inner // at most 2^42
}
