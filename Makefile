# make             build everything into build/$(CONFIG)
# make test        unit, registry, reference, corpus and CLI tests (TAP, run by prove)
# make test-slow   kill tests and negative controls: minutes, not seconds
# make SAN=address,undefined test    the same under sanitizers, in its own folder
# make CC=clang    the other compiler, in its own folder
# make lint        layers, headers that stand alone, format, clang-tidy, house rules, words
# make analyze     clang's static analyzer over every source; minutes
# make check       lint, and the tests in release and under both sanitizers
# make bench       our ratios against peers, in one interleaved run
# make embeddings 20,000 vectors of GloVe, to test int8 on (npm, 118 MB)
# make grammar    the Python grammar that the experiment syntax_tree needs (npm)
# make fuzz-<name> build and run one libFuzzer target for T seconds (60)
# make install     into $(DESTDIR)$(PREFIX)
# WEB=0 builds without the page, WEB=1 fails where it cannot be built (that needs node, npm
#                  and, once, the network); otherwise it is left out there.
# V=1 shows the commands.
MAKEFLAGS += -r # every rule is here; looking through make's own takes it a second
ifeq ($(origin CC),default) # make predefines CC=cc, so ?= would not do
CC := gcc
endif
comma   := ,
SAN     ?=
CONFIG  ?= $(if $(SAN),san-$(subst $(comma),-,$(SAN)),release)$(if $(findstring clang,$(CC)),-clang)
B       ?= build/$(CONFIG)
PREFIX  ?= /usr/local
WERROR  ?= -Werror
COMMIT  := $(shell git describe --always --dirty --exclude '*' 2>/dev/null)
VERSION := 0.1.0$(if $(COMMIT),+$(COMMIT))
PKGS    := libfyaml jansson sqlite3 zlib libpcre2-8

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion \
        -Wdouble-promotion -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes \
        -Wold-style-definition -Wwrite-strings -Wundef -Wvla -Wcast-qual \
        -Wpointer-arith -Wimplicit-fallthrough -Wnull-dereference \
        -Wno-missing-field-initializers # what is left out is zero, and zero is valid
ifneq ($(findstring gcc,$(CC)),)
WARN += -Wlogical-op -Wduplicated-cond -Wduplicated-branches -Wtrampolines -Walloca
else # clang warns of every NAN (a float) and of v*printf wrappers; gcc of neither
WARN += -Wno-double-promotion -Wno-format-nonliteral
endif
LLHTTP_INCLUDE := /usr/share/include/llhttp
CSTD     := -std=c17 -D_GNU_SOURCE -Isrc -Iinclude -I. -isystem $(LLHTTP_INCLUDE) \
            -include src/base/banned.h
CPPFLAGS := $(CSTD) -MMD -MP
# No fused multiply-add where clang has one (ARM): the same numbers on every machine.
CFLAGS   := $(if $(SAN),-O1 -g1,-O2 -g) -ffp-contract=off -fno-omit-frame-pointer $(WARN) $(WERROR) \
            $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all)
LDFLAGS  := $(if $(SAN),-fsanitize=$(SAN)) -Wl,--as-needed,-z,now
LDLIBS   := $(shell pkg-config --libs $(PKGS)) -lRmath -lm -lpthread -ldl

