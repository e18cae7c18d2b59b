# Daily commands. The flags of llama.cpp's sources can only come from the environment, so everything that compiles C++
# goes through here: `make build`, or `eval "$(make env)"` once in a shell and plain go commands after it.

GO      ?= go
TAGS    ?= llama_carrier                 # or llama_system: an installed llama.cpp, found by pkg-config
LLAMA   ?=                               # the prefix that it is installed in, if pkg-config does not know it
ARCH    ?= -march=native -mtune=native   # portable builds: make build ARCH=-march=x86-64-v3
NO_AMX  := -U__AMX_INT8__                # ggml-cpu.cpp calls AMX kernels, whose sources the carrier leaves out
OLLAMA  := github.com/ollama/ollama
CARRIER := $(shell $(GO) mod download $(OLLAMA) && $(GO) list -m -f '{{.Dir}}' $(OLLAMA))

export CGO_CFLAGS   := -O3 $(strip $(ARCH)) $(strip $(NO_AMX)) -DGGML_USE_CPU_REPACK -Wno-stringop-overflow
export CGO_CXXFLAGS := $(CGO_CFLAGS)
ifneq ($(strip $(LLAMA)),)
override TAGS := llama_system
endif
ifeq ($(findstring llama_system,$(TAGS)),)
export CGO_CPPFLAGS := -I$(CARRIER)/llama/llama.cpp/include -I$(CARRIER)/ml/backend/ggml/ggml/include
else
# Checks the library; sets PKG_CONFIG_PATH, CGO_CPPFLAGS and CGO_LDFLAGS for it.
include tools/installed.mk
endif
export GOFLAGS      := $(filter-out -tags=%,$(shell $(GO) env GOFLAGS)) -tags=$(strip $(TAGS))

CUDA_ARCH ?= native                      # compute capability, such as 90; native needs the card at hand

.PHONY: build llama cuda vulkan test-vulkan demo test race lint soak kernels asan audit newcomer clients slurm
.PHONY: test-stub real kubernetes scale release bench architecture update env clean remotes image

build: ## bin/parley
	$(GO) build -o bin/parley ./cmd/parley

# What LLAMA= wants. CMAKE_ARGS has further options for CMake, such as -DGGML_CUDA=ON.
SOURCE ?=
PREFIX ?= build/llama
llama: ## build/llama: a newer llama.cpp, from SOURCE=its directory or an archive of it
	tools/llama.sh '$(strip $(SOURCE))' '$(strip $(PREFIX))'

# llama.cpp's CUDA backend, from the carrier's sources, with CMake and nvcc. The program finds it at run time.
cuda: build ## bin/cuda
	@test -n '$(findstring carrier,$(TAGS))' || { echo "an installed llama.cpp has backends of its own:" \
		"make llama CMAKE_ARGS=-DGGML_CUDA=ON" >&2; exit 1; }
	tools/carrier.sh $(CARRIER)
	cmake -S build/carrier -B build/cuda -DCMAKE_CUDA_ARCHITECTURES=$(strip $(CUDA_ARCH)) \
		-DCMAKE_BUILD_RPATH_USE_ORIGIN=ON
	@grep '^CMAKE_CUDA_COMPILER:' build/cuda/CMakeCache.txt | grep -qv NOTFOUND || { rm -rf build/cuda; \
		echo "no nvcc was found: install the CUDA toolkit and put its bin directory into PATH" >&2; exit 1; }
	cmake --build build/cuda --target ggml-cuda --parallel
	mkdir -p bin/cuda && cp -a build/cuda/lib/ollama/libggml-base.so* build/cuda/lib/ollama/libggml-cuda.so bin/cuda/

# llama.cpp's Vulkan backend likewise, for GPUs of any vendor: with CMake, glslc and headers. VULKAN_HEADERS= is a
# directory with headers of Vulkan, where the system's are older than 1.3.272.
VULKAN_HEADERS ?=
vulkan: build ## bin/vulkan
	@test -n '$(findstring carrier,$(TAGS))' || { echo "an installed llama.cpp has backends of its own:" \
		"make llama CMAKE_ARGS=-DGGML_VULKAN=ON" >&2; exit 1; }
	tools/carrier.sh $(CARRIER)
	VULKAN_HEADERS='$(strip $(VULKAN_HEADERS))' tools/vulkan.sh build/carrier

test-vulkan: build ## tests of engines with all layers on a Vulkan device: GPU=Vulkan0, or Mesa's software device
	tools/test-vulkan.sh $(GPU)

demo: build ## a paired debate experiment on the embedded model
	bin/parley demo

# Packages run side by side, the longest from the beginning on; with several, go test prints in the order of its
# arguments. Engines that share cores take fewer threads each (inference/llamacpp/thread_governor.hpp). Without symbols
# for debuggers, linking dozens of test programs takes half the time.
PACKAGES ?= ./cmd/parley ./inference/... ./...
test: ## everything, on real llama.cpp and the embedded model
	GOGC=400 $(GO) test -timeout 30m -ldflags="-s -w" $(PACKAGES)

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

lint: ## formats, vet, staticcheck, functions without a caller, complexity, line width; tools/lint.sh runs some of it
	tools/lint.sh

