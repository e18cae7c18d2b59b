package parleytest

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve"
)

// Endpoint is the embedded model behind our own endpoint, and counts the replies that it was asked for.
func Endpoint(t *testing.T) (url string, asked *atomic.Int64) {
	t.Helper()
	WarmCache(t)
	engine, err := inference.Open(TinyFile, inference.Threads(1), inference.Forget())
	if err != nil {
		t.Fatal(err)
	}
	options := serve.Defaults()
	options.Names = []string{"tiny"}
	server, err := serve.New(engine, options)
	if err != nil {
		t.Fatal(err)
	}
	asked = new(atomic.Int64)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			asked.Add(1)
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		web.Close()
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return web.URL, asked
}
