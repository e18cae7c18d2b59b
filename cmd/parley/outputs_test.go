package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/internal/datatest"
)

// output is a way in which a command is told where to write.
type output struct {
	// line is a command line in the directory that writersDirectory makes, with URL for a server. It is empty where
	// elsewhere says what is tried instead.
	line, elsewhere string
	// taken are paths at which the command would write: a file of somebody else is refused there, by its name or that
	// of its directory.
	taken string
	// beside are paths in a directory that the command writes into: a file of somebody else does not matter there.
	beside string
	// again is how the same command ends that finds its own output; alone means that it is not given again.
	again int
}

const alone = -1

// asRun is where the outputs of a referee are tried.
const asRun = "the same flag of run, whose options a referee has"

// outputs are those of all commands, by command and flag or argument; by command alone where neither is given. Several
// cases of one have their own words after a comma.
var outputs = map[string]output{
	"batch --out": {line: "batch --in requests.jsonl --out out", taken: "out out.partial/replies.jsonl.zst"},
	"batch --journal": {line: "batch --in requests.jsonl --journal out", beside: "out/notes.txt",
		taken: "out out/replies.jsonl.zst"},
	"serve --journal": {line: "serve --journal out", taken: "out out/replies.jsonl.zst", again: alone},
	"bench --out": {line: "bench w1 --small --repeats 1 --out out", again: alone,
		taken: "out out/report.json out/report.txt out/report.svg"},
	"bundle --out": {line: "bundle --experiment e.yaml --out out", taken: "out"},
	"branch RUN-DIRECTORY": {line: "branch judged --case generated_3_objects/1/1 --samples 1",
		taken: "judged/branch.json judged/branch.html judged/branch.jsonl.zst"},
	"compare --out": {line: "compare " + briefly + " --out out", taken: "out " + inRun},
	"compare --out, resumed": {line: "compare " + briefly + " --out run", taken: "run/result.json run/engine.json",
		beside: "run/notes.txt"},
	"compare --fork": {line: "compare " + briefly + " --out run --fork out", taken: "out " + inRun,
		again: exit.CodeUsage},
	"compare --shard": {line: "compare " + briefly + " --out out --shard 1/2",
		taken: "out.shard-1-of-2 " + inPart("out.shard-1-of-2")},
	"compare":     {line: "compare " + briefly, taken: "parley-runs", beside: "parley-runs/notes.txt"},
	"demo --out":  {line: "demo --puzzles 1 --out out", taken: "out " + inRun},
	"demo --fork": {line: "demo --puzzles 1 --out run --fork out", taken: "out " + inRun, again: alone},
	"run --out": {line: "run e.yaml --out out", beside: "out/notes.txt",
		taken: "out out/experiment.yaml " + inPart("out/sums") + " " + ofReport("out/report")},
	"run --out, resumed": {line: "run e.yaml --out both", beside: "both/notes.txt both/sums/notes.txt",
		taken: "both/experiment.yaml both/sums/result.json both/sums/engine.json " + ofReport("both/report")},
	"run --fork": {line: "run e.yaml --out both --fork out", again: exit.CodeUsage,
		taken: "out out/experiment.yaml " + inPart("out/sums") + " " + ofReport("out/report")},
	"run --shard": {line: "run e.yaml --out out --shard 1/2", taken: "out.shard-1-of-2/experiment.yaml " +
		inPart("out.shard-1-of-2/sums")},
	"referee --out":       {elsewhere: asRun},
	"referee --fork":      {elsewhere: asRun},
	"referee --shard":     {elsewhere: asRun},
	"debate --transcript": {line: "debate --max-tokens 4 --agents 2 --rounds 1 --transcript out Q", taken: "out"},
	"doctor --replies":    {line: "doctor --engine URL --replies out", taken: "out"},
	"export --out":        {line: "export run --out out", taken: "out.replies.csv out.decisions.csv"},
	"export --format": {line: "export run --out out --format parquet",
		taken: "out.replies.parquet out.decisions.parquet"},
	"export --format, logs": {line: "export run --out out --format inspect", taken: "out.single.eval"},
	"export --format, records": {line: "export run --out out --format every-eval-ever", taken: "out out/data",
		beside: "out/notes.txt out/data/notes.txt"},
	"export --format, hub": {line: "export run --out out --format hub", beside: "out/notes.txt out/data/notes.txt",
		taken: "out out/data out/README.md out/croissant.json out/data/replies.parquet"},
	"export --format, research object": {line: "export run --out out --format ro-crate", beside: "out/notes.txt",
		taken: "out out/replies.csv out/ro-crate-metadata.json"},
	"import --out":   {line: "import --from du log.json --out out", taken: "out " + inRun},
	"data pull --to": {elsewhere: "models pull --to, which downloads in the same way"},
	"models pull --to": {line: "models pull hf:parley/tiny --to out", beside: "out/notes.txt",
		taken: "out out/tiny-f16.gguf out/tiny-f16.gguf.part out/tiny-f16.gguf.part.json"},
	"judge RUN-DIRECTORY": {line: "judge judged", taken: "judged/judge.json judged/judge.jsonl.zst"},
	"man DIR": {line: "man out", beside: "out/notes.txt",
		taken: "out out/parley.1 out/parley-models-synth.1"},
	"merge OUT":          {line: "merge out half.shard-1-of-2 half.shard-2-of-2", taken: "out " + inRun},
	"models synth --out": {line: "models synth --shape mini-llama3 --out out", taken: "out", again: exit.CodeUsage},
	"models synth": {line: "models synth --shape mini-llama3", taken: "synthetic-mini-llama3-q4_0.gguf",
		again: exit.CodeUsage},
	"repair RUN-DIRECTORY": {line: "repair damaged", beside: "damaged/notes.txt damaged/debates.jsonl.zst.damaged",
		taken: "damaged/debates.jsonl.zst.repaired"},
	"report --out":     {line: "report run --out out.html", taken: ofReport("out")},
	"report DIRECTORY": {line: "report run", taken: ofReport("run/report"), beside: "run/notes.txt"},
	"report --figures": {line: "report run --figures out", beside: "out/notes.txt",
		taken: "out out/contents.csv out/conditions.tex out/accuracy-by-condition-2col.pdf"},
	"score --scores":           {line: "score run --scores scores.csv", taken: "run/scores.json"},
	"score --out":              {line: "score run --out out", taken: "out", again: exit.CodeUsage},
	"similarity RUN-DIRECTORY": {line: "similarity run", taken: "run/similarity.json"},
	"stats --out":              {line: "stats scores.csv --measure comet --out out", taken: "out " + inRun},
}

