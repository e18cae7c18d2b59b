package inference

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/chat/chattest"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/soak"
	"github.com/parley-debate/parley/kernels"
	"github.com/parley-debate/parley/models"
)

// familyRow is a row of the table: what is not so of this family, and which of its templates are rendered.
type familyRow struct {
	family, shape, template string
	lacks                   []string
}

// TestFamilies runs a small synthetic model of every family: which operations our kernels compute, whether the bits are
// the same in all ways to compute a prompt and for an engine that is set up otherwise, whether every prompt token is
// computed once, and whether the chat templates of the family's models are rendered as transformers does. UPDATE=1
// writes what it finds into docs/models.md.
func TestFamilies(t *testing.T) {
	if !OurProducts() {
		t.Skip("on this processor, or in this build, products are left to llama.cpp")
	}
	var rows []familyRow
	goldens := chattest.Read(t, templateDir)
	for _, s := range models.Miniatures() {
		t.Run(s.Name, func(t *testing.T) {
			row := tryFamily(t, s)
			row.template = tryTemplates(t, goldens, familyTemplates[s.Name])
			rows = append(rows, row)
			t.Logf("%+v", rows[len(rows)-1])
		})
	}
	if len(rows) == len(models.Miniatures()) {
		checkFamilies(t, rows)
	}
}

func tryFamily(t *testing.T, s models.Shape) familyRow {
	row := familyRow{family: s.Family, shape: s.Name}
	path := filepath.Join(t.TempDir(), s.Name+".gguf")
	if err := models.WriteSynthetic(path, models.Synthetic{Shape: s, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	l, err := Open(path, Context(2048), Parallel(8), Threads(1), Speculate(false))
	if err != nil {
		row.lacks = []string{"not loaded"}
		if known, _ := llamacpp.Knows(s.Family); known {
			t.Errorf("%v, want !known", err)
		}
		return row
	}
	defer l.Close()
	found, err := l.Invariance(t.Context())
	if err != nil {
		t.Error(err)
	}
	if found.Work.Left > 0 {
		row.lacks = append(row.lacks, "our kernels leave "+strings.Join(left(found), ", "))
	}
	replies, err := holdFamily(t, l)
	if err != nil {
		t.Fatal(err)
	}
	if computed, least := l.Stats().PromptComputed, distinctTokens(t, l); computed != least {
		row.lacks = append(row.lacks, fmt.Sprintf("computes %d tokens where there are %d", computed, least))
	}
	if err := found.Err(); err != nil {
		row.lacks = append(row.lacks, "not reproducible")
		return row
	}
	other, err := Open(path, Context(512), Parallel(1), Threads(2), Speculate(true), StepCost(8))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	again, err := holdFamily(t, other)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(replies, again, cmpopts.IgnoreFields(Reply{}, "Duration", "CachedTokens")); diff != "" {
		t.Errorf("a model of this family gives the same replies again (-want +got):\n%s", diff)
		row.lacks = append(row.lacks, "not reproducible")
	}
	return row
}

// TestFormatsOfFamilies holds docs/models.md to what it says of formats: each family that lacks nothing in its table is
// reproducible in Q4_0, as `parley models synth` writes it, in two other quantisations in turn and, in a soak, in all.
func TestFormatsOfFamilies(t *testing.T) {
	if !OurProducts() {
		t.Skip("on this processor, or in this build, products are left to llama.cpp")
	}
	content := datatest.Read(t, "../docs/models.md")
	quantizations, whole := llamacpp.QuantizationTypes(), 0
	for i, s := range models.Miniatures() {
		known, _ := llamacpp.Knows(s.Family)
		line := regexp.MustCompile("`" + regexp.QuoteMeta(s.Name) + "`.*").FindString(string(content))
		if !known || !strings.HasPrefix(line, "`"+s.Name+"` |  |") {
			continue
		}
		whole++
		half := filepath.Join(t.TempDir(), "f16.gguf")
		if err := models.WriteSynthetic(half, models.Synthetic{Shape: s, Seed: 1}); err != nil {
			t.Fatal(err)
		}
		tried := quantizations
		if n := len(quantizations); !soak.On() {
			tried = []string{"q4_0", quantizations[2*i%n], quantizations[(2*i+1)%n]}
		}
		for _, q := range tried {
			t.Run(s.Name+" "+q, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), q+".gguf")
				if err := llamacpp.Quantize(t.Context(), half, path, q, 1); err != nil {
					t.Fatal(err)
				}
				l, err := Open(path, Context(512), Parallel(2), Threads(1), Speculate(false), Mode(Reproducible))
				if err != nil {
					t.Fatal(err)
				}
				l.Close()
			})
		}
	}
	if whole == 0 {
		t.Error("docs/models.md has no family that lacks nothing: the test looks at none")
	}
}

