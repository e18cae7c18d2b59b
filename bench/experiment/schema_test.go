package experiment

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := json.Marshal(Schema())
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("experiment.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("experiment.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// validate reads YAML as editors do.
func validate(t *testing.T, schema *jsonschema.Schema, text []byte) error {
	t.Helper()
	asJSON, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}

// TestSchema: all experiments of the program fit it, as they are and as they are written, and what Parse does not know
// it does not know.
func TestSchema(t *testing.T) {
	schema := compiled(t)
	for _, e := range List() {
		written, err := e.YAML()
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range [][]byte{e.Text(), written} {
			if err := validate(t, schema, text); err != nil {
				t.Errorf("%s fits the schema: got %v, want no error", e.Name, err)
			}
		}
	}
	for name, rest := range map[string]string{
		"unknown key":     "conditions: [{protocol: society}]\nrepeat: 3\n",
		"of a condition":  "conditions: [{protocol: society, agents: 3}]\n",
		"unknown setting": "conditions: [{protocol: society, set: {agent: 3}}]\n",
		"sweep of one":    "conditions: [{protocol: society, sweep: {agents: 3}}]\n",
		"no protocol":     "conditions: [{name: mad}]\n",
		"no conditions":   "repeats: 2\n",
		"published nowhere": "conditions: [{protocol: society}]\npublished: [{model: m, task: p, condition: " +
			"society, value: 1}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			if err := validate(t, schema, []byte(head+rest)); err == nil {
				t.Errorf("%s: the schema took it, want an error", name)
			}
		})
	}
}

// TestSchemaNames: the schema has the names that the types have.
func TestSchemaNames(t *testing.T) {
	definitions := Schema()["$defs"].(map[string]any)
	for name, value := range map[string]any{
		"experiment": Experiment{}, "task": Task{}, "condition": Condition{}, "sampling": inference.Chosen{},
		"published": Published{}, "small": Small{},
		"settings": reflect.Zero(reflect.StructOf(debate.SettingFields())).Interface(),
		"columns":  task.Columns{},
	} {
		t.Run(name, func(t *testing.T) {
			var want, got []string
			for _, f := range reflect.VisibleFields(reflect.TypeOf(value)) {
				if key, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); key != "" && key != "-" {
					want = append(want, key)
				}
			}
			for key := range definitions[name].(map[string]any)["properties"].(map[string]any) {
				got = append(got, key)
			}
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: the schema knows the fields of the structure (-want +got):\n%s", name, diff)
			}
		})
	}
}
