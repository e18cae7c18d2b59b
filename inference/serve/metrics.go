package serve

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics is what /metrics shows to a tenant, in Prometheus' format: under vLLM's names, so that dashboards that exist
// read them, and under ours. With keys it is what was done for the tenant's own; of the engine as a whole it is told
// only where all are one.
type metrics struct {
	server *Server
	*tenant
}

// showMetrics answers GET /metrics. Each answer has a registry of its own: programs that embed the server keep theirs.
func (s *Server) showMetrics(w http.ResponseWriter, r *http.Request) error {
	registry := prometheus.NewRegistry()
	registry.MustRegister(&metrics{s, tenantIn(r)})
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	return nil
}

// count counts the prompt of a generation that begins.
func (t *tenant) count(prompt, cached int) {
	t.asked.Add(int64(prompt))
	t.computed.Add(int64(prompt - cached))
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
	aheadDesc    = described("parley:generations_ahead_total", "Generations begun before they were asked for.")
	usedDesc     = described("parley:generations_ahead_used_total", "Of these, those that were asked for.")
	rowsDesc     = described("parley:rows_total", "Tokens that went through the model: of prompts, scored, drawn.")
	stepsDesc    = described("parley:steps_total", "Steps of the engine.")
)

// Describe implements prometheus.Collector.
func (m *metrics) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, to) }

// Collect implements prometheus.Collector.
func (m *metrics) Collect(to chan<- prometheus.Metric) {
	running, waiting := m.server.gate.Counts(m.number)
	gauge := func(d *prometheus.Desc, value float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	counter := func(d *prometheus.Desc, value int64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value))
	}
	asked, computed := m.asked.Load(), m.computed.Load()
	gauge(runningDesc, float64(running))
	gauge(waitingDesc, float64(waiting))
	counter(queriesDesc, asked)
	counter(hitsDesc, asked-computed)
	counter(promptDesc, computed)
	counter(drawnDesc, m.drawn.Load())
	counter(savedDesc, asked-computed)
	counter(sharedDesc, m.joined.Load())
	counter(restoredDesc, m.restored.Load())
	counter(aheadDesc, m.began.Load())
	counter(usedDesc, m.used.Load())
	if len(m.server.tenants) == 1 {
		s := m.server.engine.Stats()
		gauge(cacheDesc, float64(m.server.engine.Occupied())/float64(max(1, s.Cells)))
		counter(rowsDesc, int64(s.Rows))
		counter(stepsDesc, int64(s.Steps))
	}
}
