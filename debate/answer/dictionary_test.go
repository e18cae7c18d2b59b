package answer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDictionary: a dictionary of JSON or Python is read from a reply; with damage, what can be read.
func TestDictionary(t *testing.T) {
	for name, test := range map[string]struct {
		reply string
		want  map[string]string
	}{
		"JSON": {`{"a": "x", "b": "say \"no\"\n"}`, map[string]string{"a": "x", "b": "say \"no\"\n"}},
		"Python": {`{'Supported Side': '', 'Reason': 'ok'}`,
			map[string]string{"Supported Side": "", "Reason": "ok"}},
		"mixed quotes": {`{'Reason': "the side's point", 'a': 'b'}`,
			map[string]string{"Reason": "the side's point", "a": "b"}},
		"an apostrophe": {`{'Reason': 'the side's point', 'a': 'it's so'}`,
			map[string]string{"Reason": "the side's point", "a": "it's so"}},
		"words around": {"Sure! {\n 'a': 'b',\n}\nThat is all {x}.", map[string]string{"a": "b"}},
		"words and none": {`{"a": true, "b": None, "c": null, "d": -1.5}`,
			map[string]string{"a": "true", "b": "", "c": "", "d": "-1.5"}},
		"empty":              {`{}`, map[string]string{}},
		"none":               {`no dictionary`, nil},
		"cut":                {`{'a': 'b`, nil},
		"a list":             {`{'a': ['b']}`, nil},
		"nothing for a name": {`{'a'}`, nil},
		"many":               {"{" + strings.Repeat("'a': 'b', ", 3) + "}", map[string]string{"a": "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := Dictionary(test.reply)
			if diff := cmp.Diff(test.want, got); diff != "" || ok != (test.want != nil) {
				t.Errorf("%s is a dictionary: %v, want %v; its entries (-want +got):\n%s", name, ok, test.want != nil,
					diff)
			}
		})
	}
}

func FuzzDictionary(f *testing.F) {
	f.Add(`{'a': "b", 'c': 1}`)
	f.Fuzz(func(t *testing.T, reply string) { Dictionary(reply) })
}
