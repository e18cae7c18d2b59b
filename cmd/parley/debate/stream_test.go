package debate_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal/terminaltest"
)

// TestDebateOnTerminal compares what stands on a terminal after a debate: one reply after the other where it is narrow,
// agents side by side where it is wide. What was shown meanwhile is gone. Without a terminal the output is as ever.
func TestDebateOnTerminal(t *testing.T) {
	debate := []string{"debate", "--puzzle", "--seed", "4", "--temperature", "0", "--max-tokens", "120"}
	for columns, meanwhile := range map[int]string{80: "round 0, 0 tokens: agent 0 0 tokens …, agent 1",
		140: "agent 0: 0 tokens …"} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			raw, screen, code := parleytest.OnTerminal(t, columns, "", "", debate...)
			if code != 0 || !strings.Contains(raw, meanwhile) || !strings.Contains(raw, ansi.EraseScreenBelow) {
				t.Errorf("%d columns: exit %d: %q, want 0, %q in it and %q in it",
					columns, code, raw, meanwhile, ansi.EraseScreenBelow)
			}
			terminaltest.Golden(t, filepath.Join("testdata", fmt.Sprintf("terminal%d.golden", columns)),
				terminaltest.Standing(screen))
		})
	}
	raw, _, _ := parleytest.OnTerminal(t, 140, "", "", append(debate, "--json")...)
	if strings.Contains(raw, "\x1b") || !strings.Contains(raw, `{"agent":0,"round":0,`) {
		t.Errorf("--json on a terminal prints %q, want JSON without control sequences", raw)
	}
	t.Setenv("NO_COLOR", "1")
	if raw, _, _ := parleytest.OnTerminal(t, 80, "", "", debate...); strings.Contains(raw, "\x1b[1;") ||
		!strings.Contains(raw, ansi.EraseScreenBelow) {
		t.Errorf("with NO_COLOR there is drawn %q, want no colours but the screen erased below", raw)
	}
	code, stdout, _ := parleytest.Ran(debate...)
	if code != 0 || strings.Contains(stdout, "\x1b") || !strings.Contains(stdout, "agent 0 says (B):\n    Step 1") {
		t.Errorf("off a terminal the debate ended with status %d, want 0 and plain text: %q", code, stdout)
	}
}

// TestInterruptOnTerminal: the key for it ends a debate that is being shown, and a shell can go on at the beginning of
// a line, with its cursor.
func TestInterruptOnTerminal(t *testing.T) {
	raw, screen, code := parleytest.OnTerminal(t, 140, "agent 0: 0 tokens …", "\x03", "debate", "--puzzle",
		"--rounds", "6")
	if code != exit.CodeInterrupted || !strings.Contains(raw, "interrupted; finishing the current step") {
		t.Errorf("exit %d: %q, want %v and \"interrupted; finishing the current step\" in it",
			code, raw, exit.CodeInterrupted)
	}
	text := terminaltest.Standing(screen)
	if cursor := screen.Cursor(); !screen.CursorVisible() || cursor.X != 0 || cursor.Y < strings.Count(text, "\n") ||
		strings.Contains(raw, "\x1b[?25l") {
		t.Errorf("after an interrupt the cursor is %+v, want it shown at the beginning of the line below\n%s", cursor,
			text)
	}
}
