package strict_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference/serve/strict"
)

type base struct {
	Seed *int64 `json:"seed"`
}

// Besides implements strict.Besides.
func (base) Besides() map[string][]string {
	return map[string][]string{"note": {strict.Any}, "beams": {"1"}, "audio": {}}
}

type request struct {
	base
	Name  string          `json:"name"`
	Loud  bool            `json:"loud"`
	Share float32         `json:"share"`
	IDs   []int32         `json:"ids"`
	Raw   json.RawMessage `json:"raw"`
	Parts []*struct {
		Text string `json:"text"`
	} `json:"parts"`
	Lists [][]int `json:"lists"`
}

func TestWhole(t *testing.T) {
	for text, want := range map[string]string{
		`{"seed":7,"name":"x","loud":true,"share":1e-2,"ids":[1,2],"raw":{"a":[null]},
			"parts":[{"text":"y"}],"lists":[[1],[]]}`: "",
		`{"seed":null,"nothing":null,"note":[{}],"beams":1.0,"audio":null}`: "",
		` {} `:                    "",
		``:                        ": unexpected end",
		`{} {}`:                   ": invalid character '{' after",
		`[]`:                      ": a list is not a JSON object",
		`null`:                    ": null is not",
		`{"nme":1}`:               "nme: unrecognized request argument supplied: nme (did you mean name?)",
		`{"Name":"x"}`:            "Name: unrecognized",
		`{"name":"x","name":"x"}`: "name: occurs twice",
		`{"x":null,"x":null}`:     "x: occurs twice",
		`{"beams":2}`: "beams: beams is not supported by this server: leave it out, or set " +
			"it to 1",
		`{"audio":2}`:                              "audio: audio is not supported by this server: leave it out",
		`{"name":7}`:                               "name: a number cannot be read as a string",
		`{"loud":"yes"}`:                           "loud: a string cannot be read as true or false",
		`{"share":1e999}`:                          "share: a number 1e999 cannot be read as a number",
		`{"ids":[1,null]}`:                         "ids[1]: null is no value",
		`{"ids":[1,99999999999]}`:                  "ids[1]: a number 99999999999 cannot be read as a whole number",
		`{"ids":{}}`:                               "ids: an object cannot be read as a list",
		`{"parts":[{},{"text":"","u":0}]}`:         "parts[1].u: unrecognized",
		`{"parts":[{},7]}`:                         "parts[1]: a number cannot be read as an object",
		`{"lists":[[1],[2,"3"]]}`:                  "lists[1][1]: a string cannot be read",
		`{"` + strings.Repeat("y", 1<<20) + `":1}`: strings.Repeat("y", 100) + "…: unrecognized",
		strings.Repeat(`{"raw":[`, 20000):          ": ",
	} {
		t.Run(text, func(t *testing.T) {
			err := strict.Whole([]byte(text), new(request))
			wrong := new(strict.Error)
			switch {
			case want == "" && err != nil:
				t.Errorf("%.100s is refused: %v, want no error", text, err)
			case want != "" && (!errors.As(err, &wrong) || !strings.Contains(wrong.Path+": "+wrong.Text, want)):
				t.Errorf("%.100s: %.200v, want %q", text, err, want)
			}
		})
	}
}

// FuzzWhole: what is accepted is read as encoding/json reads it.
func FuzzWhole(f *testing.F) {
	f.Add(`{"seed":7,"name":"x","loud":true,"share":1e-2,"ids":[1,2],"raw":{"a":[null]},"parts":[{"text":"y"}]}`)
	f.Add(`{"lists":[[1],[2,3]],"name":"\ud83d\ude00","note":0,"x":null}`)
	f.Add(`{"name":"x","name":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		var got, want request
		if strict.Whole([]byte(text), &got) != nil {
			return
		}
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatalf("%q is accepted, which encoding/json refuses: %v, want no error", text, err)
		}
		same := cmp.Exporter(func(reflect.Type) bool { return true })
		if diff := cmp.Diff(want, got, same); diff != "" {
			t.Errorf("%q is read as by encoding/json (-want +got):\n%s", text, diff)
		}
	})
}
