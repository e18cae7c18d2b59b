package terminal

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// TestColumns: $COLUMNS is how wide the texts of a console are, also in a pipe; what says no width changes nothing, and
// other writers, such as files, get texts as they are.
func TestColumns(t *testing.T) {
	long := strings.Repeat("word ", 40) + "end"
	for columns, widest := range map[string]int{
		"": len(long), "0": len(long), "-5": len(long), "x": len(long), "80": 80, "40": 40, "3": 4, "500": len(long)} {
		t.Setenv("COLUMNS", columns)
		var piped, file bytes.Buffer
		console := NewConsole(&piped, nil)
		for _, out := range []io.Writer{console, &file} {
			if err := Printf(out, "%s\n", long); err != nil {
				t.Fatal(err)
			}
		}
		if err := console.Flush(); err != nil {
			t.Fatal(err)
		}
		got := 0
		for line := range strings.Lines(piped.String()) {
			got = max(got, len(strings.TrimSuffix(line, "\n")))
		}
		if got > widest || got < widest-5 || strings.Join(strings.Fields(piped.String()), " ") != long {
			t.Errorf("COLUMNS=%s: a line of %d, want %d", columns, got, widest)
		}
		if file.String() != long+"\n" {
			t.Errorf("COLUMNS=%s: a file got %q, want the whole line", columns, file.String())
		}
	}
}
