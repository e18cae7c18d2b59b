package models

import (
	"fmt"
	"testing"

	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models/modeltest"
)

// TestStateSize, worked by hand from the settings of published models: Qwen3-Next 80B-A3B (config.json: 32 value heads
// and 16 key heads of 128, a convolution over 4 tokens), and made-up ones of LFM2's and RWKV's kinds.
func TestStateSize(t *testing.T) {
	for _, c := range []struct {
		arch   string
		width  int64
		values map[string]any
		want   int64
	}{
		{"qwen3next", 2048, map[string]any{"ssm.conv_kernel": uint64(4), "ssm.inner_size": uint64(4096),
			"ssm.state_size": uint64(128), "ssm.group_count": uint64(16)}, 3*8192 + 524_288},
		{"lfm2", 1024, map[string]any{"shortconv.l_cache": uint64(3)}, 2048},
		{"rwkv7", 768, map[string]any{"wkv.head_size": uint64(64)}, 768 * 66},
		{"rwkv6qwen2", 768, map[string]any{"wkv.head_size": uint64(64), "token_shift_count": uint64(1)}, 768 * 65},
	} {
		t.Run(c.arch, func(t *testing.T) {
			h := &header{values: make(map[string]any)}
			for key, value := range c.values {
				h.values[c.arch+"."+key] = value
			}
			if got := h.stateSize(c.arch, c.width); got != c.want {
				t.Errorf("%s: %d numbers, want %d", c.arch, got, c.want)
			}
		})
	}
}

// TestHostileStateSize: settings of hostile files are cut, so that sums over layers do not overflow.
func TestHostileStateSize(t *testing.T) {
	for _, settings := range [][]string{{"ssm.conv_kernel", "ssm.inner_size", "ssm.state_size", "ssm.group_count"},
		{"wkv.head_size", "token_shift_count"}, {"shortconv.l_cache"}} {
		t.Run(fmt.Sprint(settings), func(t *testing.T) {
			h := &header{values: make(map[string]any)}
			for _, key := range settings {
				h.values["x."+key] = uint64(1 << 62)
			}
			if got := h.stateSize("x", 1<<62); got <= 0 || got > 1<<43 {
				t.Errorf("%s: a hostile state has a size from 1 to 1<<43: got %d", settings, got)
			}
		})
	}
}

// TestRecurrentLayers are told from those with attention by their tensors; heads are the most that a layer has.
func TestRecurrentLayers(t *testing.T) {
	for _, c := range []struct {
		architecture         string
		recurrent, attention int
		perToken             int64 // layers with attention x (keys + values) x 16 x 2 bytes
	}{{"mamba", 2, 0, 0}, {"jamba", 1, 1, 64}, {"qwen2", 0, 0, 128}} {
		t.Run(c.architecture, func(t *testing.T) {
			path := datatest.File(t, "small.gguf", modeltest.Small(c.architecture, "llama").Bytes())
			info, err := Inspect(path)
			if err != nil || info.RecurrentLayers != c.recurrent || info.AttentionLayers != c.attention ||
				info.KVBytesPerToken(2) != c.perToken || (info.StateBytes > 0) != (c.recurrent > 0) {
				t.Errorf("%s has %d recurrent layers, %d with attention, and %d bytes a token: got %+v, %d "+
					"bytes, %v",
					c.architecture, c.recurrent, c.attention, c.perToken, info, info.KVBytesPerToken(2), err)
			}
		})
	}
}
