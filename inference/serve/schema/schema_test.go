package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/parley-debate/parley/debate/grammar"
	"github.com/parley-debate/parley/inference/llamacpp"
)

// schemas compile to grammars with these shortest and longest sentences, as far as the walker of package grammar goes.
var schemas = []struct{ schema, root string }{
	{`{"type":"object","properties":{"answer":{"type":"string","enum":["(A)","(B)"]},"sure":{"type":"boolean"}},
		"required":["answer","sure"],"additionalProperties":false}`,
		`"{" "\"answer\": " ("\"(A)\"" | "\"(B)\"") ", " "\"sure\": " ("true" | "false") "}"`},
	{`{"type":"object","properties":{"a":{"const":1},"b":{"const":null},"c":{"const":[1,"x"]}},"required":["b"]}`,
		`"{" ("\"a\": " "1" ", ")? "\"b\": " "null" (", " "\"c\": " "[1, \"x\"]")? "}"`},
	{`{"properties":{"a":{"const":1},"b":{"const":2}}}`,
		`"{" ("\"a\": " "1" (", " "\"b\": " "2")? | "\"b\": " "2")? "}"`},
	{`{"type":["integer","null"],"minimum":1,"maximum":3}`, `(([1-3]) | "null")`},
	{`{"type":"array","items":{"type":"string","minLength":1,"maxLength":3},"minItems":2,"maxItems":2}`,
		`"[" "\"" char{1,3} "\"" (", " "\"" char{1,3} "\""){1,1} "]"`},
	{`{"type":"array","items":{"const":0},"maxItems":0}`, `"[]"`},
	{`{"anyOf":[{"type":"null"},{"type":"number"}]}`, `("null" | number)`},
	{`{"type":"object","additionalProperties":{"type":"boolean"}}`,
		`"{" (string ": " ("true" | "false") (", " string ": " ("true" | "false"))*)? "}"`},
	{`{"$ref":"#/$defs/tree","$defs":{"tree":{"type":"object","properties":{"left":{"$ref":"#/$defs/tree"}}}}}`,
		`ref-1`},
	{`{}`, `value`}, {`{"type":"object"}`, `object`},
}

func TestCompile(t *testing.T) {
	for _, c := range schemas {
		text, err := Compile(t.Context(), []byte(c.schema))
		if err != nil {
			t.Errorf("%s is refused: %v, want no error", c.schema, err)
			continue
		}
		if !strings.Contains(text, "root ::= "+c.root+"\n") {
			t.Errorf("%s:\n%s, want a text with %v", c.schema, text, "root ::= "+c.root+"\n")
		}
		if err := llamacpp.CheckGrammar(text); err != nil {
			t.Errorf("llama.cpp refuses the grammar of %s: %v, want no error:\n%s", c.schema, err, text)
		}
	}
	if err := llamacpp.CheckGrammar(AnyObject); err != nil {
		t.Error(err)
	}
}

