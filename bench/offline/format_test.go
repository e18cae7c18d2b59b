package offline

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/internal/datatest"
)

// TestFormatNamesColumns: docs/format.md names each column of the exported tables below their heading.
func TestFormatNamesColumns(t *testing.T) {
	text := datatest.Read(t, "../../docs/format.md")
	_, tables, _ := strings.Cut(string(text), "\n## Exported tables\n")
	replies, decisions, found := strings.Cut(tables, "\n`decisions` has")
	if !found {
		t.Fatal("docs/format.md has no table of decisions below its heading Exported tables")
	}
	for _, table := range []struct {
		name, text string
		columns    []string
	}{{"replies", replies, columnsOf[ReplyRow]()}, {"decisions", decisions, columnsOf[DecisionRow]()}} {
		for _, column := range table.columns {
			if !strings.Contains(table.text, "`"+column+"`") {
				t.Errorf("docs/format.md does not name the column %s of %s", column, table.name)
			}
		}
	}
}
