package serve_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
)

// serveProcess is a parley serve that has printed its URL.
type serveProcess struct {
	url    string
	cmd    *exec.Cmd
	stderr strings.Builder
	client http.Client
}

func serves(t *testing.T, flags ...string) *serveProcess {
	t.Helper()
	s := &serveProcess{cmd: exec.Command("parley", append([]string{"serve", "--threads", "1", "--listen",
		"127.0.0.1:0"},
		flags...)...)}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.cmd.Stderr = &s.stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() }) // where it has not ended
	line, err := bufio.NewReader(out).ReadString('\n')
	if s.url = strings.TrimSpace(line); err != nil {
		_ = s.cmd.Wait()
		t.Fatalf("serve printed %q and ended (%v), want its URL: %s", line, err, s.stderr.String())
	}
	s.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	return s
}

// ask sends a body and returns the answer.
func (s *serveProcess) ask(t *testing.T, body string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/chat/completions",
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer sesame")
	response, err := s.client.Do(r)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return response.StatusCode, string(text)
}

const greeting = `{"model":"x","messages":[{"role":"user","content":"A fruit stand sells plums."}],"max_tokens":24}`

// TestServe: the server is killed and starts anew with its journal, by another name and with TLS: the replies that were
// finished come again, byte for byte, without being computed; the next one is a new one. A reply under way when it is
// interrupted is finished. The log says nothing of what was asked.
func TestServe(t *testing.T) {
	parleytest.WarmCache(t)
	dir := t.TempDir()
	keys, journal := filepath.Join(dir, "keys"), filepath.Join(dir, "replies")
	datatest.Write(t, keys, "other\nsesame\n")
	first := serves(t, "--journal", journal, "--api-key-file", keys)
	var want [2]string
	for i := range want {
		var status int
		if status, want[i] = first.ask(t, greeting); status != http.StatusOK {
			t.Fatalf("%d %s, want %v", status, want[i], http.StatusOK)
		}
	}
	if want[0] == want[1] {
		t.Error("two equal requests without a seed got the same reply")
	}
	_ = first.cmd.Process.Kill()
	_ = first.cmd.Wait()

	certificate, key := selfSigned(t, dir)
	limits := "serve --max-body 2000 --max-in-flight 9000000 --max-choices 3 --max-waiting 9 --max-connections 8"
	ending := "serve --drain 20s --log json"
	second := serves(t, slices.Concat(strings.Fields(limits)[1:], strings.Fields(ending)[1:],
		[]string{"--journal", journal, "--api-key-file", keys, "--tls-cert", certificate, "--tls-key", key})...)
	for i := range want {
		if _, got := second.ask(t, greeting); got != want[i] {
			t.Errorf("request %d: %s, before %s", i, got, want[i])
		}
	}
	metrics, err := second.client.Do(keyed(t, second.url+"/metrics"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(metrics.Body)
	if metrics.Body.Close(); err != nil || !strings.Contains(string(text), "\nparley:generations_restored_total 2\n") ||
		!strings.Contains(string(text), "\nvllm:generation_tokens_total 0\n") {
		t.Errorf("of two questions asked again 2 generations are restored, and none is drawn: %v, metrics\n%s", err,
			text)
	}
	if status, text := second.ask(t, strings.Replace(greeting, "24", `24,"n":4`, 1)); status != http.StatusBadRequest {
		t.Errorf("%d %s, want %v", status, text, http.StatusBadRequest)
	}
	if status, text := second.ask(t, strings.Repeat(" ", 2001)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %s, want %v", status, text, http.StatusRequestEntityTooLarge)
	}
	r := keyed(t, second.url+"/v1/chat/completions")
	r.Method, r.Body = http.MethodPost, io.NopCloser(strings.NewReader(strings.Replace(greeting, "24",
		`300,"ignore_eos":true,"stream":true`, 1)))
	response, err := second.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	stream := bufio.NewReader(response.Body)
	if _, err := stream.ReadString('\n'); err != nil { // it is under way
		t.Fatal(err)
	}
	if err := second.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(stream)
	if response.Body.Close(); err != nil || !strings.HasSuffix(string(rest), "data: [DONE]\n\n") {
		t.Errorf("%v: what was under way got %s", err, rest)
	}
	if err := second.cmd.Wait(); err != nil {
		t.Errorf("serve ended with %v, want no error: %s", err, second.stderr.String())
	}
	log := second.stderr.String()
	if base := "parley: the base URL of clients is " + second.url + "/v1\n"; !strings.Contains(log, base) {
		t.Errorf("serve logged %s, want %q in it", log, base)
	}
	if !strings.Contains(log, `"path":"/v1/chat/completions","status":200`) || strings.Contains(log, "plums") ||
		strings.Contains(log, "sesame") {
		t.Errorf("the log has paths and statuses, but no prompts and keys: got\n%s", log)
	}
}

// TestServeReasoningFormat: reasoning stands apart unless it is asked for in the text.
func TestServeReasoningFormat(t *testing.T) {
	parleytest.WarmCache(t)
	template := datatest.File(t, "think.jinja", "{% for m in messages %}{{ m.content }}\n{% endfor %}<think>")
	const body = `{"messages":[{"role":"user","content":"Hi."}],"max_tokens":8}`
	for _, format := range []string{"auto", "none"} {
		status, answer := serves(t, "--chat-template", template, "--reasoning-format", format).ask(t, body)
		apart := strings.Contains(answer, `"reasoning_content":`)
		if status != http.StatusOK || apart == (format == "none") {
			t.Errorf("--reasoning-format %s: status %d, want 200, and reasoning apart unless none: %s", format, status,
				answer)
		}
	}
}

// TestPromptTokensDetails: with what usage says of the cache, the texts are those without.
func TestPromptTokensDetails(t *testing.T) {
	parleytest.WarmCache(t)
	plain, detailed := serves(t), serves(t, "--prompt-tokens-details")
	content := func(s *serveProcess, body string) (text string, cached int) {
		status, answer := s.ask(t, body)
		var reply struct {
			Choices []struct{ Message struct{ Content string } }
			Usage   struct {
				Details struct {
					Cached int `json:"cached_tokens"`
				} `json:"prompt_tokens_details"`
			}
		}
		if err := json.Unmarshal([]byte(answer), &reply); err != nil || status != http.StatusOK {
			t.Fatalf("a question is answered as JSON: got %d %s, %v", status, answer, err)
		}
		return reply.Choices[0].Message.Content, reply.Usage.Details.Cached
	}
	for i := range 5 {
		want, none := content(plain, greeting)
		got, cached := content(detailed, greeting)
		if got != want || none != 0 || (cached > 0) != (i > 0) {
			t.Errorf("request %d: %q with %d prompt tokens cached, and %q without the option", i, got, cached, want)
		}
	}
}

func keyed(t *testing.T, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer sesame")
	return r
}

// selfSigned writes a certificate for tests.
func selfSigned(t *testing.T, dir string) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	certificate, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: signed},
		key: {Type: "PRIVATE KEY", Bytes: secret}} {
		datatest.Write(t, path, pem.EncodeToMemory(block))
	}
	return certificate, key
}

