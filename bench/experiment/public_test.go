package experiment

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/internal/datatest"
)

// notThere are families, and tasks, of which no file is among the public files: GPQA's may not be passed on.
var notThere = []string{"gpqa", "chess", "biography", "gsm-hard", "mmlu-hard", "professional-medicine", "formal-logic",
	"medqa", "pubmedqa"}

// TestTasksAreFound: every task of every experiment finds its one file among all public files. The release of
// StrategyQA, which alone has facts, is not among them.
func TestTasksAreFound(t *testing.T) {
	dir, seen := datatest.Public(t), make(map[string]int)
	for _, e := range List() {
		for _, own := range e.Tasks {
			key := fmt.Sprint(own)
			if _, ok := seen[key]; ok || slices.Contains(notThere, own.Family) ||
				slices.Contains(notThere, own.Name) || e.Name == "mallm-challenge-facts" {
				continue
			}
			questions, err := own.load(Data{Directories: []string{dir}}, 1)
			if err != nil {
				t.Errorf("%s: the questions of its tasks are found: got %v, want no error", e.Name, err)
				continue
			}
			if seen[key] = len(questions.Questions); questions.Name != own.Name {
				t.Errorf("%s: a task has the name of its questions: got %s, want %s",
					e.Name, questions.Name, own.Name)
			}
		}
	}
	if len(seen) < 12 {
		t.Errorf("12 tasks or more are looked for: got %d", len(seen))
	}
}

// published collects the numbers of an experiment by what they are of.
func published(t *testing.T, name string) map[string]float64 {
	t.Helper()
	e := loaded(t, name)
	all := make(map[string]float64)
	for _, n := range e.Numbers() {
		key := strings.Join([]string{n.Model, n.From, n.Task, n.Condition, n.Measure}, " | ")
		if _, ok := all[key]; ok {
			t.Errorf("%s has one number for %s: got two", name, key)
		}
		if all[key] = n.Value; n.Deviation != nil {
			all[key+" | deviation"] = *n.Deviation
		}
	}
	return all
}