// victim is a path at which there is something of somebody else: file is that path, or lies in a directory there.
type victim struct {
	at, file string
	taken    bool // see output
}

// places are those of an output. Where it would make no directory, there is one in another case.
func (o output) places() (all []victim) {
	for _, at := range strings.Fields(o.beside) {
		all = append(all, victim{at, at, false})
	}
	below := func(at string) bool {
		return slices.ContainsFunc(strings.Fields(o.taken+" "+o.beside), func(other string) bool {
			return strings.HasPrefix(other, at+"/")
		})
	}
	for _, at := range strings.Fields(o.taken) {
		if all = append(all, victim{at, at, true}); !below(at) && filepath.Base(at) != "notes.txt" {
			all = append(all, victim{at, at + "/notes.txt", true})
		}
	}
	return all
}

// briefly are flags of a run of few short replies.
const briefly = "--generated 2 --conditions single --agents 2 --rounds 1 --max-tokens 4"

// inRun are files of a run directory, and one that is in none.
const inRun = "out/notes.txt out/parley.lock out/generations.jsonl.zst out/debates.jsonl.zst out/result.json " +
	"out/engine.json"

// inPart are the files of inRun in another directory.
func inPart(directory string) string { return strings.ReplaceAll(inRun, "out", directory) }

// ofReport are the files of a report of that name.
func ofReport(name string) string {
	var files []string
	for _, suffix := range []string{".html", ".md", ".csv", "-contrasts.csv", "-groups.csv", "-rounds.csv"} {
		files = append(files, name+suffix)
	}
	return strings.Join(files, " ")
}

