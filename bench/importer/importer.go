// Package importer reads the logs of other debate programs, so that their debates get the tables, measures and reports
// of ours.
//
// Lifecycle: Read makes a Log from files; Log.Run reads the answers and scores them by a task; Save writes a run
// directory, and Summarize counts how its debates went. A debate that cannot be read becomes a Problem and does not
// stop the others.
package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/discussion"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/debate/titfortat"
	"github.com/parley-debate/parley/internal/plaintext"
)

// Bounds on what is read: logs are hostile until parsed.
const (
	maxFileBytes   = 64 << 20
	maxDebates     = 100_000
	maxTurns       = 1000    // of one debate
	maxDebateBytes = 8 << 20 // of its replies and of all messages as sent, which repeat earlier replies
)

// Format is the way in which one program logs debates.
type Format struct {
	Name    string `json:"name"`
	Source  string `json:"source"`
	Meaning string `json:"meaning"` // what a file holds

	form    string // of debate.Settings, and the name of its debates in tables
	letters string // answer rule for multiple choice
	read    func(content []byte) ([]entry, error)
}

// Formats lists the formats that can be read.
func Formats() []Format {
	return []Format{
		{"liang", "Liang et al., github.com/Skytliang/Multi-Agents-Debate",
			"translations: one JSON object per file with the chats of both sides, moderator and judge; or JSON " +
				"lines with only their texts",
			titfortat.FormName, "letter", readLiang},
		{"du", "Du et al., github.com/composable-models/llm_multiagent_debate",
			"a JSON object that gives for each question the agents' chats, with or without the right answer",
			society.FormName, "letter", readDu},
		{"agora", "github.com/gauss5930/LLM-Agora", "a JSON list of objects with question, answer and " +
			"agent_response, which has the replies of each model",
			society.FormName, "bracket-letter", readAgora},
		{"mallm", "MALLM, github.com/Multi-Agent-LLMs/mallm", "discussions: a JSON list of objects with personas, " +
			"globalMemory, votesEachTurn and finalAnswer, also as its evaluation writes them",
			discussion.FormName, "solution-letter", readMALLM},
		{"debate-or-vote", "Choi et al., github.com/deeplearning-wisc/debate-or-vote",
			"JSON lines with the rounds of a debate by number: responses by agent, final_answers, debate_answer and " +
				"answer, but no question; DAR's logs have the same keys",
			society.FormName, "letter", readDebateOrVote},
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
	Place  string `json:"place"` // the file, with the line or the debate's number
	Reason string `json:"reason"`
}

func (p Problem) String() string { return p.Place + ": " + p.Reason }

// Log is what the files of one format hold.
type Log struct {
	Format   Format
	Files    []rundir.LogFile
	Problems []Problem
	debates  []loggedDebate
}

// loggedDebate is a debate as a log has it. If the log has no decision, Log.Run reads the answers and takes one. A log
// without the question counts its debates in the order of the task.
type loggedDebate struct {
	number      int // in all files, from 1, with those that cannot be read
	question    string
	target      string // the right answer as the log has it, "" if it has none
	rejected    string // the incorrect reference of a translation
	model       string
	temperature *float64
	settings    debate.Settings // beside form, agents and rounds
	transcript  debate.Transcript

	solutions [][]string // for each turn the text that its answer is read from; nil if that is the reply
	decided   *string    // the text that the decision is read from; nil if the transcript has it, or nobody decided
	by        string     // who or what decided
	verdict   *bool      // whether the log counts the decision as right, if it says so
}

// entry is a debate in a file, or the reason why it cannot be read.
type entry struct {
	place  string
	debate loggedDebate
	err    error
}

// Read reads log files. A file that cannot be read at all is an error.
func Read(format string, paths []string) (l Log, err error) {
	for _, path := range paths {
		content, err := ReadFile(path, maxFileBytes)
		if err != nil {
			return l, fmt.Errorf("log %q: %w", path, err)
		}
		if err := l.Add(format, path, content); err != nil {
			return l, fmt.Errorf("log %q: %w", path, err)
		}
	}
	if len(l.debates) == 0 {
		return l, fmt.Errorf("no debate of format %s in %d files%s", l.Format.Name, len(paths), firstOf(l.Problems))
	}
	return l, nil
}

// Add reads one more file of a log, which has this content.
func (l *Log) Add(format, path string, content []byte) (err error) {
	if l.Format, err = formatNamed(format); err != nil {
		return err
	}
	text, err := plaintext.Of(content)
	if err == nil {
		err = plaintext.Escapes(text) // every format is JSON
	}
	if err != nil {
		return err
	}
	entries, err := l.Format.read(text)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	l.Files = append(l.Files, rundir.LogFile{Path: path, Hash: hex.EncodeToString(sum[:])})
	seen := len(l.debates) + len(l.Problems)
	if seen+len(entries) > maxDebates {
		return fmt.Errorf("more than %d debates in all; import fewer files at a time", maxDebates)
	}
	for i, e := range entries {
		l.add(path, seen+i+1, e)
	}
	return nil
}

// firstOf names the first problem at the end of an error.
func firstOf(problems []Problem) string {
	if len(problems) == 0 {
		return ""
	}
	return fmt.Sprintf("; %d cannot be read, the first: %s", len(problems), problems[0])
}

// add enters a debate, or a problem if it cannot be read or exceeds the bounds of a debate.
func (l *Log) add(path string, number int, e entry) {
	if e.err == nil {
		e.err = checkSize(e.debate.transcript)
	}
	if e.err != nil {
		l.Problems = append(l.Problems, Problem{strings.TrimSuffix(path+" "+e.place, " "), e.err.Error()})
		return
	}
	e.debate.number = number
	for _, round := range e.debate.transcript.Rounds {
		for i := range round {
			round[i].Reply.Key = contentKey(round[i])
		}
	}
	l.debates = append(l.debates, e.debate)
}

// ReadFile reads a file of at most so many bytes.
func ReadFile(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(content)) > most {
		err = fmt.Errorf("has more than %d bytes; split it", most)
	}
	return content, err
}

// checkSize refuses a debate that a record could not hold.
func checkSize(t debate.Transcript) error {
	turns, size := 0, 0
	for _, name := range t.Roles {
		size += len(name)
	}
	for _, r := range t.Records {
		size += len(r.Solution)
	}
	for _, round := range t.Rounds {
		for _, turn := range round {
			turns, size = turns+1, size+len(turn.Reply.Text)
			for _, m := range turn.Messages {
				size += len(m.Content)
			}
			if turns > maxTurns || size > maxDebateBytes {
				return fmt.Errorf("more than %d turns, or more than %d bytes of texts and messages", maxTurns,
					maxDebateBytes)
			}
		}
	}
	return nil
}