// table reads one of the tables as its rows by the names of its columns.
func paperTable(t *testing.T, name string) (rows []map[string]string) {
	t.Helper()
	file, err := os.Open(datatest.Public(t, "paper-tables", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := make(map[string]string)
		for i, column := range lines[0] {
			row[column] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// share is a percentage as a share.
func share(percent float64) float64 { return math.Round(percent*1e4) / 1e6 }

func percentage(t *testing.T, text string) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return share(value)
}

// TestTablesOfSource0: Table 1 and Tables 2 to 5, number by number.
func TestTablesOfSource0(t *testing.T) {
	want, names := make(map[string]float64), map[string]string{
		"single_cot": "cot", "self_consistency": "cot-sc", "mad": "mad", "mad_truth_last": "truth-last",
		"mad_madc": "madc",
	}
	for _, r := range paperTable(t, "madc_table1.csv") {
		want[fmt.Sprintf("%s | Table 1 | %s | %s | accuracy", r["model"], r["task"],
			names[r["strategy"]])] = percentage(t, r["accuracy_percent"])
	}
	if diff := cmp.Diff(want, published(t, "madc-table1")); diff != "" || len(want) != 9*5*3 {
		t.Errorf("%d numbers of Table 1: %s", len(want), diff)
	}
	clear(want)
	for _, r := range paperTable(t, "madc_agent_scaling_tables2-5.csv") {
		for column, condition := range map[string]string{"mad": "mad", "mad_madc": "madc"} {
			want[fmt.Sprintf("%s | Table %s | %s | %s/agents=%s | accuracy", r["model"], r["paper_table"], r["task"],
				condition, r["agents"])] = percentage(t, r[column])
		}
	}
	if diff := cmp.Diff(want, published(t, "madc-agents")); diff != "" || len(want) != 64 {
		t.Errorf("%d numbers of Tables 2 to 5: %s", len(want), diff)
	}
}

// TestThresholdTables: Tables 6 to 11.
func TestThresholdTables(t *testing.T) {
	want := make(map[string]float64)
	for _, r := range paperTable(t, "madc_rq3_tables6-11.csv") {
		for column, condition := range map[string]string{"correct_first": "correct-first",
			"incorrect_first": "incorrect-first", "alternating": "alternating"} {
			value, err := strconv.ParseFloat(r[column], 64)
			if err != nil {
				t.Fatal(err)
			}
			want[fmt.Sprintf("%s | Table %s | case-%s | %s/agents=%s | accuracy", r["model"], r["paper_table"],
				r["case"], condition, r["count"])] = value
		}
	}
	if diff := cmp.Diff(want, published(t, "madc-reversal")); diff != "" || len(want) != 1440 {
		t.Errorf("%d numbers of Tables 6 to 11: %s", len(want), diff)
	}
}

// otherPapers are the tables of Liang et al. and MALLM that experiments have.
type otherPapers struct {
	CommonMT [][]any             `json:"liang_table3_common_mt"`
	CIAR     map[string]float64  `json:"liang_table5_counter_intuitive_ar_accuracy_percent"`
	Judges   [][]any             `json:"liang_table7"`
	Drafting map[string]any      `json:"mallm_table1_strategyqa"`
	Turns    map[string][]any    `json:"mallm_table2_mmlu_turns_percent"`
	Main     map[string]rowOrSet `json:"mallm_table4"`
	Accuracy printedFit          `json:"kks_table4_final_smooth_accuracy_ols"`
	Agreed   printedFit          `json:"kks_table5_auc_agreement_major_ols"`
}

// printedFit is a regression of Wu et al.
type printedFit struct {
	N        int                   `json:"n"`
	R2       float64               `json:"r2"`
	Adjusted float64               `json:"adj_r2"`
	Coef     map[string][2]float64 `json:"coef"`
}

// TestFitsOfSource2: the 66 numbers of Tables 4 and 5.
func TestFitsOfSource2(t *testing.T) {
	o := papers(t)
	e := loaded(t, "kks-factors")
	got, numbers := map[string]printedFit{}, 0
	for _, f := range e.Fits() {
		fit := printedFit{f.N, f.R2, f.Adjusted, map[string][2]float64{}}
		for _, c := range f.Coefficients {
			fit.Coef[c.Name] = [2]float64{c.Estimate, c.Error}
		}
		got[f.Outcome] = fit
	}
	for _, p := range e.Published {
		if p.Fit != nil {
			numbers += p.Fit.numbers()
		}
	}
	if diff := cmp.Diff(map[string]printedFit{"final-smooth": o.Accuracy, "agreement-major": o.Agreed},
		got); diff != "" || numbers != 66 {
		t.Errorf("the 66 numbers of the published fits are those of the source: got %d, (-want +got):\n%s",
			numbers, diff)
	}
}

// rowOrSet is a row of pairs of mean and deviation; the names of columns are none.
type rowOrSet [][]float64

// UnmarshalJSON implements json.Unmarshaler.
func (r *rowOrSet) UnmarshalJSON(text []byte) error {
	var pairs [][]float64
	if json.Unmarshal(text, &pairs) == nil {
		*r = pairs
	}
	return nil
}

func papers(t *testing.T) (o otherPapers) {
	t.Helper()
	text := datatest.Read(t, datatest.Public(t, "paper-tables", "other_papers.json"))
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestTablesOfSource3: Tables 3, 5 and 7, and the lexical rule on the outputs published with Table 3.
func TestTablesOfSource3(t *testing.T) {
	o := papers(t)
	want := make(map[string]float64)
	for row, condition := range map[string]string{"GPT-4": "direct", "GPT-3.5-Turbo": "direct", "+CoT": "cot",
		"+Self-Consistency": "cot-sc", "+Self-Reflect": "self-reflect", "+MAD": "mad"} {
		want[source3Model(row)+" | Table 5 | ciar | "+condition+" | accuracy"] = share(o.CIAR[row])
	}
	if diff := cmp.Diff(want, published(t, "liang-ciar")); diff != "" {
		t.Errorf("the published numbers of liang-ciar are these (-want +got):\n%s", diff)
	}
	clear(want)
	for _, row := range o.Judges[:2] { // the others have two models
		model := map[string]string{"Turbo": "GPT-3.5-Turbo", "GPT-4": "GPT-4"}[row[1].(string)]
		for i, side := range []string{"affirmative", "negative", "neither"} {
			want[model+" | Table 7 | common-mt | tit-for-tat | won-by-"+side] = row[4+i].(float64) / 200
		}
	}
	if diff := cmp.Diff(want, published(t, "liang-judge")); diff != "" {
		t.Errorf("the published numbers of liang-judge are these (-want +got):\n%s", diff)
	}
	clear(want)
	conditions := map[string]string{"GPT-4": "direct", "GPT-3.5-Turbo": "direct", "+Self-Reflect": "self-reflect",
		"+MAD": "mad"}
	for _, row := range o.CommonMT {
		if name := row[0].(string); conditions[name] != "" {
			cell := source3Model(name) + " | Table 3 | common-mt | " + conditions[name] + " | accuracy-by-people"
			want[cell] = share(row[4].(float64))
		}
	}
	for system, row := range map[string]string{"gpt4": "GPT-4", "baseline": "GPT-3.5-Turbo",
		"self_reflect": "+Self-Reflect", "mad": "+MAD"} {
		cell := source3Model(row) + " | outputs published with Table 3, by the lexical rule | common-mt | " +
			conditions[row] + " | accuracy"
		want[cell] = lexicalShare(t, system)
	}
	if diff := cmp.Diff(want, published(t, "liang-common-mt")); diff != "" {
		t.Errorf("the published numbers of liang-common-mt are these (-want +got):\n%s", diff)
	}
}

// source3Model is the model of a row: methods are of GPT-3.5-Turbo.
func source3Model(row string) string {
	if row == "GPT-4" {
		return row
	}
	return "GPT-3.5-Turbo"
}

// lexicalShare scores the recorded outputs of a system by the lexical rule.
func lexicalShare(t *testing.T, system string) float64 {
	t.Helper()
	file, err := os.Open(datatest.Public(t, "common-mt", "lexical.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	right, all := 0.0, 0.0
	for d := json.NewDecoder(file); d.More(); all++ {
		var row struct {
			Correct   string            `json:"correct_reference"`
			Incorrect string            `json:"incorrect_reference"`
			Outputs   map[string]string `json:"outputs"`
		}
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		if task.Lexical(row.Outputs[system], row.Correct, row.Incorrect) {
			right++
		}
	}
	return right / all
}

// inTables leaves out the numbers of texts and abstracts.
func inTables(all map[string]float64) map[string]float64 {
	maps.DeleteFunc(all, func(key string, _ float64) bool { return !strings.Contains(key, " | Table ") })
	return all
}

// TestTextOfSource4: the differences in its text are those of the means of its tables' rows, each as it prints them,
// and those in its abstract the means of these. It prints F1 and MuSR in the text alone.
func TestTextOfSource4(t *testing.T) {
	all, turns := published(t, "mallm-protocols"), published(t, "mallm-turns")
	votes, consensus := []string{"simple", "ranked", "cumulative"}, []string{"majority", "supermajority", "unanimity"}
	sides := func(votes []string) string {
		return "(" + strings.Join(votes, ", ") + ") - (" + strings.Join(consensus, ", ") + ")"
	}
	round := func(x float64, decimals int) float64 {
		return math.Round(x*math.Pow10(decimals)) / math.Pow10(decimals)
	}
	mean := func(conditions []string, of func(condition string) float64) (sum float64) {
		for _, c := range conditions {
			sum += of(c) / float64(len(conditions))
		}
		return sum
	}
	const text = "Llama 3 8B | text on voting and consensus | "
	const abstract = "Llama 3 8B | abstract on voting and consensus | "
	check := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	for _, task := range []string{"mmlu", "mmlu-pro", "gpqa", "strategyqa"} {
		of := func(c string) float64 { return all["Llama 3 8B | Table 4 | "+task+" | "+c+" | accuracy"] }
		check(task, all[text+task+" | "+sides(votes)+" | accuracy"], round(round(mean(votes, of), 3)-
			round(mean(consensus, of), 3), 3))
	}
	squad := all[text+"squad2 | "+sides(votes)+" | f1"]
	check("squad2", squad, round(all[text+"squad2 | (simple, ranked, cumulative) | f1"]-
		all[text+"squad2 | (majority, supermajority, unanimity) | f1"], 3))
	on := func(task string) float64 { return all[text+task+" | "+sides(votes)+" | accuracy"] }
	check("knowledge", all[abstract+"mmlu, mmlu-pro, gpqa | "+sides(votes)+" | accuracy"],
		round(mean([]string{"mmlu", "mmlu-pro", "gpqa"}, on), 3))
	check("reasoning", all[abstract+"strategyqa, musr, squad2 | "+sides(votes)+" | accuracy"],
		round((on("strategyqa")+on("musr")+squad)/3, 3))
	took := func(c string) (sum float64) {
		for turn := 1; turn <= 5; turn++ {
			sum += float64(turn) * turns[fmt.Sprintf("Llama 3 8B | Table 2 | mmlu | %s | decided-in-turn-%d", c, turn)]
		}
		return round(sum, 2)
	}
	const spent = "Llama 3 8B | text on turns | mmlu | "
	check("turns of votes", turns[spent+"(simple, ranked, cumulative, approval) | rounds"],
		round(mean(append(votes, "approval"), took)+1e-9, 2))
	check("turns of consensus", turns[spent+"(majority, supermajority, unanimity) | rounds"],
		round(mean(consensus, took), 2))
}

// TestTablesOfSource4: Tables 1, 2 and 4.
func TestTablesOfSource4(t *testing.T) {
	o := papers(t)
	names := map[string]string{
		"solution_counting": "counting", "simple_voting": "simple", "ranked_voting": "ranked",
		"cumulative_voting": "cumulative", "approval_voting": "approval",
		"majority_consensus": "majority", "supermajority_consensus": "supermajority",
		"unanimity_consensus": "unanimity",
	}
	want := make(map[string]float64)
	for row, pairs := range o.Main {
		for i, pair := range pairs {
			key := "Llama 3 8B | Table 4 | " + []string{"mmlu", "mmlu-pro", "gpqa", "strategyqa"}[i] + " | " +
				names[row] + " | accuracy"
			want[key], want[key+" | deviation"] = share(pair[0]), share(pair[1])
		}
	}
	turns := make(map[string]float64)
	for row, numbers := range o.Turns {
		if row == "columns" {
			continue
		}
		key := "Llama 3 8B | Table 2 | mmlu | " + names[row] + " | "
		for i, number := range numbers[:5] {
			turns[fmt.Sprintf("%sdecided-in-turn-%d", key, i+1)] = share(number.(float64))
		}
		turns[key+"accuracy"], turns[key+"accuracy | deviation"] = share(numbers[5].(float64)),
			share(numbers[6].(float64))
	}
	if diff := cmp.Diff(turns, inTables(published(t, "mallm-turns"))); diff != "" || len(turns) != 7*7 {
		t.Errorf("the 49 numbers of Table 2 are those of the experiment: got %d, (-want +got):\n%s", len(turns), diff)
	}
	approval := "Llama 3 8B | Table 2 | mmlu | approval | accuracy" // which Table 4 lacks
	want[approval], want[approval+" | deviation"] = turns[approval], turns[approval+" | deviation"]
	if diff := cmp.Diff(want, inTables(published(t, "mallm-protocols"))); diff != "" || len(want) != 2*(7*4+1) {
		t.Errorf("%d numbers of Table 4: %s", len(want), diff)
	}
	for experiment, columns := range map[string]map[string]string{
		"mallm-drafting":   {"baseline": "discussion", "all_agents_drafting": "aad", "collective_improvement": "ci"},
		"mallm-generators": {"baseline": "simple", "critical": "critical", "reasoning": "reasoning"},
	} {
		t.Run(experiment, func(t *testing.T) {
			clear(want)
			for i, column := range o.Drafting["columns"].([]any) {
				if condition := columns[column.(string)]; condition != "" {
					key := "Llama 3 8B | Table 1 | strategyqa | " + condition + "/decide=* | "
					want[key+"similarity"] = o.Drafting["answer_cosine_similarity"].([]any)[i].(float64)
					want[key+"accuracy"] = share(o.Drafting["mean_accuracy_percent"].([]any)[i].(float64))
					if gain := o.Drafting["delta_baseline_points"].([]any)[i].(float64); gain != 0 {
						want[fmt.Sprintf("Llama 3 8B | Table 1 | strategyqa | (%s/decide=*) - (%s/decide=*) | accuracy",
							condition, columns["baseline"])] = share(gain)
					}
				}
			}
			if diff := cmp.Diff(want, published(t, experiment)); diff != "" || len(want) != 6+2 {
				t.Errorf("%s, %d numbers of Table 1: %s", experiment, len(want), diff)
			}
		})
	}
}