// onlyRead are the arguments, and the flags with texts, at which nothing is written.
var onlyRead = append(strings.Fields(`
	--agents --answer --api-key-file --case --chat-template --cluster --columns --condition --conditions --contrast
	--data --decide --device --drop --engine --experiment --facts --from --group --in --kernels --kv --labels --layout
	--level --like --listen --log --measure --methods --mode --model --on --only --order --paper --peer --peer-flags --place --prompts
	--protocol --protocols --quantization --reading --reasoning --reasoning-format --reference --replace --rounds --rule --set --shape --show --stop-when --task --team
	--title --tls-cert --tls-key --topology --truth --until --wrong`), "bench WORKLOAD", "bench compare BEFORE",
	"bench compare AFTER",
	"data PATH", "data pull NAME", "debate QUESTION", "diff FIRST-RUN", "diff SECOND-RUN", "experiments NAME",
	"experiments FILE", "export RUN-DIRECTORY", "import FILE", "merge SHARD", "models DIR", "models pull ADDRESS",
	"protocols NAME", "replay RUN-DIRECTORY", "replay KEY", "run NAME", "run FILE", "runs DIRECTORY",
	"score RUN-DIRECTORY", "stats FILE",
	"show TRANSCRIPT", "show RUN-DIRECTORY", "status RUN-DIRECTORY")

// TestEveryOutputIsTried: a flag or an argument with a text either names nothing that is written, or its command is
// tried with a file of somebody else there.
func TestEveryOutputIsTried(t *testing.T) {
	left := make(map[string]bool)
	for name := range outputs {
		first, _, _ := strings.Cut(name, ", ")
		left[first] = true
	}
	known := func(name string, also ...string) {
		if delete(left, name); outputs[name] == (output{}) && !slices.ContainsFunc(append(also, name),
			func(n string) bool { return slices.Contains(onlyRead, n) }) {
			t.Errorf("%s is neither in outputs nor in onlyRead", name)
		}
	}
	argument := regexp.MustCompile(`--[a-z]+ [A-Z|]+|[A-Z][A-Z-]+`)
	parleytest.EachCommand(cli.New(), func(c *cobra.Command) {
		command := strings.TrimPrefix(c.CommandPath(), "parley ")
		delete(left, command)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			name := command + " --" + f.Name
			if _, number := f.Value.(interface{ Range() bounds.Range }); number || f.Value.Type() == "bool" {
				delete(left, name)
				return
			}
			known(name, "--"+f.Name)
		})
		for _, word := range argument.FindAllString(c.Use, -1) {
			if !strings.HasPrefix(word, "--") {
				known(command + " " + word)
			}
		}
	})
	for name := range left {
		t.Errorf("there is no %s, want each output that is listed", name)
	}
}

// foreign is a file that no command has written.
const foreign = `{"precious":1}`

