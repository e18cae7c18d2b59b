package debate

import (
	"fmt"
	"strings"
	"testing"
)

// TestDescribe: a form is refused if a setting has no meaning, a number no range, or a text one.
func TestDescribe(t *testing.T) {
	type loudness struct {
		Volume int `yaml:"volume-of-a-test"`
	}
	type style struct {
		Style string `yaml:"style-of-a-test"`
	}
	for name, typed := range map[string]Described{
		"nothing is said": Describe(func(*loudness) []Field { return nil }),
		"a copy is described": Describe(func(l *loudness) []Field {
			another := *l
			return []Field{Number(&another.Volume, 1, 11, "how loud")}
		}),
		"a number without a range": Describe(func(l *loudness) []Field { return []Field{Says(&l.Volume, "how loud")} }),
		"a text with a range":      Describe(func(s *style) []Field { return []Field{Number(&s.Style, 1, 2, "how")} }),
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, "a setting needs a meaning") {
					t.Errorf("the form is refused for want of a meaning or range: got %s", said)
				}
				if _, known := FormNamed("described"); known {
					t.Error("the form is registered, want it refused")
				}
			}()
			Register(Form{Name: "described", Typed: typed,
				Compose: func(Settings, Asking) (Debate, error) { return nil, nil }})
		})
	}
}