const templateDir = "chat/testdata/templates"

// familyTemplates are the templates of the models that a miniature stands for, whose goldens there are.
var familyTemplates = map[string][]string{
	"mini-qwen2":       {"Qwen-Qwen2.5-7B-Instruct", "Qwen-QwQ-32B", "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B"},
	"mini-qwen3":       {"Qwen-Qwen3-0.6B"},
	"mini-qwen3-moe":   {"Qwen-Qwen3-0.6B"},
	"mini-qwen3.5":     {"Qwen3.5-4B"},
	"mini-qwen3.5-moe": {"Qwen3.5-4B"},
	"mini-llama3": {"ours-llama-3.1", "meta-llama-Llama-3.1-8B-Instruct", "meta-llama-Llama-3.2-3B-Instruct",
		"meta-llama-Llama-3.3-70B-Instruct"},
	"mini-mistral":  {"mistralai-Mistral-Nemo-Instruct-2407"},
	"mini-granite4": {"ibm-granite-granite-4.0"},
	"mini-lfm2":     {"LFM2-8B-A1B"},
	"mini-rwkv7":    {"llama-cpp-rwkv-world"},
	"mini-phi":      {"microsoft-Phi-3.5-mini-instruct", "microsoft-phi-4"},
	"mini-gemma2":   {"google-gemma-2-2b-it"},
	"mini-gemma3":   {"ours-gemma-3"},
	"mini-gemma4":   {"google-gemma-4-31B-it"},
	"mini-gpt-oss":  {"openai-gpt-oss-120b"},
}

// tryTemplates renders what is asked in debates, that is all cases with what Render sets, and returns a cell of the
// table: yes, elsewhere if the texts of all templates are, or none.
func tryTemplates(t *testing.T, goldens map[string]chattest.Rendered, names []string) string {
	t.Helper()
	cell := "–"
	for _, name := range names {
		g, there := goldens[name]
		if !there {
			t.Errorf("there is no golden of %s, want one", name)
		}
		if g.Source(templateDir) != "" {
			cell = "yes"
		} else if cell == "–" {
			cell = "elsewhere"
		}
		source := g.Source(templateDir, os.Getenv("PARLEY_TEMPLATES"))
		if source == "" {
			continue
		}
		if cases, err := renderedAlike(t, g, source); err != nil || cases < 15 {
			t.Errorf("%s: of its template %d cases were rendered alike (%v), want at least 15 and no error", name,
				cases, err)
			return "not " + name
		}
	}
	return cell
}

// renderedAlike counts the cases of a golden that Render renders as transformers does, and returns the first
// difference.
func renderedAlike(t *testing.T, g chattest.Rendered, source string) (cases int, err error) {
	t.Helper()
	template, err := chat.NewTemplate(source, g.BOS, g.EOS, nil)
	if err != nil {
		return 0, err
	}
	for _, c := range g.Cases {
		var messages []Message
		for _, m := range c.Conversation {
			messages = append(messages, Message(m))
		}
		if ends := messages[len(messages)-1].Role == "assistant"; c.Thinking != nil || ends != c.Continued ||
			!ends && !c.Generation {
			continue
		}
		cases++
		segments, err := template.Render(t.Context(), messages)
		var text strings.Builder
		for _, s := range segments {
			text.WriteString(s.Text)
		}
		if (err != nil) != (c.Error != "") || text.String() != c.Text {
			return cases, fmt.Errorf("%s: %v, %q, but transformers renders %q%s", c.Messages, err, text.String(),
				c.Text, c.Error)
		}
	}
	return cases, nil
}

