// Package chattest reads what transformers renders with the chat templates of public models, for tests.
// tools/differential/templates.py writes it.
package chattest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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

// Source returns the template's text, from one of the directories, or "" if none has it with the SHA-256 that was
// rendered.
func (g Golden) Source(dirs ...string) string {
	for _, dir := range dirs {
		text, _ := os.ReadFile(filepath.Join(dir, g.Template+".jinja"))
		if fmt.Sprintf("%x", sha256.Sum256(text)) == g.SHA256 {
			return string(text)
		}
	}
	return ""
}
