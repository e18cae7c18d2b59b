// Package chattest reads what transformers renders with the chat templates of public models, for tests.
// tools/differential/templates.py writes it.
package chattest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Golden names a template.
type Golden struct{ Template, SHA256, BOS, EOS string }

// Rendered is what transformers renders with one template.
type Rendered struct {
	Golden
	Cases []Case
}

// Case is a conversation and the text that the template makes of it, or the error that it fails with.
type Case struct {
	Messages              string    // the name of the conversation
	Conversation          []Message `json:"-"`
	Generation, Continued bool
	Thinking              *bool
	Text, Error, Type     string
}

// Message is a chat.Message, which the tests of package chat could not use from here.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Read reads the goldens of a directory, by the names of their templates.
func Read(t *testing.T, dir string) map[string]Rendered {
	t.Helper()
	var named struct{ Conversations map[string][]Message }
	const conversations = "conversations.json"
	ReadJSON(t, filepath.Join(dir, conversations), &named)
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]Rendered)
	for _, file := range files {
		if filepath.Base(file) == conversations {
			continue
		}
		var r Rendered
		ReadJSON(t, file, &r)
		for i := range r.Cases {
			r.Cases[i].Conversation = named.Conversations[r.Cases[i].Messages]
		}
		all[r.Template] = r
	}
	return all
}

// ReadJSON reads a file.
func ReadJSON(t *testing.T, file string, to any) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(content, to)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// Source is the template's text, from one of the directories or from the carrier; "" if none has it with the SHA-256
// that was rendered.
func (g Golden) Source(dirs ...string) string {
	known := []string{carried()[strings.TrimPrefix(g.Template, "carrier-")]}
	for _, dir := range dirs {
		content, _ := os.ReadFile(filepath.Join(dir, g.Template+".jinja"))
		known = append(known, string(content))
	}
	for _, text := range known {
		if fmt.Sprintf("%x", sha256.Sum256([]byte(text))) == g.SHA256 {
			return text
		}
	}
	return ""
}

// carried are the first templates of each name in the carrier's own test data, and in its list of known templates. Both
// are in Go's module cache.
var carried = sync.OnceValue(func() map[string]string {
	dir, _ := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/ollama/ollama").Output()
	templates := filepath.Join(strings.TrimSpace(string(dir)), "template")
	found := make(map[string]string)
	add := func(name, text string) {
		if found[name] == "" {
			found[name] = text
		}
	}
	lines, _ := os.ReadFile(filepath.Join(templates, "testdata", "templates.jsonl"))
	for line := range strings.Lines(string(lines)) {
		var one map[string]string
		if json.Unmarshal([]byte(line), &one) == nil {
			for name, text := range one {
				add(name, text)
			}
		}
	}
	index, _ := os.ReadFile(filepath.Join(templates, "index.json"))
	var known []struct{ Name, Template string }
	if json.Unmarshal(index, &known) == nil {
		for _, k := range known {
			add(k.Name, k.Template)
		}
	}
	return found
})