// TestServeRefuses what it could not obey, before it opens anything.
func TestServeRefuses(t *testing.T) {
	empty := datatest.File(t, "empty", "")
	for line, want := range map[string]string{
		"serve --listen 0.0.0.0:0":                        "can be reached from other machines",
		"serve --insecure --api-key-file x":               "--insecure",
		"serve --listen example.com:80":                   "localhost or an IP address",
		"serve --listen 8080":                             "is not an address",
		"serve --log xml":                                 "there are none, text, json",
		"serve --reasoning-format deepsek":                "did you mean deepseek",
		"serve --api-key-file " + empty:                   "has no key",
		"serve --share-prefixes":                          "has no effect without --api-key-file",
		"serve --tls-cert " + empty:                       "has no effect without --tls-key",
		"serve --tls-key " + empty:                        "has no effect without --tls-cert",
		"serve --tls-cert x --tls-key " + empty:           "TLS certificate",
		"serve --model tiny --model tiny":                 "given twice",
		"serve --listen 127.0.0.1:0 --journal " + empty:   "--journal",
		"serve --listen 127.0.0.1:0 --model nowhere.gguf": "nowhere.gguf",
	} {
		t.Run(line, func(t *testing.T) {
			if code, _, stderr := parleytest.Ran(strings.Fields(line)...); code != exit.CodeUsage &&
				code != exit.CodeInput ||
				!strings.Contains(stderr, want) {
				t.Errorf("%s ended with status %d, want %d or %d and %q: %s", line, code, exit.CodeUsage,
					exit.CodeInput, want, stderr)
			}
		})
	}
}
