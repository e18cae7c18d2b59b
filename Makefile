# Daily commands. The flags of llama.cpp's sources can only come from the environment, so everything that compiles C++
# goes through here: `make build`, or `eval "$(make env)"` once in a shell and plain go commands after it.

GO      ?= go
TAGS    ?= llama_carrier                 # or llama_system: an installed llama.cpp, found by pkg-config
ARCH    ?= -march=native -mtune=native   # portable builds: make build ARCH=-march=x86-64-v3
NO_AMX  := -U__AMX_INT8__                # the carrier leaves out the sources of ggml's AMX kernels, and ggml-cpu.cpp calls them
CARRIER := $(shell $(GO) mod download github.com/ollama/ollama && $(GO) list -m -f '{{.Dir}}' github.com/ollama/ollama)

export CGO_CFLAGS   := -O3 $(strip $(ARCH)) $(strip $(NO_AMX)) -DGGML_USE_CPU_REPACK -Wno-stringop-overflow
export CGO_CXXFLAGS := $(CGO_CFLAGS)
ifeq ($(findstring llama_system,$(TAGS)),)
export CGO_CPPFLAGS := -I$(CARRIER)/llama/llama.cpp/include -I$(CARRIER)/ml/backend/ggml/ggml/include
else
export CGO_CPPFLAGS :=
endif
export GOFLAGS      := $(filter-out -tags=%,$(shell $(GO) env GOFLAGS)) -tags=$(strip $(TAGS))

CUDA_ARCH ?= native                      # compute capability, such as 90; native needs the card at hand

.PHONY: build cuda demo test race lint soak audit bench update env clean

build: ## bin/parley
	$(GO) build -o bin/parley ./cmd/parley

# llama.cpp's CUDA backend, from the carrier's sources, with CMake and nvcc. The program finds it at run time.
cuda: build ## bin/cuda
	cmake -S $(CARRIER) -B build/cuda -DCMAKE_CUDA_ARCHITECTURES=$(strip $(CUDA_ARCH)) -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON
	@grep -q '^CMAKE_CUDA_COMPILER:' build/cuda/CMakeCache.txt && ! grep -q 'CMAKE_CUDA_COMPILER:.*NOTFOUND' build/cuda/CMakeCache.txt || { \
		echo "no nvcc was found: install the CUDA toolkit and put its bin directory into PATH" >&2; rm -rf build/cuda; exit 1; }
	cmake --build build/cuda --target ggml-cuda --parallel
	mkdir -p bin/cuda && cp -a build/cuda/lib/ollama/libggml-base.so* build/cuda/lib/ollama/libggml-cuda.so bin/cuda/

demo: build ## a paired debate experiment on the embedded model
	bin/parley demo

# One test at a time: engines that share cores slow each other down.
test: ## everything, on real llama.cpp and the embedded model
	$(GO) test -p 1 -parallel 1 -timeout 30m ./...

# The packages above the binding, under the race detector, with the binding left out: no C++ is compiled. Tests that take
# long and packages that start no goroutine are left to `make test`.
race:
	GOFLAGS=-tags=llama_none CGO_CPPFLAGS= $(GO) test -race -short -timeout 30m $$(GOFLAGS=-tags=llama_none $(GO) list ./... | grep -v -e inference/llamacpp -e cmd/parley -e bench/report -e bench/experiment -e bench/stat -e bench/task -e debate/ -e scheduler)
	GOFLAGS=-tags=llama_none CGO_CPPFLAGS= $(GO) test -race ./scheduler

# deadcode prints names without places, which change.
DEAD = -f '{{range .Funcs}}{{printf "%s.%s\n" $$.Path .Name}}{{end}}'

lint:
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt: $$unformatted" >&2; exit 1; }
	$(GO) vet ./...
	$(GO) tool -modfile=tools/go.mod staticcheck ./...
	@dead=$$($(GO) tool -modfile=tools/go.mod deadcode -tags '$(strip $(TAGS))' $(DEAD) ./... | grep -v -e /modeltest -e /benchtest -e parley/soak | sort) && \
	listed=$$(sed '/^#/d; /^$$/d' tools/unreachable.txt | sort) && test "$$dead" = "$$listed" || { \
		echo "tools/unreachable.txt lists other functions than those without a caller:" >&2; \
		printf '%s\n' "$$dead" "$$listed" | sort | uniq -u >&2; exit 1; }

SOAK ?= 10m                              # for each test and fuzz target, or rounds of each: 100000x
soak: ## random input, for hours; names=REGEXP for some of it
	tools/soak.sh $(strip $(SOAK)) $(names)

audit: ## known vulnerabilities and licences of what the program is built from
	tools/audit.sh

bench: ## one step of the scheduler, one step of the engine
	$(GO) test -run '^$$' -bench . ./scheduler ./inference/...

update: ## rewrite what tests expect; read the difference before you commit it
	$(GO) test ./scheduler -run Trace -rewrite
	UPDATE=1 $(GO) test ./cmd/parley -run Commands

env:
	@echo 'export CGO_CFLAGS="$(CGO_CFLAGS)" CGO_CXXFLAGS="$(CGO_CXXFLAGS)" CGO_CPPFLAGS="$(CGO_CPPFLAGS)" GOFLAGS="$(GOFLAGS)"'

clean:
	rm -rf bin build parley-runs
