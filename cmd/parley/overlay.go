package main

import (
	"io"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// overlay is what stands on a terminal below all that was printed, and is drawn anew as it changes. The consoles that
// write to the terminal know of it (console.above) and erase it before they print.
//
// The cursor stays visible, and is at the beginning of the line below the last one between any two writes. So a program
// that is killed at any time leaves a terminal on which a shell can go on.
type overlay struct {
	mu    sync.Mutex // guards what follows; taken after that of a console
	to    io.Writer
	lines int // that stand there
}

// draw replaces the lines. They must be rendered and narrower than the terminal.
func (l *overlay) draw(lines []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.back()
	for _, line := range lines {
		text += line + "\n"
	}
	l.lines = len(lines)
	l.write(text)
}

// erase removes the lines. The caller holds the lock.
func (l *overlay) erase() {
	text := l.back()
	l.lines = 0
	l.write(text)
}

// back is what moves the cursor to the first line and erases all of them.
func (l *overlay) back() string {
	if l.lines == 0 {
		return ""
	}
	return "\r" + ansi.CursorUp(l.lines) + ansi.EraseScreenBelow
}

// write ignores errors: that the terminal is gone shows with the next line that a console prints.
func (l *overlay) write(text string) {
	if text != "" {
		_, _ = io.Copy(l.to, strings.NewReader(text))
	}
}