// TestNothingForeignIsOverwritten: wherever a command would write, a file that it did not write is refused and stays as
// it is, with all others; what it wrote itself it replaces, or refuses with a reason.
func TestNothingForeignIsOverwritten(t *testing.T) {
	url, _ := parleytest.Endpoint(t)
	parleytest.ShelfFor(t)
	held := writersDirectory(t)
	start := func(t *testing.T) {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(held)); err != nil {
			t.Fatal(err)
		}
		t.Chdir(dir)
	}
	for name, o := range outputs {
		o.line = strings.ReplaceAll(o.line, "URL", url)
		for _, p := range o.places() {
			t.Run(name+"/"+p.file, func(t *testing.T) {
				start(t)
				if err := os.RemoveAll(p.at); err != nil {
					t.Fatal(err)
				}
				write(t, ".", map[string]string{p.file: foreign})
				before := contentsBelow(t, ".")
				code, stdout, stderr := parleytest.Ran(strings.Fields(o.line)...)
				all := stdout + stderr
				said := strings.Contains(all, filepath.Base(p.at)) || strings.Contains(p.at, "/") &&
					strings.Contains(all, filepath.Dir(p.at))
				if p.taken && (code == 0 || code == exit.CodeInternal || !said) || !p.taken && code != 0 {
					t.Errorf("the foreign file is to be refused by name: %v; got status %d and %s, want an error's "+
						"status if so, else 0", p.taken, code, all)
				}
				after := contentsBelow(t, ".")
				for path, text := range before {
					// A lock names who took it last.
					theirs := path == p.file || p.taken && filepath.Base(path) != "parley.lock"
					if theirs && after[path] != text {
						t.Errorf("%s was changed or removed, want it as it was: %.100q; exit %d: %s", path, after[path],
							code, all)
					}
				}
			})
		}
		if o.line == "" || o.again == alone {
			continue
		}
		t.Run(name+"/again", func(t *testing.T) {
			start(t)
			for _, want := range []int{0, o.again} {
				if code, stdout, stderr := parleytest.Ran(strings.Fields(o.line)...); code != want {
					t.Fatalf("exit %d, want %d: %s%s", code, want, stdout, stderr)
				}
			}
		})
	}
}

// writersDirectory has what the commands of outputs read: runs, shards of one, a damaged one, an experiment, requests,
// and a log.
func writersDirectory(t *testing.T) string {
	t.Helper()
	parleytest.WarmCache(t)
	dir := t.TempDir()
	chat := `[{"role": "user", "content": "How many?"}, {"role": "assistant", "content": "It is 4."}]`
	write(t, dir, map[string]string{
		"requests.jsonl": `{"custom_id":"0","method":"POST","url":"/v1/chat/completions","body":{"messages":` +
			`[{"role":"user","content":"Plums."}],"max_tokens":700,"ignore_eos":true}}` + "\n",
		"log.json": `{"How many legs?": [[` + chat + `, ` + chat + `], "#### 4"]}`,
		"e.yaml": "name: tiny\nmax-tokens: 4\ncontrols: false\ntasks: [{name: sums, generated: 2}]\n" +
			"conditions: [{name: mad, protocol: society, set: {agents: 2, rounds: 1}}]\n",
	})
	t.Chdir(dir)
	for _, line := range []string{
		"compare " + briefly + " --out run", "run e.yaml --out both",
		strings.Replace("compare "+briefly+" --out judged", "--max-tokens 4", "--max-tokens 256", 1), // to a decision
		"compare " + briefly + " --out half --shard 1/2", "compare " + briefly + " --out half --shard 2/2",
	} {
		parleytest.Must(t, strings.Fields(line))
	}
	run := benchtest.ReadRun(t, "run")
	scores := "question,condition,comet\n"
	for _, o := range run.Outcomes {
		scores += fmt.Sprintf("%s,%s,0.5\n", o.Question, o.Condition)
	}
	write(t, dir, map[string]string{"scores.csv": scores})
	if err := os.CopyFS("damaged", os.DirFS("run")); err != nil {
		t.Fatal(err)
	}
	journal := "damaged/debates.jsonl.zst"
	text := datatest.Read(t, journal)
	text[len(text)/2] ^= 0x10
	datatest.Write(t, journal, text)
	return dir
}

// contentsBelow are all files below a directory.
func contentsBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	contents := make(map[string]string)
	if err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		contents[path] = string(text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return contents
}
