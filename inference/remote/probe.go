package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/models"
)

// Programs that are known by what they answer. Any other is asked as OpenAI's own.
const (
	vLLM        = "vLLM"
	sgLang      = "SGLang"
	llamaServer = "llama-server"
	ollama      = "Ollama"
	parleyServe = "parley serve"
	openAI      = "OpenAI-shaped"
)

// about is what a server says of itself, bounded and without control characters.
type about struct {
	program, version string
	model            string // the name that it serves the model by
	content          string // what it says of the model's file: a digest or a path; "" for nothing
	fingerprint      string // parley serve: of how it computes
	architecture     string // parley serve, as what follows
	quantization     string
	parameters       int64
	room             int // tokens of a request with its reply; 0 if it does not say
	slots            int // requests that it computes at once, or a guess
}

// owners maps what programs call themselves in lists of models (owned_by) to our names. Ollama is missing: it is
// recognised by paths of its own, in probeVersion.
var owners = map[string]string{"vllm": vLLM, "sglang": sgLang, "llamacpp": llamaServer, "parley": parleyServe}

// usualSlots is how many requests a program is sent at once if it does not say how many it takes. These are guesses,
// and no bounds: a server that is busy gets fewer (serverLoad.limit), and Options.Parallel stands above them.
var usualSlots = map[string]int{vLLM: 64, sgLang: 64, parleyServe: 64, llamaServer: 4, ollama: 4, openAI: 16}

// takesTokens are the programs whose /v1/completions reads token ids.
var takesTokens = []string{vLLM, sgLang, llamaServer, parleyServe}

// listed is an entry of /v1/models.
type listed struct {
	ID          string `json:"id"`
	OwnedBy     string `json:"owned_by"`
	MaxModelLen int    `json:"max_model_len"`
	Root        string `json:"root"` // vLLM: where the weights are from

	// parley serve
	Hash         string `json:"hash"`
	Version      string `json:"version"`
	Fingerprint  string `json:"system_fingerprint"`
	Architecture string `json:"architecture"`
	Quantization string `json:"quantization"`
	Parameters   int64  `json:"parameters"`
}

// probe finds out which program a server is, and which of its models is meant. It fills about, and sends nothing
// but questions. Texts of the server go through clean, since they stand in records and errors.
//
// The list of models comes first, since it names the program, and the program decides what else can be asked. Nothing
// else is needed: what a server does not answer stays empty, and is guessed or left out.
func (s *server) probe(ctx context.Context, model string) error {
	var models struct {
		Data []listed `json:"data"`
	}
	if err := s.get(ctx, "/v1/models", &models); err != nil {
		if f := new(fault); errors.As(err, &f) && f.status == http.StatusNotFound {
			return fmt.Errorf("%w; it does not answer /v1/models, as servers that speak OpenAI's protocol do", err)
		}
		return err
	}
	chosen, err := choose(models.Data, model)
	if err != nil {
		return fmt.Errorf("server %s: %w", s.url, err)
	}
	s.about = about{program: cmp.Or(owners[chosen.OwnedBy], openAI), model: chosen.ID, room: max(0, chosen.MaxModelLen),
		content: cmp.Or(chosen.Hash, chosen.Root)}
	switch s.about.program {
	case vLLM, openAI:
		err = s.probeVersion(ctx)
	case sgLang:
		err = s.probeSGLang(ctx)
	case llamaServer:
		err = s.probeLlama(ctx)
	case parleyServe:
		s.about.version, s.about.fingerprint = chosen.Version, s.clean(chosen.Fingerprint)
		s.about.architecture, s.about.quantization = s.clean(chosen.Architecture), s.clean(chosen.Quantization)
		s.about.parameters = max(0, chosen.Parameters)
	}
	s.about.slots = cmp.Or(s.about.slots, usualSlots[s.about.program])
	s.about.version, s.about.content = s.clean(s.about.version), s.clean(s.about.content)
	// every request repeats the name, so that it cannot be cleaned: what would not stay as it is, is refused
	if s.clean(chosen.ID) != chosen.ID {
		return fmt.Errorf("server %s: the name of its model is no name: %q", s.url, s.clean(chosen.ID))
	}
	return err
}

// choose returns the model of that name, or the only one. The error names what there is.
func choose(list []listed, model string) (listed, error) {
	names := make([]string, len(list))
	for i, l := range list {
		if names[i] = l.ID; l.ID == model || model == "" && len(list) == 1 {
			return l, nil
		}
	}
	if slices.Sort(names); len(names) > 20 {
		names = append(names[:20], "...")
	}
	if model == "" {
		return listed{}, fmt.Errorf("it serves %d models: add # and a name to the URL; there are %s", len(list),
			strings.Join(names, ", "))
	}
	return listed{}, fmt.Errorf("it serves no model %q; there are %s", model, strings.Join(names, ", "))
}

// optional is get for what a server need not have: that it does not answer, or answers otherwise, is no error.
func (s *server) optional(ctx context.Context, path string, to any) error {
	err := s.get(ctx, path, to)
	if f := new(fault); errors.As(err, &f) && (f.status != 0 || f.garbled) {
		return nil
	}
	return err
}

