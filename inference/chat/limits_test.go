package chat

import (
	"strings"
	"testing"
)

// TestHugeWidths: a width or an indentation so large that the product with the number of lines overflows is refused
// before it is allocated. A failed allocation would end the process.
func TestHugeWidths(t *testing.T) {
	for source, accepted := range map[string]bool{
		"{{ messages | tojson(indent=17592186044416) }}":             false,
		"{{ ('a\n' * 1048575) | indent(17592186044416) }}":           false,
		"{{ 'a\nb\nc\nd' | indent(4611686018427387904) }}":           false,
		"{{ 'abc' | indent(40000000000) }}":                          false,
		"{% set x = (['A' * 1000000] * 20000) | sort %}":             false,
		"{{ ([] * 4611686018427387904) | length }}":                  true,
		"{{ 'a\nb' | indent(-9223372036854775807) }}":                true,
		"{{ messages | tojson(indent=2) }}{{ 'a\nb' | indent(40) }}": true,
	} {
		t.Run(source, func(t *testing.T) {
			template, err := NewTemplate(source, "", "", nil)
			if err != nil {
				t.Fatalf("the template %s is refused: %v, want no error", source, err)
			}
			if _, err := template.Render(t.Context(), chat); (err == nil) != accepted {
				t.Errorf("%s: accepted %v, want %v: %v", source, err == nil, accepted, err)
			}
		})
	}
}

// TestForgedMarks: a template may itself write a mark of the guard, with a number that stands for nothing.
func TestForgedMarks(t *testing.T) {
	for _, number := range []string{"-1", "0", "7", "99999999999999999999", "x", ""} {
		t.Run(number, func(t *testing.T) {
			source := "a\uE000" + number + "\uE000b{{ messages[0].content }}"
			template, err := NewTemplate(source, "", "", []string{"<|im_end|>"})
			if err != nil {
				t.Fatal(err)
			}
			segments, err := template.Render(t.Context(), []Message{{Role: "user", Content: "c"}})
			if err != nil {
				t.Fatal(err)
			}
			text := ""
			for _, s := range segments {
				text += s.Text
			}
			if !strings.HasPrefix(text, "a") || !strings.HasSuffix(text, "bc") {
				t.Errorf("mark %q: %q, want %q at its beginning and %q at its end", number, text, "a", "bc")
			}
		})
	}
}
