package serve

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics collects what /metrics shows, in Prometheus' format: under vLLM's names, so that dashboards that exist read
// them, and under ours. Nothing is counted here: the values are read from the engine, the gate and the server when
// somebody asks.
type metrics struct {
	server  *Server
	handler http.Handler
}

// newMetrics makes the handler of /metrics, in a registry of its own: programs that embed the server keep theirs.
func newMetrics(s *Server) *metrics {
	m := &metrics{server: s}
	registry := prometheus.NewRegistry()
	registry.MustRegister(m)
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
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
	s := m.server.engine.Stats()
	running, waiting := m.server.gate.counts()
	gauge := func(d *prometheus.Desc, value float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	counter := func(d *prometheus.Desc, value int) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value))
	}
	gauge(runningDesc, float64(running))
	gauge(waitingDesc, float64(waiting))
	gauge(cacheDesc, float64(m.server.engine.Occupied())/float64(max(1, s.Cells)))
	counter(queriesDesc, s.PromptAsked)
	counter(hitsDesc, s.PromptSaved())
	counter(promptDesc, s.PromptComputed)
	counter(drawnDesc, s.Decoded)
	counter(savedDesc, s.PromptSaved())
	counter(sharedDesc, s.Joined)
	counter(restoredDesc, int(m.server.restored.Load()))
	counter(aheadDesc, int(m.server.ahead.began.Load()))
	counter(usedDesc, int(m.server.ahead.used.Load()))
	counter(rowsDesc, s.Rows)
	counter(stepsDesc, s.Steps)
}
