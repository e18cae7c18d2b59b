package bench_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/peers"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/throughput"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestFormatNamesFields: docs/format.md names each field of the rows, contrasts and series of result.json, and of
// reports of parley bench.
func TestFormatNamesFields(t *testing.T) {
	manual := datatest.Read(t, "../docs/format.md")
	seen := make(map[reflect.Type]bool)
	var look func(of reflect.Type, at string)
	look = func(of reflect.Type, at string) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || seen[of] || of == reflect.TypeFor[stat.Interval]() ||
			of == reflect.TypeFor[stat.Bounds]() {
			return
		}
		seen[of] = true
		for i := range of.NumField() {
			f := of.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" || !f.IsExported() {
				continue
			}
			if name != "" && !strings.Contains(string(manual), "`"+name+"`") {
				t.Errorf("docs/format.md does not name %s.%s", at, name)
			}
			look(f.Type, at+"."+name)
		}
	}
	look(reflect.TypeFor[analysis.Row](), "conditions")
	look(reflect.TypeFor[analysis.Contrast](), "contrasts")
	look(reflect.TypeFor[peers.Growth](), "growth")
	look(reflect.TypeFor[analysis.Stopped](), "stopped")
	look(reflect.TypeFor[throughput.Report](), "bench")
}
