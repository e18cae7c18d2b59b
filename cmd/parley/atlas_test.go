package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/internal/datatest"
)

// TestAtlas writes the atlas of small stand-ins for its sources, whose numbers are known.
func TestAtlas(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here")
	}
	sources := t.TempDir()
	agoraStandIn(t, filepath.Join(sources, "LLM-Agora"))
	liangStandIn(t, filepath.Join(sources, "Multi-Agents-Debate"))
	proStandIn(t, filepath.Join(sources, "MMLU-Pro"))
	controlStandIn(t, filepath.Join(sources, "ControlMAD", "load_plot"))
	out, err := exec.Command("python3", "../../tools/atlas.py", sources).CombinedOutput()
	if err != nil {
		t.Fatalf("tools/atlas.py failed: %v, want no error:\n%s", err, out)
	}
	for _, want := range []string{
		"| Math, none | 50, 0, 100 | 50, 0, 100 | +50.0 (", "| GSM8K, CoT | 50, 0, 100 | 50, 0, 100 | +50.0 (",
		"| MMLU, none | 50, 0, 100 | 50, 0, 100 | +50.0 (", "12 of the 12\nrecorded replies",
		"| 16.7 (", "| 66.7 (", // one of six first replies is right, four of six third ones
		"| GPT-3.5-Turbo | 62.5 | 1.000 to 1.000 | 0.0 (", "| + MAD | 79.5 |  | 100.0 (",
		"3 decisions are the published",
		"| Meta-Llama-3-70B | 52.78 | 1 | 50.0 (", "| 75.0 (", "| difference | -0.14 |  | +25.0 (",
		"scores on 4 puzzles", "| anchor |  |  | 50.0 (", "| two passes | +1.9 (1.5) | +25.0 (", "| 100.0 (",
		"| a fourth agent | +6.6 (1.4) | -50.0 (",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the atlas lacks %q", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}

// writeJSON writes a file, and makes its directory.
func writeJSON(t *testing.T, value any, path ...string) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, text, path...)
}

func writeFile(t *testing.T, content []byte, path ...string) {
	t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// agoraStandIn has two questions a task: of the first one model is right at once, and all in the end; of the second the
// last model is right in the end. The second replies are prompts.
func agoraStandIn(t *testing.T, directory string) {
	t.Helper()
	for task, how := range map[string]struct{ stem, question, reply, gold, prompt string }{
		"Math":  {"math", "What is %s+0?", "The answer is %s.", "%s", "Go on:"},
		"GSM8K": {"gsm", "How many are %s apples?", "The answer is %s.", "So many.\n#### %s", "Go on:"},
		"MMLU": {"mmlu", "Which is %s? A) one, B) two, C) three", "The answer is (%s).", "%s",
			"A) one, B) two, C) three, in the form (X):"},
	} {
		right, wrong := []string{"3", "5"}, "7"
		if task == "MMLU" {
			right, wrong = []string{"A", "B"}, "C"
		}
		said := func(answer string) string { return fmt.Sprintf(how.reply, answer) }
		var log []map[string]any
		for i, answer := range right {
			one, other := said(answer), said(wrong)
			replies := map[string][]string{"a": {one, how.prompt, one}, "b": {other, how.prompt, one},
				"c": {other, how.prompt, one}}
			if i == 1 {
				replies = map[string][]string{"a": {other, how.prompt, other}, "b": {other, how.prompt, other},
					"c": {other, how.prompt, one}}
			}
			log = append(log, map[string]any{"question": fmt.Sprintf(how.question, answer), "agent_response": replies,
				"answer": fmt.Sprintf(how.gold, answer)})
		}
		for _, suffix := range []string{"", "_cot"} {
			writeJSON(t, log, directory, task, how.stem+"_result"+suffix+".json")
			writeJSON(t, []map[string]string{{"1_performance": "0.5"}, {"2_performance": "0.0"},
				{"3_performance": "1.0"}}, directory, task, how.stem+"_performance"+suffix+".json")
		}
	}
}

// liangStandIn has three debates whose decisions are the right reference, and systems that say the wrong one.
func liangStandIn(t *testing.T, directory string) {
	t.Helper()
	var one map[string]any
	if err := json.Unmarshal([]byte(datatest.Read(t, "../../bench/importer/testdata/liang.json")), &one); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(directory, "data", "CommonMT", "Lexical_Ambiguity")
	one["debate translation"] = one["correct reference"]
	for i := range 3 {
		one["source"] = fmt.Sprintf("%v %d", one["source"], i)
		writeJSON(t, one, data, "MAD_Debate_Process", fmt.Sprint(i, ".json"))
	}
	for _, system := range []string{"gpt4", "baseline", "rerank", "maps", "self_reflect"} {
		writeFile(t, []byte(strings.Repeat(fmt.Sprintln(one["incorrect reference"]), 3)), data, "output", system)
	}
	writeFile(t, []byte(strings.Repeat(fmt.Sprintln(one["correct reference"]), 3)), data, "output", "mad")
}

// proStandIn has four questions, of which the first model gets two right, without one that is not read, and the second
// three.
func proStandIn(t *testing.T, directory string) {
	t.Helper()
	for model, read := range map[string][]any{"Meta-Llama-3-70B": {"A", "B", nil, "J"},
		"Qwen1.5-72B-Chat": {"A", "B", "C", "J"}} {
		var log []map[string]any
		for i, pred := range read {
			log = append(log, map[string]any{"question_id": i, "question": "Which?",
				"options": strings.Fields("one two three four five six seven eight nine ten"),
				"answer":  string("ABCD"[i]), "pred": pred,
				"generated_text": fmt.Sprintf("The answer is (%v).", pred)})
		}
		text, err := json.Marshal(log)
		if err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		w := zip.NewWriter(&packed)
		if entry, err := w.Create("outputs.json"); err != nil {
			t.Fatal(err)
		} else if _, err := entry.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		writeFile(t, packed.Bytes(), directory, "eval_results", "model_outputs_"+model+"_5shots.zip")
	}
}

// controlStandIn has four puzzles of two sizes, two of which the anchor solves; half of the roles of the others are
// right. Two passes solve all, four agents get half of that right.
func controlStandIn(t *testing.T, directory string) {
	t.Helper()
	for name, shares := range map[string][2][]float64{"default": {{1, 0.5}, {1, 0.5}}, "conf": {{1, 0.5}, {1, 0.5}},
		"order": {{1, 0.5}, {1, 0.5}}, "depth": {{1, 1}, {1, 1}}, "num": {{0.5, 0}, {0.5, 0}}} {
		log := map[string]any{}
		for i, size := range []string{"4", "6"} {
			log[size] = map[string]any{"smooth_accuracies": shares[i]}
		}
		writeJSON(t, log, directory, "results_"+name+".json")
	}
}
