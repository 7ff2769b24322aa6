# make             build everything into build/$(CONFIG)
# make test        unit, registry, reference and CLI tests (TAP, run by prove)
# make SAN=address,undefined test    the same under sanitizers, in its own folder
# make CC=clang    the other compiler, in its own folder
# make lint        layers, headers that stand alone, format, clang-tidy
# make bench       our ratios against peers, in one interleaved run
# make fuzz-<name> build and run one libFuzzer target for T seconds (60)
# make install     into $(DESTDIR)$(PREFIX)
ifeq ($(origin CC),default) # make predefines CC=cc, so ?= would not do
CC := gcc
endif
comma   := ,
SAN     ?=
CONFIG  ?= $(if $(SAN),san-$(subst $(comma),-,$(SAN)),release)$(if $(findstring clang,$(CC)),-clang)
B       ?= build/$(CONFIG)
PREFIX  ?= /usr/local
WERROR  ?= -Werror
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo 0.1.0)
PKGS    := libfyaml jansson sqlite3 libcrypto zlib libpcre2-8

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion \
        -Wdouble-promotion -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes \
        -Wold-style-definition -Wwrite-strings -Wundef -Wvla -Wcast-qual \
        -Wpointer-arith -Wimplicit-fallthrough -Wnull-dereference
ifneq ($(findstring gcc,$(CC)),)
WARN += -Wlogical-op -Wduplicated-cond -Wduplicated-branches -Wtrampolines -Walloca
else # clang holds a v*printf wrapper to be one; gcc looks at its callers
WARN += -Wno-format-nonliteral
endif
CSTD     := -std=c17 -D_GNU_SOURCE -Isrc -Iinclude -I. -include src/base/banned.h
CPPFLAGS := $(CSTD) -MMD -MP
CFLAGS   := -O2 -g3 -fno-omit-frame-pointer $(WARN) $(WERROR) \
            $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all)
LDFLAGS  := $(if $(SAN),-fsanitize=$(SAN)) -Wl,--as-needed
LDLIBS   := $(shell pkg-config --libs $(PKGS)) -lRmath -lm -lpthread -ldl

SRC   := $(filter-out src/cli/%,$(wildcard src/*/*.c))
OBJ   := $(SRC:%.c=$(B)/%.o)
CLI   := $(patsubst %.c,$(B)/%.o,$(wildcard src/cli/*.c))
TEST  := $(patsubst %.c,$(B)/%,$(wildcard tests/*/*_test.c))
BATS  := $(wildcard tests/cli/*.bats tests/docs/*.bats tests/negative/*.bats)
FUZZ  := $(patsubst fuzz/%.c,%,$(filter-out fuzz/replay.c,$(wildcard fuzz/*.c)))
REPLAY := $(FUZZ:%=$(B)/fuzz/%)

all: $(B)/assay
lib: $(B)/lib.a

$(B)/assay: $(CLI) $(B)/lib.a
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(B)/lib.a: $(OBJ)
	rm -f $@ && ar rcs $@ $^
$(B)/tests/cli/%: $(B)/tests/cli/%.o $(filter-out %/main.o,$(CLI)) $(B)/lib.a
	$(CC) $(LDFLAGS) -o $@ $^ -lcmocka $(LDLIBS)
$(B)/tests/%: $(B)/tests/%.o $(B)/lib.a
	$(CC) $(LDFLAGS) -o $@ $^ -lcmocka $(LDLIBS)
$(B)/fuzz/%: $(B)/fuzz/%.o $(B)/fuzz/replay.o $(B)/lib.a
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
$(B)/src/cli/version.o: CPPFLAGS += -DASSAY_VERSION='"$(VERSION)"'

test: $(TEST) $(REPLAY) $(B)/assay
	CMOCKA_MESSAGE_OUTPUT=TAP ASSAY_BIN=$(CURDIR)/$(B)/assay BUILD_DIR=$(CURDIR)/$(B) \
	  prove -j2 --timer -e '' $(TEST)

fuzz-%: fuzz/%.c
	@mkdir -p build/fuzz fuzz/corpus/$*
	clang -g -O1 $(CSTD) -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	  $< $(SRC) $(LDLIBS) -o build/fuzz/$*
	build/fuzz/$* -max_total_time=$(or $(T),60) -timeout=10 -rss_limit_mb=512 fuzz/corpus/$*

lint:
	tools/check-layers
	@for h in src/*/*.h; do $(CC) $(CSTD) -fsyntax-only -x c $$h || exit 1; done
	@printf '%s\n' $(wildcard src/*/*.c) | xargs -P2 -I{} clang-tidy --quiet {} -- $(CSTD)
format:
	clang-format -i $(wildcard src/*/*.[ch] tests/*.h tests/*/*.[ch] fuzz/*.c bench/*.[ch])

.PHONY: all lib test lint format
.SECONDARY:
-include $(shell test -d $(B) && find $(B) -name '*.d')
