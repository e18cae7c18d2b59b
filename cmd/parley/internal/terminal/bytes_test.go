package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/cmd/parley/internal/terminal/terminaltest"
)

// TestBytesLine: the line says how much is done, of how much, how fast, and for how long, as far as there is room; a
// name with what terminals obey is escaped.
func TestBytesLine(t *testing.T) {
	b := &bytesShown{name: "m\x1b[2J", total: 4 << 20, done: 1 << 20}
	for columns, want := range map[int]string{
		40:  `m\u001b[2J: [##........] 1.0 MiB of 4.0~`,
		60:  `m\u001b[2J: [##........] 1.0 MiB of 4.0 MiB, 512 KiB/s`,
		100: `m\u001b[2J: [##........] 1.0 MiB of 4.0 MiB, 512 KiB/s, about 6s left`,
	} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			if got := b.line(b.start.Add(2*time.Second), columns); got != want {
				t.Errorf("%d columns: %q, want %q", columns, got, want)
			}
		})
	}
	b.total = -1
	if got, want := b.line(b.start.Add(2*time.Second), 60), `m\u001b[2J: 1.0 MiB, 512 KiB/s`; got != want {
		t.Errorf("without a total: %q, want %q", got, want)
	}
}

// TestShowBytes writes nothing within a minute where no terminal is; on one it draws a line, and removes it.
func TestShowBytes(t *testing.T) {
	var out bytes.Buffer
	show := ShowBytes(&out, "file")
	show(1, 2)
	show(-1, -1)
	if out.Len() > 0 {
		t.Errorf("wrote %q in the first second", out.String())
	}
	tty, end := terminaltest.Open(t, 60)
	show = ShowBytes(NewConsole(tty, nil), "file")
	show(1, 2)
	show(-1, -1)
	if got := end(); !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("drawn was %q, want its end removed", got)
	}
}
