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
	is := func(columns int) string {
		var out bytes.Buffer
		newBar(&out).draw(b.progress(b.start.Add(2*time.Second)), columns)
		lines := strings.Split(strings.TrimSuffix(out.String(), "\x1b[0K"), "\r")
		return strings.TrimRight(strings.TrimPrefix(lines[len(lines)-1], "\x1b[K"), " ")
	}
	for columns, want := range map[int]string{
		45:  `  25% [##........]  m\u001b[2J: 1.0 MiB o~`,
		65:  `  25% [##........]  m\u001b[2J: 1.0 MiB of 4.0 MiB, 512 KiB/s`,
		100: `  25% [##........]  m\u001b[2J: 1.0 MiB of 4.0 MiB, 512 KiB/s, about 6s left`,
	} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			if got := is(columns); got != want || len(got) >= columns {
				t.Errorf("%d columns: %q, want %q", columns, got, want)
			}
		})
	}
	b.done = b.total
	if got, want := is(65), `  99% [#########.]  m\u001b[2J: 4.0 MiB of 4.0 MiB, 2.0 MiB/s`; got != want {
		t.Errorf("at the end: %q, want %q", got, want)
	}
	b.done, b.total = 1<<20, -1
	if got, want := is(60), `m\u001b[2J: 1.0 MiB, 512 KiB/s`; got != want {
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
		t.Errorf("wrote %q in the first second, want nothing", out.String())
	}
	tty, end := terminaltest.Open(t, 60)
	show = ShowBytes(NewConsole(tty, nil), "file")
	show(1, 2)
	show(-1, -1)
	if got := end(); !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("drawn was %q, want its end removed", got)
	}
}

// TestShowSteps: elsewhere than on a terminal there is a line for each step; on one, a bar with the share of steps that
// are done, which is removed.
func TestShowSteps(t *testing.T) {
	var out bytes.Buffer
	begin, end := ShowSteps(&out, 2)
	begin("one")
	begin("two")
	end()
	if got, want := out.String(), "one\ntwo\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	tty, ended := terminaltest.Open(t, 60)
	begin, end = ShowSteps(NewConsole(tty, nil), 2)
	begin("one")
	begin("two")
	time.Sleep(1500 * time.Millisecond)
	end()
	if got := ended(); !strings.Contains(got, "  50% [#####.....]  two") || !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("drawn was %q, want \"  50%% [#####.....]  two\" in it and %q at its end", got, "\r\x1b[K")
	}
}