// TestSentences: the shortest and a long sentence of finite grammars are what an independent validator accepts.
func TestSentences(t *testing.T) {
	seen := 0
	for _, c := range schemas {
		text, err := Compile(t.Context(), []byte(c.schema))
		if err != nil || strings.ContainsAny(text, "*") || strings.Contains(text, "ref-") {
			continue
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(c.schema))
		if err != nil {
			t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource("schema.json", value); err != nil {
			t.Fatal(err)
		}
		accepts := compiler.MustCompile("schema.json")
		for _, most := range []bool{false, true} {
			sentence, err := grammar.Sentence(text, "x", most)
			if err != nil {
				continue // a notation that the walker does not know
			}
			reply, err := jsonschema.UnmarshalJSON(strings.NewReader(sentence))
			if err == nil {
				err = accepts.Validate(reply)
			}
			if seen++; err != nil {
				t.Errorf("%s allows the sentence %q, which the schema refuses: %v, want no error", c.schema, sentence,
					err)
			}
		}
	}
	if seen < 4 {
		t.Errorf("%d sentences were seen, want at least 4", seen)
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		`[]`: "must be an object", `{"type":"strin"}`: "did you mean string",
		`{"type":"string","pattern":"(?=a)"}`:                            `#/pattern: "(?=a": lookarounds`,
		`{"type":"string","pattern":"a","maxLength":2}`:                  `beside pattern`,
		`{"type":"number","pattern":"a"}`:                                `keyword "pattern"`,
		`{"properties":{"n":{"type":"number","multipleOf":3}}}`:          `properties/n: the keyword "multipleOf"`,
		`{"type":"number","exclusiveMinimum":3,"maximum":3}`:             "no number",
		`{"type":"number","minimum":0.1234567890123456}`:                 "up to 15 digits",
		`{"type":"number","minimum":"1"}`:                                "up to 15 digits",
		`{"type":"integer","minimum":3,"maximum":2}`:                     "minimum 3 is above maximum 2",
		`{"type":"object","properties":{"a":{}},"required":["b"]}`:       `"b" is not among the properties`,
		`{"$ref":"#/$defs/x"}`:                                           `no "#/$defs/x"`,
		`{"anyOf":[{"type":"null"}],"type":"null"}`:                      `"type" beside "anyOf"`,
		`{"type":"array","minItems":9999}`:                               "from 0 to 2000",
		`{"enum":[]}`:                                                    "at least one value",
		`{"enum":["a",1],"type":"string"}`:                               "1 is not of type string",
		`{"properties":{"a":{}},"additionalProperties":{"type":"null"}}`: "a schema beside properties",
		`{"type":"object","type":"object"}`:                              `"type" occurs twice`,
		strings.Repeat(`{"items":`, 70) + `{}` + strings.Repeat(`}`, 70): "levels of a JSON schema",
		`{"type":"string","minLength":2,"maxLength":1}`:                  "minLength 2 is above maxLength 1",
		`{"oneOf":[{"type":"null"}]}`:                                    `keyword "oneOf"`,
		`{"type":"boolean","nullable":true}`:                             `"nullable" is not supported here: write "type"`,
		`{"properties":[]}`:                                              "#/properties: must be an object",
		`{"properties":{"a":{}},"additionalProperties":1}`:               "must be true, false or a schema",
		`{"enum":["` + strings.Repeat("x", 256<<10) + `"]}`:              "bytes of a JSON schema",
		`{"properties":{"a":{}},"required":["a","a"]}`:                   `"a" occurs twice`,
	} {
		t.Run(text, func(t *testing.T) {
			if got, err := Compile(t.Context(), []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q; %s", text, err, want, got)
			}
		})
	}
}

// TestSelves: a schema may refer to itself where a value can end all the same.
func TestSelves(t *testing.T) {
	for text, want := range map[string]string{
		`{"$ref":"#"}`: "#: refers to itself without end",
		`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`: "refers to itself " +
			"without end",
		`{"anyOf":[{"$ref":"#"},{"type":"null"}]}`: "#: refers to itself",
		`{"$ref":"#/$defs/x","$defs":{"x":{"anyOf":[{"properties":{"p":{"$ref":"#/$defs/y"}}},{"$ref":"#/$defs/y"}]},
			"y":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/x"}]}}}`: "refers to itself without end",
		`{"properties":{"a":{"$ref":"#"}},"required":["a"]}`:                             "no value is complete",
		`{"type":"array","items":{"$ref":"#"},"minItems":1}`:                             "no value is complete",
		`{"properties":{"a":{"$ref":"#"}}}`:                                              "",
		`{"type":"array","items":{"$ref":"#"}}`:                                          "",
		`{"anyOf":[{"type":"null"},{"properties":{"a":{"$ref":"#"}},"required":["a"]}]}`: "",
		`{"properties":{"a":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},"required":["a"]}`: "",
		`{"$ref":"#/$defs/x","$defs":{"x":{"anyOf":[{"const":1},{"const":2}]},
			"y":{"$ref":"#/$defs/y"}}}`: "",
		chain(200):  "",
		chain(2000): "more than 256 rules", // which llama.cpp would not parse
	} {
		t.Run(text, func(t *testing.T) {
			grammar, err := Compile(t.Context(), []byte(text))
			if err == nil {
				err = llamacpp.CheckGrammar(grammar)
			}
			if got := fmt.Sprint(err); want != "" && !strings.Contains(got, want) || want == "" && err != nil {
				t.Errorf("%.200s: %v, want %q", text, err, want)
			}
		})
	}
}

// chain is a schema whose references lead one to the next.
func chain(length int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/0","$defs":{`)
	for i := range length {
		fmt.Fprintf(&b, `"%d":{"$ref":"#/$defs/%d"},`, i, i+1)
	}
	fmt.Fprintf(&b, `"%d":{"type":"null"}}}`, length)
	return b.String()
}
