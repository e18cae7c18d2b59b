package parleytest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/parley-debate/parley/cmd/parley/internal/cli"
)

// exitAdvice is the exit code of a program under test that gave wrong advice. No command has it.
const exitAdvice = 99

// advised is main for all scripts and tests that start the program: it fails where what the program says to people
// names a flag that they cannot give.
func advised() {
	if term.IsTerminal(int(os.Stderr.Fd())) || term.IsTerminal(int(os.Stdout.Fd())) {
		cli.Main()
	}
	var said bytes.Buffer
	stdout := io.Writer(os.Stdout)
	if len(os.Args) > 1 && slices.Contains([]string{"compare", "demo", "merge", "run"}, os.Args[1]) {
		stdout = io.MultiWriter(os.Stdout, &said) // a table with what may be done
	}
	code := cli.Run(os.Args[1:], os.Stdin, stdout, io.MultiWriter(os.Stderr, &said))
	if wrong := wrongAdvice(cli.New(), os.Args[1:], said.String()); wrong != nil {
		fmt.Fprintf(os.Stderr, "advice for parley %q names flags that there are not: %v\n%s", os.Args[1:], wrong,
			said.String())
		code = exitAdvice
	}
	os.Exit(code)
}

// flagInText finds flags, and the ends of sentences and parentheses, up to which a command that was named has them.
var flagInText = regexp.MustCompile(`(?:^|[^-\w])(--[a-z][a-z-]*[a-z])|(?:parley|\bsbatch|\bsh|\bkubectl)[ \n]([-\w/.]+(?: [a-z]+)?)|[;)\n]|\. `)

// wrongAdvice lists the flags that a text names and that neither the command has, nor the one that is named before
// them, as in "parley score --task". What the user has typed is no advice.
func wrongAdvice(root *cobra.Command, args []string, text string) (wrong []string) {
	own, _, err := root.Find(args)
	if err != nil {
		own = root
	}
	typed := strings.Join(args, " ")
	at := own
	for _, m := range flagInText.FindAllStringSubmatch(text, -1) {
		switch flag, named := m[1], m[2]; {
		case named != "":
			if other, _, err := root.Find(strings.Fields(strings.TrimRight(named, "."))); err == nil && other != root {
				at = other
			} else if !strings.HasPrefix(m[0], "parley") {
				at = nil
			}
		case flag == "":
			at = own
		case at != nil:
			name := strings.TrimPrefix(flag, "--")
			if at.Flag(name) == nil && name != "help" && !strings.Contains(typed, flag) {
				wrong = append(wrong, at.CommandPath()+" "+flag)
			}
		}
	}
	return wrong
}
