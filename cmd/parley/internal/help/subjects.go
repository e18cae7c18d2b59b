package help

import (
	"strings"

	"github.com/parley-debate/parley/cmd/parley/internal/flags"
)

// subject is a heading of flags in help, with the flags below it in their order.
type subject struct{ title, flags string }

// subjects are the headings under which a command with many flags lists them. A flag of one name is about the same
// subject in all commands.
var subjects = []subject{
	{"Questions", "task on data only small columns rule answer generated objects players spies hints puzzles puzzle " +
		"questions"},
	{"Debates", "conditions protocols protocol set agents rounds reading prompts order topology show until decide " +
		"layout " +
		"level controls methods budgets repeats team human truth wrong facts"},
	{"Replies", strings.Join(flags.SamplingNames(false), " ") + " max-tokens end-loops reasoning closing beliefs seed"},
	{"Model", "model engine chat-template kernels mode kv speculate choices"},
	{"Machine", "threads parallel context gpu-layers device place"},
	{"Tests", "stop-when stop-every stop-within equivalence contrast cluster group power labels blind"},
	{"Run directory", "out leave-out fork for tokens shard"},
	{"Forecast", "dry-run calibrate"},
	{"Server", "listen api-key-file insecure share-prefixes tls-cert tls-key journal log drain " +
		"prompt-tokens-details reasoning-format"},
	{"Limits", "max-body max-in-flight max-choices max-waiting max-connections"},
	{"Workloads", "shape like warm"},
	{"Peer", "peer peer-expert peer-in-flight peer-flags"},
	{"Output", "details json transcript in help"},
}

// most is how many flags a command lists without headings.
const most = 12

// used are the flags that people use first, by the words of the command.
var used = map[string]string{
	"parley compare": "task generated model questions agents rounds conditions out dry-run json",
	"parley run":     "model data only small questions set out dry-run for json",
	"parley referee": "model task questions budgets repeats out dry-run for json",
	"parley demo":    "puzzles agents rounds conditions out json",
	"parley debate":  "protocol agents rounds model set puzzle truth transcript human json",
	"parley serve":   "model listen api-key-file journal parallel context threads gpu-layers kv log",
	"parley batch":   "model in out journal parallel context threads gpu-layers",
	"parley bench":   "model small repeats peer out json",
	"parley replay":  "model json",
	"parley judge":   "model labels blind json",
	"parley doctor":  "model engine replies json",
}

// usedFirst returns the names of the flags that a command shows first.
func usedFirst(path string) []string { return strings.Fields(used[path]) }