// probeVersion asks for a version as vLLM and Ollama have it. A server is Ollama if it answers Ollama's own paths and
// lists the model there, with the digest of its file; otherwise it stays OpenAI-shaped, without a version.
func (s *server) probeVersion(ctx context.Context) error {
	var said struct {
		Version string `json:"version"`
	}
	if s.about.program == vLLM {
		err := s.optional(ctx, "/version", &said)
		s.about.version = said.Version
		return err
	}
	if err := s.optional(ctx, "/api/version", &said); err != nil || said.Version == "" {
		return err
	}
	var tags struct {
		Models []struct{ Name, Digest string } `json:"models"`
	}
	if err := s.optional(ctx, "/api/tags", &tags); err != nil {
		return err
	}
	for _, m := range tags.Models {
		if m.Name == s.about.model {
			s.about.program, s.about.version, s.about.content = ollama, said.Version, m.Digest
		}
	}
	return nil
}

// probeSGLang asks SGLang for its version, the model's path and the room of a request.
func (s *server) probeSGLang(ctx context.Context) error {
	var said struct {
		Version       string `json:"version"`
		ModelPath     string `json:"model_path"`
		ContextLength int    `json:"context_length"`
	}
	err := s.optional(ctx, "/get_server_info", &said)
	s.about.version, s.about.content = said.Version, cmp.Or(said.ModelPath, s.about.content)
	s.about.room = cmp.Or(s.about.room, max(0, said.ContextLength))
	return err
}

// probeLlama asks llama-server for its build, its slots, the model's path and the room of a request. The room is that
// of one slot, not of the whole context. The number of slots is bounded, since as many requests are sent at once.
func (s *server) probeLlama(ctx context.Context) error {
	var said struct {
		TotalSlots int    `json:"total_slots"`
		ModelPath  string `json:"model_path"`
		BuildInfo  string `json:"build_info"`
		Settings   struct {
			Cells int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	err := s.optional(ctx, "/props", &said)
	s.about.version, s.about.slots = said.BuildInfo, min(max(0, said.TotalSlots), 1024)
	s.about.room, s.about.content = max(0, said.Settings.Cells), said.ModelPath
	return err
}

// probeAll looks at all servers of an address. They have to be one program that serves one model: a job may go to any
// of them. Contents are compared where they are digests; those of other programs are paths, which may differ from one
// machine to the next for the same file.
func probeAll(ctx context.Context, servers []*server, model string) error {
	for _, s := range servers {
		if err := s.probe(ctx, model); err != nil {
			return err
		}
		first := servers[0].about
		if a := s.about; a.program != first.program || a.model != first.model {
			return fmt.Errorf("servers of one pool have to be alike: %s is %s with model %q, %s is %s with %q; those "+
				"of other models can be members of a team", servers[0].url, first.program, first.model, s.url,
				a.program, a.model)
		}
		if a := s.about; a.content != first.content && (a.program == ollama || a.program == parleyServe) {
			return fmt.Errorf("servers of one pool have to serve the same model: %q of %s is %.12s, that of %s is "+
				"%.12s", a.model, servers[0].url, first.content, s.url, a.content)
		}
	}
	return nil
}

// describe returns what records say of the model. Its hash names what can be known of what computes the replies; it is
// a part of every key, and so must not change for the same servers. Their URLs are no part of it: servers that move, or
// that join, go on with the replies of a journal. A new version of the program does not, since Kernels or Fingerprint
// name it.
func (e *Engine) describe() inference.ModelInfo {
	first := e.pool.servers[0].about
	remote := &inference.Remote{Program: first.program, Asked: inference.AskedMessages,
		Version:     e.pool.distinct(func(a about) string { return a.version }),
		Fingerprint: e.pool.distinct(func(a about) string { return a.fingerprint })}
	for _, s := range e.pool.servers {
		remote.URLs = append(remote.URLs, s.url)
	}
	info := inference.ModelInfo{Name: first.model, Path: e.address, Context: first.room, Mode: inference.Elsewhere,
		Architecture: first.architecture, Quantization: first.quantization, Parameters: first.parameters,
		Kernels: first.program, Device: "remote", Remote: remote, Advice: models.CardOf(first.model)}
	if first.program == parleyServe { // whose fingerprint says more than its version
		remote.FileHash = first.content
	} else {
		remote.File, info.Kernels = first.content, strings.TrimSpace(first.program+" "+remote.Version)
	}
	if e.options.Choices > 1 {
		remote.Choices = e.options.Choices
	}
	if v := e.vocabulary; v != nil {
		m := v.Model()
		remote.Asked, remote.Vocabulary, info.Template, info.Embedded = inference.AskedTokens, m.Hash, m.Template,
			m.Embedded
		info.Context, info.Advice = cmp.Or(first.room, m.Context), m.Advice
	}
	info.Hash = digest("parley remote model", first.program, first.model, first.content, remote.Asked,
		remote.Vocabulary)
	return info
}

// distinct returns the different values that the servers report of something, sorted.
func (p *pool) distinct(of func(about) string) string {
	var all []string
	for _, s := range p.servers {
		if text := of(s.about); text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
