// Package metrics counts what a server does for those who ask, and shows it in Prometheus' format: under vLLM's names,
// so that dashboards that exist read them, and under ours.
package metrics

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-debate/parley/inference"
)

// Counters count what was done for one tenant. They only grow.
type Counters struct {
	Asked    atomic.Int64 // prompt tokens of generations that began
	Computed atomic.Int64 // of these, those that were not in the cache
	Drawn    atomic.Int64 // tokens
	Joined   atomic.Int64 // generations that an equal one under way was used for
	Restored atomic.Int64 // generations that the journal had
}

// Begin counts the prompt of a generation that begins: its tokens, and how many of them the cache had.
func (c *Counters) Begin(prompt, cached int) {
	c.Asked.Add(int64(prompt))
	c.Computed.Add(int64(prompt - cached))
}

// Collector is what /metrics shows to one tenant: what was done for it, how many of its generations have a place or
// wait for one, and the engine as a whole only where nobody else asks.
type Collector struct {
	*Counters
	Running, Waiting int
	Engine           *inference.Local // nil where there are others, who would show in what it did
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
func (c *Collector) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, to) }

// Collect implements prometheus.Collector.
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	counter := func(d *prometheus.Desc, value int64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value))
	}
	asked, computed := c.Asked.Load(), c.Computed.Load()
	gauge(runningDesc, float64(c.Running))
	gauge(waitingDesc, float64(c.Waiting))
	counter(queriesDesc, asked)
	counter(hitsDesc, asked-computed)
	counter(promptDesc, computed)
	counter(drawnDesc, c.Drawn.Load())
	counter(savedDesc, asked-computed)
	counter(sharedDesc, c.Joined.Load())
	counter(restoredDesc, c.Restored.Load())
	if c.Engine != nil {
		s := c.Engine.Stats()
		gauge(cacheDesc, float64(c.Engine.Occupied())/float64(max(1, s.Cells)))
		counter(rowsDesc, int64(s.Rows))
		counter(stepsDesc, int64(s.Steps))
	}
}