SOAK ?= 10m                              # how long each test and fuzz target runs, or for how many rounds: 100000x
soak: ## tests on random input and fuzz targets, for hours; names=REGEXP selects some
	tools/soak.sh $(strip $(SOAK)) $(names)

KERNELS := -Iinference/llamacpp -o build/kernels tools/sanitize/kernels.cpp inference/llamacpp/matmul*.cpp \
	inference/llamacpp/attention.cpp -lpthread
kernels: ## our kernels alone: results have the same bits with the vectors of this machine and with those of AVX2
	mkdir -p build
	for arch in "$(strip $(ARCH))" -march=x86-64-v3; do \
		$(CXX) -std=c++17 -O2 $$arch $(KERNELS) && build/kernels || exit 1; \
	done | uniq -c | tee /dev/stderr | grep -q '^ *2 '

# Our kernels alone, without llama.cpp, in half a minute; then the tests of the binding with all of llama.cpp under the
# address sanitizer, which compiles it anew: half an hour on 2 cores the first time. SANITIZE_TESTS= leaves those out.
# Leaks are not looked for: the carrier loses some kilobytes with each model (docs/log.md, "What leaks").
SANITIZE_TESTS ?= KernelsAgree|Contexts|SharedPrefix|Streams|NestedSequences|Samplers|StepRefuses|CheckedGrammars
asan: ## memory errors, undefined behaviour and data races in our C++; SANITIZE_TESTS= for the kernels alone
	mkdir -p build
	for what in address,undefined thread; do \
		$(CXX) -std=c++17 -O1 -g $(ARCH) -fsanitize=$$what -fno-sanitize-recover=all $(KERNELS) && \
			build/kernels || exit 1; \
	done
	$(if $(strip $(SANITIZE_TESTS)),ASAN_OPTIONS=detect_leaks=0 \
		CGO_CFLAGS="$(CGO_CFLAGS) -O1" CGO_CXXFLAGS="$(CGO_CXXFLAGS) -O1" \
		$(GO) test -asan -timeout 60m -run '$(strip $(SANITIZE_TESTS))' ./inference/llamacpp)

newcomer: ## what README.md says, typed into a terminal in a root file system of its own
	tools/newcomer.sh

clients: build ## real clients of parley serve, from PyPI and npm; names="openai mallm" selects some
	python3 tools/clients.py $(names)

real: build ## questions of five benchmarks on a real model that pip brings: what is asked, read and told
	python3 tools/real.py

remotes: build ## debates on real servers: LLAMA_SERVER=PROGRAM, VLLM_PYTHON=PYTHON
	LLAMA_SERVER="$(LLAMA_SERVER)" VLLM_PYTHON="$(VLLM_PYTHON)" tools/remotes/run.sh

audit: ## known vulnerabilities in dependencies, and their licences
	tools/audit.sh

slurm: build ## a run in shards on a real Slurm on this host, with a killed worker and a full disk; needs root
	tools/slurm.sh

# Checks the Kubernetes job against the schema of the API, which a package of pip has; no cluster runs it.
kubernetes: build ## the Indexed Job that --slurm writes, against the schema of Kubernetes
	python3 -m venv build/kubernetes && build/kubernetes/bin/pip -q install kubernetes-validate==1.37.0
	bin/parley compare --generated 2 --out build/kubernetes/run --slurm 2
	build/kubernetes/bin/kubernetes-validate --strict build/kubernetes/run.jobs/kubernetes.yaml

scale: build ## the table of docs/scale.md: the MADC paper on up to 1,000 machines, simulated in an hour
	tools/scale.py bin/parley build/scale

SIGN ?=
release: ## dist/: archives, wheels, checksums for all platforms that this machine can compile for; SIGN=KEY signs
	tools/release.sh
	$(if $(strip $(SIGN)),tools/sign.sh dist/SHA256SUMS '$(strip $(SIGN))')

DESTDIR ?=
install: PREFIX = /usr/local
install: build ## program, manual pages, completions, licences: below PREFIX=/usr/local and, for packages, DESTDIR
	DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' tools/install.sh

image: ## the container image of Dockerfile, with docker, podman or buildah
	tools/image.sh

bench: ## one step of the scheduler, one step of the engine
	$(GO) test -run '^$$' -bench . ./scheduler ./inference/...

architecture: ## docs/architecture.svg, drawn from the imports
	$(GO) -C tools run ./architecture .. >docs/architecture.svg

update: architecture ## rewrite what tests expect; read the difference before you commit it
	$(GO) test ./scheduler -run Trace -rewrite
	UPDATE=1 $(GO) test ./cmd/parley -run Commands

env:
	@echo 'export CGO_CFLAGS="$(CGO_CFLAGS)" CGO_CXXFLAGS="$(CGO_CXXFLAGS)"' \
		'CGO_CPPFLAGS="$(CGO_CPPFLAGS)" CGO_LDFLAGS="$(CGO_LDFLAGS)" PKG_CONFIG_PATH="$(PKG_CONFIG_PATH)"' \
		'GOFLAGS="$(GOFLAGS)"'

clean:
	rm -rf bin build dist parley-runs
