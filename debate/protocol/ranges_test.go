package protocol

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// anyNumber is what may be written for a number.
func anyNumber() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"0", "-1", "1", "2", "1000", "1001", "-0.5", "0.5", ".nan", "NaN", ".inf", "-.inf",
			"1e400", "99999999999999999999", "x", "true", "[1]", "0x10"}),
		rapid.Map(rapid.Int(), strconv.Itoa), rapid.Map(rapid.Float64(),
			func(f float64) string { return fmt.Sprint(f) }),
	)
}

// valueOf is a setting, zero if it is not given.
func valueOf(s debate.Settings, field reflect.StructField) reflect.Value {
	if value := debate.Value[any](s, debate.SettingName(field)); value != nil {
		return reflect.ValueOf(value)
	}
	return reflect.Zero(field.Type)
}

// TestRanges: every number among the settings has a range, and whatever is written for it is refused, by its name and
// that range, or taken as it is: by a flag and in a file.
func TestRanges(t *testing.T) {
	for _, field := range debate.SettingFields() {
		kind := field.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		in, number := debate.RangeOf(debate.SettingName(field))
		if want := kind.Kind() == reflect.Int || kind.Kind() == reflect.Float64; number != want {
			t.Errorf("%s: has a range: %t, want %v", debate.SettingName(field), number, want)
		}
		if !number {
			continue
		}
		t.Run(debate.SettingName(field), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				text := anyNumber().Draw(t, "value")
				var s debate.Settings
				err := s.Set(debate.SettingName(field), text)
				_, parsed := ParseProtocol([]byte("form: society\n" + debate.SettingName(field) + ": " + text + "\n"))
				for _, err := range []error{err, parsed} {
					if err != nil && !strings.Contains(err.Error(), debate.SettingName(field)) {
						t.Errorf("%s is refused with %[3]v, want %[2]s named", text, debate.SettingName(field), err)
					}
				}
				got := reflect.Indirect(valueOf(s, field))
				switch {
				case err == nil && !(got.CanFloat() && in.Has(got.Float()) ||
					got.CanInt() && in.Has(float64(got.Int()))):
					t.Errorf("%s is taken as %v, want it refused, as not %s", text, got, in)
				case err == nil && strings.Contains(text, ".") && got.CanInt():
					t.Errorf("%s is taken as %v, want a fraction of a whole number refused", text, got)
				case err != nil && !strings.Contains(err.Error(), in.String()):
					t.Errorf("%s is refused with %[3]v, want the range %[2]s in it", text, in, err)
				case err != nil && parsed == nil:
					t.Errorf("%s: refused as a flag (%v), and taken from a file", text, err)
				}
			})
		})
	}
}

// TestNobodyDrawsSo: a team and a caller of the library are held to the same ranges of sampling as flags.
func TestNobodyDrawsSo(t *testing.T) {
	for text, want := range map[string]string{
		"{temperature: .nan}": "[2:7] team, member 0: temperature NaN: must be 0, or from 0.001 to 100",
		"{temperature: .inf}": "temperature +Inf", "{temperature: -1}": "temperature -1",
		"{top-p: 2}": "top-p 2: must be from 0 to 1", "{top-p: -1}": "top-p -1",
		"{min-p: .nan}": "min-p NaN: must be from 0 to 1", "{top-k: -5}": "top-k -5: must be from 0 to 1000000",
		"{memory: -1}": "memory -1",
	} {
		t.Run(text, func(t *testing.T) {
			if _, err := ParseProtocol([]byte("form: society\nteam: [" + text + "]\n")); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", text, err, want)
			}
		})
	}
	for i, ask := range []debate.Asking{{Sampling: inference.Sampling{TopP: 2}},
		{Sampling: inference.Sampling{RepeatPenalty: -1}}, {MaxTokens: -1}} {
		t.Run([]string{"top-p", "repeat penalty", "max tokens"}[i], func(t *testing.T) {
			if _, err := Compose((debate.Settings{Form: "society"}), ask); err == nil ||
				!strings.Contains(err.Error(), "must be") {
				t.Errorf(`%+v: %v, want an error with "must be"`, ask, err)
			}
		})
	}
}
