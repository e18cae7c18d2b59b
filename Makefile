# Daily commands. The flags of llama.cpp's sources can only come from the environment, so everything that compiles C++
# goes through here: `make build`, or `eval "$(make env)"` once in a shell and plain go commands after it.

GO      ?= go
TAGS    ?= llama_carrier
ARCH    ?= -march=native -mtune=native   # portable builds: make build ARCH=-march=x86-64-v3
CARRIER := $(shell $(GO) mod download github.com/ollama/ollama && $(GO) list -m -f '{{.Dir}}' github.com/ollama/ollama)

export CGO_CFLAGS   := -O3 $(strip $(ARCH)) -DGGML_USE_CPU_REPACK -Wno-stringop-overflow
export CGO_CXXFLAGS := $(CGO_CFLAGS)
export CGO_CPPFLAGS := -I$(CARRIER)/llama/llama.cpp/include -I$(CARRIER)/ml/backend/ggml/ggml/include
export GOFLAGS      := $(filter-out -tags=%,$(shell $(GO) env GOFLAGS)) -tags=$(TAGS)

# Packages without C: they build and test with CGO_ENABLED=0, and under the race detector, in seconds.
PURE = $(shell CGO_ENABLED=0 GOFLAGS= $(GO) list ./... 2>/dev/null | grep -v -e inference/llamacpp -e cmd/parley)

.PHONY: build demo test race lint bench update env clean

build:
	$(GO) build -o bin/parley ./cmd/parley

env:
	@echo 'export CGO_CFLAGS="$(CGO_CFLAGS)" CGO_CXXFLAGS="$(CGO_CXXFLAGS)" CGO_CPPFLAGS="$(CGO_CPPFLAGS)" GOFLAGS="$(GOFLAGS)"'
