package serve

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve/generation"
)

// collector is what /metrics shows to one tenant in Prometheus' format, under vLLM's names, which dashboards read, and
// under ours: what was done for it, how many of its generations have a place or wait for one, and the engine as a whole
// only where nobody else asks.
type collector struct {
	*generation.Counters
	running, waiting int
	engine           *inference.Local // nil where there are others, who would show in what it did
}

func described(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }

// Dashboards know the metrics by these names.
var (
	runningDesc = described("vllm:num_requests_running", "Generations that have a place in the engine.")
	waitingDesc = described("vllm:num_requests_waiting", "Generations that wait for a place.")
	cacheDesc   = described("vllm:kv_cache_usage_perc", "Share of KV cells that running generations hold; 1 is all.")
	queriesDesc = described("vllm:prefix_cache_queries_total", "Prompt tokens that were asked for.")
	hitsDesc    = described("vllm:prefix_cache_hits_total", "Prompt tokens that were asked for and not computed.")
	promptDesc  = described("vllm:prompt_tokens_total", "Prompt tokens that were computed.")
	drawnDesc   = described("vllm:generation_tokens_total", "Tokens that were drawn.")

	savedDesc    = described("parley:prompt_tokens_saved_total", "Prompt tokens that were asked for and not computed.")
	sharedDesc   = described("parley:generations_shared_total", "Generations that an equal one under way was used for.")
	restoredDesc = described("parley:generations_restored_total", "Generations that were taken from the journal.")
	rowsDesc     = described("parley:rows_total", "Tokens that went through the model: of prompts, scored, drawn.")
	stepsDesc    = described("parley:steps_total", "Steps of the engine.")
)

// Describe implements prometheus.Collector.
func (c *collector) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, to) }

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	counter := func(d *prometheus.Desc, value int64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value))
	}
	asked, computed := c.Asked.Load(), c.Computed.Load()
	gauge(runningDesc, float64(c.running))
	gauge(waitingDesc, float64(c.waiting))
	counter(queriesDesc, asked)
	counter(hitsDesc, asked-computed)
	counter(promptDesc, computed)
	counter(drawnDesc, c.Drawn.Load())
	counter(savedDesc, asked-computed)
	counter(sharedDesc, c.Joined.Load())
	counter(restoredDesc, c.Restored.Load())
	if c.engine != nil {
		s := c.engine.Stats()
		gauge(cacheDesc, float64(c.engine.Occupied())/float64(max(1, s.Cells)))
		counter(rowsDesc, int64(s.Rows))
		counter(stepsDesc, int64(s.Steps))
	}
}

// showMetrics answers GET /metrics, with what was done for the asker alone if there are several keys. Each answer has a
// registry of its own: programs that embed the server keep theirs.
func (s *Server) showMetrics(w http.ResponseWriter, r *http.Request) error {
	t := tenantOf(r)
	shown := &collector{Counters: &t.Counters}
	shown.running, shown.waiting = s.gate.Counts(t.number)
	if len(s.tenants) == 1 {
		shown.engine = s.engine
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(shown)
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	return nil
}