SRC    := $(filter-out src/cli/% src/starter/%,$(wildcard src/*/*.c))
OBJ    := $(SRC:%.c=$(B)/%.o)
LLHTTP := $(patsubst %,$(B)/llhttp/%.o,api http llhttp)
CLI    := $(patsubst %.c,$(B)/%.o,$(wildcard src/cli/*.c))
TEST   := $(patsubst %.c,$(B)/%,$(filter-out tests/slow/%,$(wildcard tests/*/*_test.c)))
LONG   := tests/docs/adding.bats tests/interop/client.bats tests/web/browser.bats tests/web/site.bats # they build, or start node
# So that `make test` is done within a minute; under sanitizers they are in it.
LONG   += $(if $(SAN),,$(patsubst %,tests/cli/%.bats,compare concurrency cost doctor gate profile regressions specs stored trend))
# Threads are in src/load alone (tools/check-source), and in tests of what a threaded program
# starts: for ThreadSanitizer what runs them.
THREADS := $(filter $(patsubst %,$(B)/tests/%/%,agent http instrument load run stub suite) %/memo_test,$(TEST))
TEST   := $(if $(findstring thread,$(SAN)),$(THREADS),$(TEST))
THREADED := $(patsubst %,tests/cli/%.bats,load run serve stress stress_agents)
BATS   := $(filter-out tests/slow/% tests/negative/% %/soak.bats $(LONG),$(wildcard tests/*/*.bats))
BATS   := $(if $(findstring thread,$(SAN)),$(THREADED),$(BATS))
SLOW   := $(patsubst %.c,$(B)/%,$(wildcard tests/slow/*_test.c))
SLOW_BATS := $(LONG) $(wildcard tests/slow/*.bats tests/negative/*.bats)
FUZZ   := $(patsubst fuzz/%.c,%,$(filter-out fuzz/replay.c,$(wildcard fuzz/*.c)))
REPLAY := $(FUZZ:%=$(B)/fuzz/%)
BENCH  := $(patsubst %.c,$(B)/%,$(wildcard bench/*.c))
TEXT   := $(wildcard src/*/*.[ch] include/*/*.h tests/*.h tests/*/*.[ch] fuzz/*.[ch] bench/*.[ch])
Q      := $(if $(V),,@)
silent := $(findstring s,$(firstword -$(MAKEFLAGS)))
say     = $(if $(V)$(silent),@:,@printf '  %-4s %s\n' $(1))

all: $(B)/assay $(B)/libassay_record.a
lib: $(B)/lib.a
record-lib: $(B)/libassay_record.a

$(B)/assay: $(CLI) $(B)/lib.a
	$(call say,LD $@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(B)/lib.a: $(OBJ) $(LLHTTP)
	$(call say,AR $@)
	$(Q)rm -f $@ && ar rcsT $@ $^
# What programs link to record their own executions: no other object of ours.
$(B)/libassay_record.a: $(B)/src/interop/assay_record.o
	$(Q)rm -f $@ && ar rcs $@ $^
$(B)/tests/cli/%: $(B)/tests/cli/%.o $(filter-out %/main.o,$(CLI)) $(B)/lib.a
	$(call say,LD $@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lcmocka $(LDLIBS)
$(B)/tests/%: $(B)/tests/%.o $(B)/lib.a
	$(call say,LD $@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lcmocka $(LDLIBS)
$(B)/bench/%: $(B)/bench/%.o $(B)/lib.a
	$(call say,LD $@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
# nanoflann is a header of C++: the peer in bench/index, as optimised as it can be.
$(B)/bench/nanoflann_peer.o: bench/nanoflann_peer.cc bench/nanoflann_peer.h
	@mkdir -p $(@D)
	$(call say,CXX $<)
	$(Q)g++ -std=c++17 -O3 -DNDEBUG -I. -c -o $@ $<
$(B)/bench/index: $(B)/bench/index.o $(B)/bench/nanoflann_peer.o $(B)/lib.a
	$(call say,LD $@)
	$(Q)g++ $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(B)/fuzz/%: $(B)/fuzz/%.o $(B)/fuzz/replay.o $(B)/lib.a
	$(call say,LD $@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
# Controls link to these files (tests/helper.bash): what is built anew is a new file.
$(B)/%.o: %.c
	@mkdir -p $(@D) && rm -f $@ $(@:.o=.d)
	$(call say,CC $<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# Debian ships llhttp as C source.
$(B)/llhttp/%.o: /usr/share/llhttp/%.c
	@mkdir -p $(@D)
	$(call say,CC $<)
	$(Q)$(CC) -I$(LLHTTP_INCLUDE) -O2 -g $(if $(SAN),-fsanitize=$(SAN)) -w -c -o $@ $<

# Rewritten only when the version changes, so that a commit rebuilds one file.
$(B)/version: FORCE
	@mkdir -p $(@D)
	@echo '$(VERSION)' | cmp -s - $@ || { rm -f $@ && echo '$(VERSION)' > $@; }
$(B)/src/cli/version.o: CPPFLAGS += -DASSAY_VERSION='"$(VERSION)"'
$(B)/src/cli/version.o: $(B)/version

# The starter is small and static, whatever the rest is built with.
$(B)/starter: src/starter/starter_main.c src/sandbox/starter_protocol.h
	@mkdir -p $(@D)
	$(call say,LD $@)
	$(Q)$(CC) $(CSTD) $(WARN) $(WERROR) -Os -static -s -Wl,--gc-sections -o $@ $<
$(B)/src/sandbox/starter_image.o: CPPFLAGS += -DSTARTER_FILE='"$(CURDIR)/$(B)/starter"'
$(B)/src/sandbox/starter_image.o: $(B)/starter

# The page: bundled once for all configurations, embedded as it is.
WEB ?= auto
ifneq ($(WEB),0)
MISSES := $(if $(shell grep -s WEB_ETAG build/web/dist/etag.h),,FORCE) # left out: try again
build/web/dist/etag.h: $(wildcard web/* web/src/* web/src/*/*) $(MISSES)
	$(call say,WEB web/)
	$(Q)web/build $(filter auto,$(WEB))
$(B)/src/api/asset.o: CPPFLAGS += -DWEB_DIR='"$(CURDIR)/build/web/dist/"' \
  -DWEB_ETAG_FILE='"$(CURDIR)/build/web/dist/etag.h"'
$(B)/src/api/asset.o: build/web/dist/etag.h
endif
$(B)/web-is: FORCE
	@mkdir -p $(@D)
	@echo '$(filter 0,$(WEB))' | cmp -s - $@ || { rm -f $@ && echo '$(filter 0,$(WEB))' > $@; }
$(B)/src/api/asset.o: $(B)/web-is

# Real embeddings for tests/vec/rows_test, which skips a test without them.
embeddings: build/release/embeddings.f32
build/release/embeddings.f32: tools/fetch-embeddings
	$(Q)tools/fetch-embeddings $@

# The grammar of Python for the experiment syntax_tree, which is not available without it.
grammar: $(B)/tree-sitter-python.so
$(B)/tree-sitter-python.so: grammar/package-lock.json grammar/build
	$(call say,CC grammar/)
	$(Q)CC=$(CC) grammar/build $@

PROVE = TAP_DIR=$(CURDIR)/$(B)/tap ASSAY_BIN=$(CURDIR)/$(B)/assay ASSAY_SAN=$(SAN) \
        BUILD_DIR=$(CURDIR)/$(B) ASSAY_GRAMMAR=$(CURDIR)/build/release/tree-sitter-python.so \
        ASSAY_STORE= prove -j3 --timer -e tools/keep-tap

# The longest first: none is left running alone at the end.
LONGEST := $(patsubst %,tests/%.bats,negative/judge negative/load negative/agents slow/malice slow/specs \
             docs/docs cli/trend cli/stress cli/stress_agents cli/serve)
longest_first = $(filter $(LONGEST),$(1)) $(filter-out $(LONGEST),$(1))

test: $(TEST) $(REPLAY) all
	@rm -rf $(B)/tap && mkdir -p $(B)/tap
	$(Q)$(PROVE) $(call longest_first,$(TEST) $(REPLAY) $(BATS))
test-slow: $(SLOW) $(B)/assay $(B)/tests/stats/honesty_test $(B)/tests/stats/bootstrap_test
	@rm -rf $(B)/tap && mkdir -p $(B)/tap
	$(Q)TEST_TIMEOUT_S=1500 $(PROVE) $(call longest_first,$(SLOW) $(SLOW_BATS))

# What takes long or needs a quiet machine: the tests of wall-clock time, the server under
# requests that nobody means (SOAK_S seconds of each kind), and minutes of every fuzzer.
SOAK := $(shell grep -lE 'NEEDS_WALL_CLOCK|ASSAY_SOAK' tests/*/*_test.c)
SOAK_BATS := $(shell grep -lE 'needs_wall_clock|within [0-9]' tests/*/*.bats)
soak: $(SOAK:%.c=$(B)/%) $(B)/bench/leaderboard all
	@rm -rf $(B)/tap && mkdir -p $(B)/tap
	$(Q)ASSAY_SOAK=1 TEST_TIMEOUT_S=600 $(PROVE) -j1 $(SOAK:%.c=$(B)/%) $(SOAK_BATS)
	$(Q)for target in $(FUZZ); do \
	  $(MAKE) --no-print-directory fuzz-$$target T=$(or $(T),120) || exit; done
	$(Q)$(MAKE) --no-print-directory SAN=address,undefined soak-api
soak-api: all
	@rm -rf $(B)/tap && mkdir -p $(B)/tap
	$(Q)SOAK_S=$(or $(SOAK_S),600) TEST_TIMEOUT_S=7200 $(PROVE) -j1 tests/api/soak.bats

check: lint
	$(MAKE) test
	$(MAKE) SAN=address,undefined test
	$(MAKE) SAN=thread test

bench-build: $(BENCH)
bench: $(BENCH) $(B)/assay
	$(Q)ASSAY_BIN=$(CURDIR)/$(B)/assay BUILD_DIR=$(CURDIR)/$(B) \
	  tools/run-bench $(BENCH) $(wildcard bench/*.sh)

fuzz-%: fuzz/%.c
	@mkdir -p fuzz/corpus/$* build/fuzz/found/$* # what it finds goes to the second
	@$(MAKE) --no-print-directory CC=clang SAN=fuzzer-no-link,address,undefined B=build/fuzz \
	  build/fuzz/lib.a build/fuzz/fuzz/$*.o
	clang -fsanitize=fuzzer,address,undefined build/fuzz/fuzz/$*.o build/fuzz/lib.a \
	  $(LDLIBS) -o build/fuzz/$*
	build/fuzz/$* -max_total_time=$(or $(T),60) -timeout=10 -rss_limit_mb=512 \
	  build/fuzz/found/$* fuzz/corpus/$*

# One clang-tidy per file (version 14 reports false va_list errors otherwise),
# and a stamp per file, so that a second lint looks only at what has changed.
TIDY := $(patsubst %.c,build/lint/%.tidy,$(wildcard src/*/*.c))
build/lint/%.tidy: %.c .clang-tidy
	@mkdir -p $(@D)
	$(call say,TIDY $<)
	$(Q)$(CC) $(CSTD) -MM -MP -MT $@ -MF $@.d $<
	$(Q)clang-tidy --quiet --checks='-clang-analyzer-*' $< -- $(CSTD) 2> $@.log || \
	  { cat $@.log; exit 1; }
	@touch $@
