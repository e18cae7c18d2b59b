package synth

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models"
)

// TestEveryMiniatureIsWritten by default, also those of architectures that this build's llama.cpp cannot quantize, and
// read back.
func TestEveryMiniatureIsWritten(t *testing.T) {
	if llamacpp.Build().Llama == "none" {
		t.Skip(llamacpp.ErrNoCgo)
	}
	written := 0
	for _, shape := range models.Shapes {
		if !strings.HasPrefix(shape.Name, "mini-") {
			continue
		}
		written++
		t.Run(shape.Name, func(t *testing.T) {
			cmd := New(nil)
			cmd.SetArgs([]string{"--shape", shape.Name, "--threads", "1", "--out",
				filepath.Join(t.TempDir(), shape.Name+".gguf")})
			cmd.SetOut(io.Discard)
			cmd.SetErr(io.Discard)
			if err := cmd.ExecuteContext(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	if written < 19 {
		t.Errorf("%d miniatures, want at least 19", written)
	}
}
