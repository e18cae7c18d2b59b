package limits

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/internal/datatest"
)

// TestDocumented: docs/serve.md has a row for each bound, with its value and its answer.
func TestDocumented(t *testing.T) {
	text := datatest.Read(t, "../../../docs/serve.md")
	head := "| limit | value | beyond it |\n| --- | --- | --- |\n"
	_, table, ok := strings.Cut(string(text), head)
	if table, _, _ = strings.Cut(table, "\n\n"); !ok {
		t.Fatalf("docs/serve.md has no table that begins with %q", head)
	}
	_, rows, _ := strings.Cut(table+"\n", "`context_length_exceeded` |\n") // the first row depends on the model
	if diff := gocmp.Diff(markdown(), rows); diff != "" {
		t.Errorf("docs/serve.md does not list the bounds as they are (-code +document):\n%s", diff)
	}
}

// TestCheck: as many as may be are accepted, and one more is refused with the numbers.
func TestCheck(t *testing.T) {
	beyond := new(Beyond)
	for _, l := range all {
		if err := l.Check(int(l.Most), ""); err != nil {
			t.Errorf("%s: %v, want %d to be accepted", l.What, err, l.Most)
		}
		if err := l.Check(int(l.Most)+1, ""); !errors.As(err, &beyond) || beyond.Limit != l {
			t.Errorf("%s: %v, want one more to be refused", l.What, err)
		}
	}
	want := "x: choices of a request: prompts times `n`: there are 8, and at most 7 are allowed " +
		"(parley serve --max-choices)"
	if err := Choices.CheckOf(8, 7, "x"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// markdown returns the rows of the table in docs/serve.md.
func markdown() string {
	var b strings.Builder
	for _, l := range all {
		value, answer := cmp.Or(l.Value, valueOf(l)), l.Note
		if l.Flag != "" {
			value = "`" + l.Flag + "`, " + value
		}
		if l.Status != 0 {
			answer = fmt.Sprint(l.Status)
			if l.Code != "" {
				answer += ", code `" + l.Code + "`"
			}
			answer = strings.TrimSpace(answer + " " + l.Note)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", l.What, value, answer)
	}
	return b.String()
}

// valueOf writes the number with its unit: bytes in the largest one that leaves no fraction.
func valueOf(l *Limit) string {
	n := l.Most
	switch l.Unit {
	case Seconds:
		return group(n) + " s"
	case Bytes:
		units := []string{"bytes", "KiB", "MiB", "GiB"}
		at := 0
		for ; at < len(units)-1 && n%1024 == 0; at++ {
			n /= 1024
		}
		return group(n) + " " + units[at]
	}
	return group(n)
}

// group writes a number with commas between its thousands.
func group(n int64) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