lint-tidy: $(TIDY)
# The analyzer takes fifteen times as long as the rest: a target of its own.
NOT_ANALYZED := -clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,-clang-analyzer-optin.performance.Padding
ANALYZE := $(patsubst %.c,build/lint/%.analyzed,$(wildcard src/*/*.c))
build/lint/%.analyzed: %.c .clang-tidy
	@mkdir -p $(@D)
	$(call say,ANALYZE $<)
	$(Q)$(CC) $(CSTD) -MM -MP -MT $@ -MF $@.d $<
	$(Q)clang-tidy --quiet --checks='-*,clang-analyzer-*,$(NOT_ANALYZED)' \
	  $< -- $(CSTD) 2> $@.log || { cat $@.log; exit 1; }
	@touch $@
analyze: $(ANALYZE)
lint-layers:
	tools/check-layers
	tools/check-source
	tools/check-words
	tools/check-controls
lint-format:
	@clang-format --dry-run -Werror $(TEXT)
lint-shell:
	@shellcheck $(wildcard script/*) $(filter-out tools/check-controls,$(wildcard tools/*)) $(wildcard .ci/* bench/*.sh tests/docs/run-commands grammar/build web/build tests/web/fill tests/web/setup)
lint-headers:
	@printf '%s\n' $(wildcard src/*/*.h) | \
	  xargs -P2 -I{} $(CC) $(CSTD) $(WARN) -Wno-unused -Werror -fsyntax-only -x c {}
lint: lint-layers lint-format lint-shell lint-headers
	@$(MAKE) --no-print-directory -k -j2 lint-tidy
docs: $(B)/assay
	$(B)/assay describe --markdown > docs/commands.md
format:
	clang-format -i $(TEXT)

install: $(B)/assay $(B)/libassay_record.a
	install -D -m 755 $(B)/assay $(DESTDIR)$(PREFIX)/bin/assay
	install -d $(DESTDIR)$(PREFIX)/include/assay $(DESTDIR)$(PREFIX)/lib
	install -m 644 include/assay/*.h $(DESTDIR)$(PREFIX)/include/assay
	install -m 644 $(B)/libassay_record.a $(DESTDIR)$(PREFIX)/lib
	install -d $(DESTDIR)$(PREFIX)/share/assay && cp -r specs $(DESTDIR)$(PREFIX)/share/assay/
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
	  $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
	  $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	$(B)/assay completion bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/assay
	$(B)/assay completion zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_assay
	$(B)/assay completion fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/assay.fish

clean:
	rm -rf build

.PHONY: analyze lint lint-tidy lint-layers lint-format lint-shell lint-headers
.PHONY: grammar embeddings
.PHONY: all lib record-lib test test-slow soak soak-api check bench bench-build docs format install clean FORCE
.SECONDARY:
.DELETE_ON_ERROR:
-include $(shell test -d $(B) && find $(B) -name '*.d')
-include $(wildcard build/lint/src/*/*.d)
