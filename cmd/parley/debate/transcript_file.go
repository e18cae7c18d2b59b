package debate

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/internal/outfile"
)

// transcriptFile is a debate as JSON. It replaces an earlier one, which it knows by its first fields, and no other
// file.
func transcriptFile(path string) outfile.File {
	return outfile.File{Kind: outfile.Kind{Name: "debate that parley has written",
		Ours: outfile.Opening(`\{\s*"protocol": "[^"\n]*",\s*"(roles|personas|case)": `)}, Path: path}
}

// writableDebate refuses a path at which no debate can be written; "" is no path.
func writableDebate(path string) error {
	if path == "" {
		return nil
	}
	return cmp.Or(outfile.Check(transcriptFile(path)), outfile.Writable(path))
}

// writeTranscript writes a debate, also one that failed: its record then has the error.
func writeTranscript(path string, t debate.Transcript) error {
	text, err := json.MarshalIndent(t, "", " ")
	if err != nil {
		return err
	}
	if err := transcriptFile(path).Write(append(text, '\n')); err != nil {
		return fmt.Errorf("transcript: %w", err)
	}
	return nil
}
