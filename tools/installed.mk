# An installed llama.cpp, for the Makefile: finds the library of LLAMA by pkg-config, or the one that pkg-config knows.

OLDEST_LLAMA := 0.5

ifneq ($(strip $(LLAMA)),)
override LLAMA := $(abspath $(strip $(LLAMA)))
LLAMA_PC := $(firstword $(foreach lib,lib lib64 lib/*-linux-gnu,$(wildcard $(LLAMA)/$(lib)/pkgconfig/llama.pc)))
ifeq ($(LLAMA_PC),)
$(error $(LLAMA) has no lib/pkgconfig/llama.pc: name the prefix of an installed libllama, such as `brew --prefix llama.cpp` or `make llama SOURCE=DIR` gives)
endif
export PKG_CONFIG_PATH := $(patsubst %/,%,$(dir $(LLAMA_PC)))$(if $(PKG_CONFIG_PATH),:$(PKG_CONFIG_PATH))
endif

PKG_CONFIG ?= pkg-config
pc = $(shell PKG_CONFIG_PATH='$(PKG_CONFIG_PATH)' $(PKG_CONFIG) $(1) llama 2>/dev/null)
LLAMA_VERSION := $(call pc,--modversion)
ifeq ($(LLAMA_VERSION),)
$(error $(PKG_CONFIG) finds no llama.cpp (or is missing itself): install one, or name its prefix with LLAMA=PREFIX)
endif
ifneq ($(shell PKG_CONFIG_PATH='$(PKG_CONFIG_PATH)' $(PKG_CONFIG) --atleast-version=$(OLDEST_LLAMA) llama && echo new),new)
$(error the installed llama.cpp is $(LLAMA_VERSION), and $(OLDEST_LLAMA) or newer is needed: see docs/models.md)
endif

# Go does not look into libraries: their checksum makes it compile, link and test anew when one has been replaced.
LLAMA_LIBDIR := $(call pc,--variable=libdir)
LLAMA_INCLUDE := $(call pc,--variable=includedir)
LLAMA_SUM := $(shell cat $(foreach name,llama ggml gguf,$(LLAMA_INCLUDE)/$(name)*.h $(LLAMA_LIBDIR)/lib$(name)*.*) \
	2>/dev/null | cksum | cut -d ' ' -f 1)
export CGO_CPPFLAGS := -DPARLEY_LLAMA_VERSION=$(LLAMA_VERSION)+$(LLAMA_SUM)

# The program finds the library in its place, and the library its backends beside it. RUNPATH, the newer tag, would not
# hold for the latter.
ifneq ($(strip $(LLAMA)),)
export CGO_LDFLAGS := -Wl,-rpath,$(LLAMA_LIBDIR)
ifeq ($(shell uname -s),Linux)
export CGO_LDFLAGS += -Wl,--disable-new-dtags
endif
endif
