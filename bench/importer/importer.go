// Package importer reads the logs of other debate programs as debates of ours, so that they get the same tables,
// measures and reports.
//
// Lifecycle: Read makes a Log of files; Log.Run reads the answers and scores them by a task; Save writes a run
// directory, and Summarize counts what is in it. A debate that cannot be read becomes a Problem and does not stop the
// others.
package importer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"parley/bench/rundir"
	"parley/debate"
	"parley/inference"
)

// Bounds of what is read: logs are hostile until parsed.
const (
	maxFileBytes   = 64 << 20
	maxDebates     = 100_000
	maxTurns       = 1000    // of one debate
	maxDebateBytes = 8 << 20 // of its texts and of all messages as sent, which repeat what was said before
)

// Format is one program's way to log debates.
type Format struct {
	Name    string `json:"name"`
	Source  string `json:"source"`
	Meaning string `json:"meaning"` // what a file holds

	condition string // what its debates are called in tables
	form      string
	read      func(content []byte) ([]entry, error)
}

// Formats lists them.
func Formats() []Format {
	return []Format{
		{"liang", "Liang et al., github.com/Skytliang/Multi-Agents-Debate",
			"translations: a JSON object a file with the chats of both sides, moderator and judge; or JSON lines " +
				"with their texts alone",
			"tit-for-tat", "tit-for-tat", readLiang},
		{"du", "Du et al., github.com/composable-models/llm_multiagent_debate",
			"a JSON object: by question the agents' chats, with the right answer or without",
			"society", "society", readDu},
		{"agora", "github.com/gauss5930/LLM-Agora", "a JSON list of question, answer and agent_response: by model " +
			"its replies",
			"society", "society", readAgora},
	}
}

func formatNamed(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("unknown log format %q; there are %s", name, strings.Join(names, ", "))
}

// Problem is a debate that could not be read.
type Problem struct {
	Place  string `json:"place"` // file and line, or the debate's number
	Reason string `json:"reason"`
}

func (p Problem) String() string { return p.Place + ": " + p.Reason }

// Log is what files of one format hold.
type Log struct {
	Format   Format
	Files    []rundir.LogFile
	Problems []Problem
	debates  []held
}

// held is a debate as a log has it. Where the log has no decision, answers are not read yet.
type held struct {
	number      int // in all files, from 1, those that cannot be read counted
	question    string
	target      string // the right answer as the log has it, "" if it does not
	rejected    string // of a translation, the reference of who misunderstood
	model       string
	temperature *float64
	transcript  debate.Transcript
}

// entry is a debate in a file, or why it cannot be read.
type entry struct {
	place string
	held  held
	err   error
}

// Read reads log files. A file that cannot be read at all is an error.
func Read(format string, paths []string) (Log, error) {
	f, err := formatNamed(format)
	if err != nil {
		return Log{}, err
	}
	l, seen := Log{Format: f}, 0
	for _, path := range paths {
		content, err := readFile(path)
		if err != nil {
			return l, fmt.Errorf("log %q: %w", path, err)
		}
		entries, err := f.read(content)
		if err != nil {
			return l, fmt.Errorf("log %q: %w", path, err)
		}
		sum := sha256.Sum256(content)
		l.Files = append(l.Files, rundir.LogFile{Path: path, Hash: hex.EncodeToString(sum[:])})
		if seen+len(entries) > maxDebates {
			return l, fmt.Errorf("log %q: more than %d debates in all; import fewer files at a time", path, maxDebates)
		}
		for _, e := range entries {
			seen++
			l.add(path, seen, e)
		}
	}
	if len(l.debates) == 0 {
		return l, fmt.Errorf("no debate of format %s in %d files%s", f.Name, len(paths), first(l.Problems))
	}
	return l, nil
}

func first(problems []Problem) string {
	if len(problems) == 0 {
		return ""
	}
	return fmt.Sprintf("; %d cannot be read, the first: %s", len(problems), problems[0])
}

func (l *Log) add(path string, number int, e entry) {
	if e.err == nil {
		e.err = bounded(e.held.transcript)
	}
	if e.err != nil {
		l.Problems = append(l.Problems, Problem{strings.TrimSuffix(path+" "+e.place, " "), e.err.Error()})
		return
	}
	e.held.number = number
	for _, round := range e.held.transcript.Rounds {
		for i := range round {
			round[i].Reply.Key = contentKey(round[i])
		}
	}
	l.debates = append(l.debates, e.held)
}

func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err == nil && len(content) > maxFileBytes {
		err = fmt.Errorf("has more than %d bytes; split it", maxFileBytes)
	}
	return bytes.TrimPrefix(content, []byte("\ufeff")), err
}

// bounded refuses a debate that is more than a record holds.
func bounded(t debate.Transcript) error {
	turns, size := 0, 0
	for _, round := range t.Rounds {
		for _, turn := range round {
			turns, size = turns+1, size+len(turn.Reply.Text)
			for _, m := range turn.Messages {
				size += len(m.Content)
			}
			if turns > maxTurns || size > maxDebateBytes {
				return fmt.Errorf("more than %d turns, or than %d bytes of texts and messages", maxTurns,
					maxDebateBytes)
			}
		}
	}
	return nil
}

// values are the debates of a file of JSON: one object, a list of objects, or an object a line.
func values(content []byte) ([]value, error) {
	trimmed := bytes.TrimSpace(content)
	var list []json.RawMessage
	switch {
	case len(trimmed) == 0:
		return nil, errors.New("is empty")
	case trimmed[0] == '[':
		if err := json.Unmarshal(content, &list); err != nil {
			return nil, located(content, err)
		}
		found := make([]value, len(list))
		for i, v := range list {
			found[i] = value{fmt.Sprint("debate ", i+1), v}
		}
		return found, nil
	case json.Valid(trimmed):
		return []value{{"", trimmed}}, nil
	}
	return lines(content), nil
}

// value is one that is not parsed yet.
type value struct {
	place string
	json  []byte
}

func lines(content []byte) (found []value) {
	number := 0
	for line := range bytes.Lines(content) {
		if number++; len(bytes.TrimSpace(line)) > 0 {
			found = append(found, value{fmt.Sprint("line ", number), bytes.TrimSpace(line)})
		}
	}
	return found
}

// located names the line of a syntax error.
func located(content []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	at := min(max(0, int(syntax.Offset)), len(content))
	return fmt.Errorf("line %d: %w", 1+bytes.Count(content[:at], []byte("\n")), err)
}

// said is a reply in a log, with what it was a reply to where the log has it.
type said struct {
	text string
	sent []inference.Message
}

// replies are what an agent said in its chat, each with all that stands before it.
func replies(chat []inference.Message) (found []said) {
	for i, m := range chat {
		if m.Role == "assistant" {
			found = append(found, said{m.Content, chat[:i:i]})
		}
	}
	return found
}

// turn is a reply as a transcript has it.
func (s said) turn(agent, round int) debate.Turn {
	return debate.Turn{Agent: agent, Round: round, Messages: s.sent, Reply: inference.Reply{Text: s.text}}
}

// contentKey names a reply by what the log says of it, for there is no generation of ours. Without messages that is too
// little.
func contentKey(t debate.Turn) string {
	if len(t.Messages) == 0 {
		return ""
	}
	h := sha256.New()
	for _, m := range t.Messages {
		fmt.Fprintf(h, "%q %q\n", m.Role, m.Content)
	}
	fmt.Fprintf(h, "%q\n", t.Reply.Text)
	return "log-" + hex.EncodeToString(h.Sum(nil)[:16])
}
