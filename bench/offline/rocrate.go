package offline

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/internal/outfile"
)

// A research object: the tables in CSV, and metadata in RO-Crate 1.1 (researchobject.org/ro-crate) that say which
// program made them of what, by the profile Process Run Crate 0.5.

var crateFiles = outfile.Kind{Name: "metadata of an earlier export",
	Ours: outfile.Opening(`\{\s*"@context":\s*\[?\s*"https://w3id\.org/ro/crate/`)}

const (
	processCrate = "https://w3id.org/ro/wfrun/process/0.5"
	program      = "https://github.com/parley-debate/parley"
)

// roCrate is such a directory.
func roCrate(x exporting) ([]piece, error) {
	a := asLogs{run: x.run}
	pieces := tables(x, x.prefix+string(filepath.Separator), FormatCSV)
	seen := watchedAll(pieces)
	return append(pieces, piece{outfile.File{Kind: crateFiles, Path: filepath.Join(x.prefix, "ro-crate-metadata.json")},
		"tables", func(out io.Writer) (int, error) {
			return len(pieces), indented(out, object{"@context": []any{"https://w3id.org/ro/crate/1.1/context",
				object{"sha256": "http://schema.org/sha256", "parley": "http://schema.org/additionalProperty"}},
				"@graph": a.crate(seen)})
		}}), nil
}

// crate are the entities, after the tables are written.
func (a asLogs) crate(seen []*written) []object {
	h := a.run.Header
	var files, conditions, settings []object
	for i, t := range tableNames {
		files = append(files, object{"@id": t.name + ".csv", "@type": "File", "name": t.name, "description": t.meaning,
			"encodingFormat": "text/csv", "contentSize": fmt.Sprint(seen[i].size), "sha256": seen[i].sum()})
	}
	for _, r := range a.run.Comparison.Rows {
		value := object{"@id": "#condition-" + fileName(r.Condition), "@type": "PropertyValue",
			"name": "accuracy of " + r.Condition, "description": r.Meaning, "value": r.Accuracy,
			"minValue": r.Interval.Low, "maxValue": r.Interval.High, "parley": inText(r)}
		conditions = append(conditions, value)
	}
	for _, pair := range [][2]string{{"model", cmp.Or(h.Model.Name, h.Model.Hash)}, {"model-sha256", h.Model.Hash},
		{"task", h.TaskName()}, {"task-source", h.Source}, {"task-sha256", h.TaskHash}, {"seed", fmt.Sprint(h.Seed)},
		{"header", inText(h)}} {
		if pair[1] != "" {
			settings = append(settings, object{"@id": "#" + pair[0], "@type": "PropertyValue", "name": pair[0],
				"value": pair[1]})
		}
	}
	command := a.about()
	if n := len(a.run.Sessions); n > 0 && a.run.Sessions[n-1].Command != nil {
		command = wording.Shell(a.run.Sessions[n-1].Command...)
	}
	action := object{"@id": "#run", "@type": "CreateAction", "name": a.title(), "description": command,
		"instrument": idOf(program), "startTime": crateTime(a.began()), "endTime": crateTime(a.ended()),
		"object": idsOf(settings), "result": idsOf(files)}
	if a.run.Finished {
		action["actionStatus"] = "http://schema.org/CompletedActionStatus"
	}
	graph := []object{{"@id": "ro-crate-metadata.json", "@type": "CreativeWork", "about": idOf("./"),
		"conformsTo": idOf("https://w3id.org/ro/crate/1.1")},
		{"@id": "./", "@type": "Dataset", "name": a.title(), "description": a.about(),
			"datePublished": crateTime(a.ended()), "license": idOf("#licence"),
			"conformsTo": idOf(processCrate), "hasPart": idsOf(files),
			"mentions": idOf("#run"), "variableMeasured": idsOf(conditions)},
		{"@id": processCrate, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"},
		{"@id": "#licence", "@type": "CreativeWork", "name": strings.Join(a.licences(), ", "),
			"description": "The licence of the questions."},
		{"@id": program, "@type": "SoftwareApplication", "name": "Parley", "url": program,
			"softwareVersion": cmp.Or(h.Parley, "unknown")}, action}
	for _, list := range [][]object{files, conditions, settings} {
		graph = append(graph, list...)
	}
	return graph
}

// idOf refers to an entity.
func idOf(id string) object { return object{"@id": id} }

// idsOf refers to one entity or to several.
func idsOf(entities []object) any {
	if len(entities) == 1 {
		return idOf(entities[0]["@id"].(string))
	}
	var all []object
	for _, e := range entities {
		all = append(all, idOf(e["@id"].(string)))
	}
	return all
}

// crateTime is a time (RFC 3339) as the profile has it, which knows no Z.
func crateTime(t string) string { return strings.Replace(t, "Z", "+00:00", 1) }