// left names what llama.cpp computes in a way that depends on the batch.
func left(found llamacpp.Invariance) (names []string) {
	for _, o := range found.Operations {
		if o.By == llamacpp.ByBatch {
			names = append(names, "`"+o.Name+"`")
		}
	}
	return names
}

// familyPrompts are two rounds of two agents: the second goes back to what was asked in the first, with other answers
// than those that were given. They are longer than the windows of the models.
func familyPrompts() (rounds [2][][]Message) {
	rules := Message{Role: "system", Content: strings.Repeat("Be brief, and give reasons. ", 4)}
	for agent := range 2 {
		asked := []Message{rules, {Role: "user", Content: fmt.Sprintf("Agent %d: is a tomato a fruit?", agent)}}
		rounds[0] = append(rounds[0], asked)
		rounds[1] = append(rounds[1], append(asked, Message{Role: "assistant", Content: "Botanists say so."},
			Message{Role: "user", Content: "Are you sure?"}))
	}
	return rounds
}

func holdFamily(t *testing.T, l *Local) (all []Reply, err error) {
	t.Helper()
	p := l.Join(0)
	defer p.Leave()
	for round, prompts := range familyPrompts() {
		var requests []Request
		for agent, messages := range prompts {
			for sample := range 2 {
				requests = append(requests, Request{Messages: messages, Agent: agent, Sample: sample, MaxTokens: 12,
					Sampling: Sampling{Temperature: 1, Seed: uint64(10*round + sample), Alternatives: 1}})
			}
		}
		replies, err := p.Generate(t.Context(), requests)
		for _, r := range replies {
			err = errors.Join(err, r.Err)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, replies...)
	}
	return all, nil
}

// distinctTokens counts the nodes of the tree of all prompts: the least number of tokens that have to be computed.
func distinctTokens(t *testing.T, l *Local) int {
	t.Helper()
	nodes := make(map[string]bool)
	for _, prompts := range familyPrompts() {
		for _, messages := range prompts {
			tokens, _, err := l.models[0].tokenize(t.Context(), l.models[0].template, messages)
			if err != nil {
				t.Fatal(err)
			}
			for i := range tokens {
				nodes[fmt.Sprint([]step.Token(tokens[:i+1]))] = true
			}
		}
	}
	return len(nodes)
}

// checkFamilies compares the table of docs/models.md with what was found.
func checkFamilies(t *testing.T, rows []familyRow) {
	t.Helper()
	const path, begin, end = "../docs/models.md", "<!-- TestFamilies -->\n", "<!-- end -->"
	content := datatest.Read(t, path)
	before, rest, _ := strings.Cut(string(content), begin)
	old, after, there := strings.Cut(rest, end)
	if !there {
		t.Fatalf("%s has no table of families, want one between its marks", path)
	}
	var table strings.Builder
	table.WriteString("\n| architecture | shape | lacks | template |\n| --- | --- | --- | --- |\n")
	for _, r := range rows {
		fmt.Fprintf(&table, "| `%s` | `%s` | %s | %s |\n", r.family, r.shape, strings.Join(r.lacks, "; "), r.template)
	}
	switch want := table.String() + "\n"; {
	case old == want:
	case os.Getenv("UPDATE") != "":
		datatest.Write(t, path, before+begin+want+end+after)
	default:
		t.Errorf("%s: UPDATE=1 go test ./inference -run Families writes the table: %s", path, cmp.Diff(old, want))
	}
}

// OurProducts reports whether our kernels compute products with weights here.
func OurProducts() bool {
	target, err := kernels.Choose("")
	return err == nil && target.Products
}
