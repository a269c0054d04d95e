# `make demo` and `make test` do all the set-up they need. All that a target builds is in one
# profile, so that the embedded engine is compiled once: in `tested` for `make test`, in `release`
# for all others.
PROFILE := release

# `make build KERNELS=portable` compiles for every x86-64-v3 processor, in a folder of its own: all
# of them then give the same bits (docs/design/embedded-engine.md). Without it, for the processor at
# hand.
KERNELS ?= native
ifeq ($(KERNELS),portable)
export RUSTFLAGS := -C target-cpu=$(if $(filter x86_64,$(shell uname -m)),x86-64-v3,generic)
export CARGO_TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)/portable
else ifneq ($(KERNELS),native)
$(error KERNELS is native or portable, not $(KERNELS))
endif

CACHE  := $(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/evenhand
TARGET := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)
MODEL  := $(CACHE)/models/SmolLM2-135M-Instruct-Q8_0.gguf
# Read where it is used: `make test` has another profile.
BIN    = $(TARGET)/$(PROFILE)/evenhand
BUILT  := -p evenhand --bin evenhand

SECONDS ?= 120

.PHONY: demo test test-python test-web wheel static release atlas test-without-engine test-slow fuzz bench bench-leaderboard docs test-docs pictures lint lint-code lint-sources build setup model embedder real-server quickstart-data clean

demo: build model
	$(BIN) demo </dev/null
	@echo; echo "--- the quickstart data, judged by the likelihood of a 135-million-parameter model ---"; echo
	$(BIN) rank --data examples/quickstart --judge gguf:$(MODEL)
	@echo; echo "--- the same model asked for verdicts on 3 items, averaged over both orders: the report says what they are worth ---"; echo
	$(BIN) rank --data examples/quickstart --judge gguf:$(MODEL) --protocol pairwise/direct --items 3

# nextest where it is there, cargo's own runner elsewhere.
ifneq ($(shell cargo nextest --version 2>/dev/null),)
TESTS = nextest run --no-fail-fast --cargo-profile $(PROFILE)
else
TESTS = test --no-fail-fast --lib --bins --tests --profile $(PROFILE)
endif

# Binary and tests are built together: dev-dependencies turn on other features, and apart everything
# would be compiled twice. Each crate is linted as it is compiled, examples and benchmarks too.
# Property tests throw the same dice each time, so that a failure tells of the change; `make
# test-slow` throws new ones, and more.
# Without a driver, `cargo clippy` says what is missing; rustup's own runs only where the toolchain
# has clippy.
CLIPPY_DRIVER := $(shell for driver in clippy-driver "$$(rustc --print sysroot)/bin/clippy-driver"; do \
  if "$$driver" --version >/dev/null 2>&1; then echo "$$driver"; break; fi; done)
test: BUILT := --workspace --all-targets
test: PROFILE := tested
test: export RUSTC_WORKSPACE_WRAPPER := $(if $(CLIPPY_DRIVER),$(CURDIR)/scripts/rustc-and-clippy)
test: export CLIPPY_DRIVER := $(CLIPPY_DRIVER)
test: export PROPTEST_RNG_SEED ?= 1
test: setup lint-sources model embedder real-server $(if $(CLIPPY_DRIVER),,lint-code)
	@# Compiles nothing but where `build` was made for another goal before, as by `make demo test`.
	cargo build --profile $(PROFILE) --locked $(BUILT)
	cargo test --profile $(PROFILE) --locked --workspace --doc
	EVENHAND_MODEL=$(MODEL) cargo $(TESTS) --locked --workspace
	@# Side by side, as neither keeps two cores busy. What they need is installed before: apt-get waits for
	@# no other. What is in the background does not notice Ctrl-C.
	@scripts/setup tests && { scripts/setup browser || true; } && said=$$(mktemp) || exit 1; \
	scripts/check-web $(BIN) >"$$said" 2>&1 & pages=$$!; \
	trap 'kill $$pages; rm -f "$$said"; exit 130' INT TERM; \
	scripts/test-python $(TARGET) $(PROFILE); python=$$?; \
	wait $$pages; pages=$$?; cat "$$said"; rm -f "$$said"; [ "$$python $$pages" = "0 0" ]

# The Python package, with the command in it, for every x86-64-v2 processor: $(TARGET)/wheels
# (docs/design/python.md). `make wheel PROCESSORS=here` makes it for this one, in less time.
PROCESSORS ?= any
wheel: setup
	scripts/make-wheel $(TARGET) $(PROCESSORS)

# The command in one file that needs no library of its system: $(TARGET)/static/evenhand
static: setup
	scripts/make-static $(TARGET)

# All files of a release, from its tag, in $(TARGET)/release-VERSION (docs/design/releases.md).
release: setup
	scripts/setup tests
	scripts/make-release $(TARGET)

# The figures and pages of docs/atlas, from the recordings and from cards.
atlas: build
	scripts/make-atlas $(BIN)

# Built for this processor, installed into a clean environment, and tested there; `make test` does
# it too.
test-python: setup
	scripts/test-python $(TARGET) $(PROFILE)

# The pages of the report and the viewer: as they are built, and in a browser with this program's
# files and server; `make test` does it too.
test-web: build
	scripts/check-web $(BIN)

# Without rustfmt or clippy there is nothing to say of the code's style, which is a failure where CI
# is set.
lint: lint-sources lint-code

lint-code: setup
	@if cargo clippy --version >/dev/null 2>&1; then \
	  cargo clippy --release --locked --workspace --all-targets -- -D warnings; else $(call lacking,clippy); fi

# What needs no compiler.
lint-sources: setup
	@scripts/check-files
	@scripts/check-links
	@scripts/check-msrv
	@scripts/set-version --check
	@if cargo fmt --version >/dev/null 2>&1; then cargo fmt --all --check; else $(call lacking,rustfmt); fi
	@scripts/check-packages
	@scripts/check-features
	@if cargo deny --version >/dev/null 2>&1; then cargo deny --locked check licenses bans sources; else \
	  echo "lint: licences and sources are not checked, cargo-deny is missing; cargo install cargo-deny --locked" >&2; fi

lacking = echo "lint: this toolchain has no $(1); rustup component add $(1)" >&2; [ -z "$$CI" ]

# Every test with debug assertions and overflow checks, without the embedded engine: it needs Rust
# and a C compiler alone.
test-without-engine:
	cargo test --locked --workspace --no-default-features --no-fail-fast

# The same; the program's tests as it is handed out, since `make test` optimises it less; the
# simulations that measure how often intervals cover what was planted; 100 kills in
# the midst of a review, and 10 of each command that writes files; 2,000 damaged files; the wheel on
# older processors.
test-slow: build model test-without-engine
	EVENHAND_SLOW=1 EVENHAND_MODEL=$(MODEL) cargo test --release --locked -p evenhand --tests
	PROPTEST_CASES=20000 PROPTEST_MAX_GLOBAL_REJECTS=1000000 cargo test --release --locked --no-default-features --workspace --exclude evenhand --lib --tests
	EVENHAND_SLOW=1 cargo test --release --locked -p evenhand-stats --tests -- --nocapture
	EVENHAND_SLOW=1 cargo test --release --locked --no-default-features -p evenhand-ranking --test it planted:: -- --nocapture
	EVENHAND_SLOW=1 cargo test --release --locked --no-default-features -p evenhand-compare -p evenhand-studies --tests -- --nocapture
	EVENHAND_SLOW=1 cargo test --release --locked --no-default-features -p evenhand-protocols -p evenhand-shared-store -p evenhand-viewer --lib --tests
	EVENHAND_SLOW=1 cargo test --release --locked -p evenhand-align --test it best:: -- --nocapture
	EVENHAND_DECLARATIONS=$$(scripts/fetch-declarations) cargo test --release --locked -p evenhand-align --test it languages:: -- --nocapture
	EVENHAND_SLOW=1 cargo test --release --locked --no-default-features -p evenhand-studies audit -- --nocapture
	cargo test --locked --manifest-path examples/own-protocol/Cargo.toml
	scripts/kill-review $(BIN)
	EVENHAND=$(BIN) scripts/kill-campaign 10 files
	scripts/mutate-inputs $(BIN) 2000
	scripts/test-old-processors $(TARGET)
	scripts/fuzz 120

# Every reader of foreign bytes, SECONDS each (docs/reliability.md).
fuzz: build
	scripts/fuzz $(SECONDS)

bench: setup model
	EVENHAND_MODEL=$(MODEL) cargo bench --locked -p evenhand-models --bench prefix_sharing
	EVENHAND_MODEL=$(MODEL) cargo bench --locked -p evenhand-models --bench scoring
	EVENHAND_MODEL=$(MODEL) cargo bench --locked -p evenhand-models --bench roofline
	scripts/bench-simulated $(BIN)
	cargo run --release --locked -p evenhand-align --example align_speed

bench-leaderboard: build
	EVENHAND=$(BIN) scripts/bench-leaderboard

# The documentation as a site that is searched without a network: $(TARGET)/docs/index.html
docs: build
	scripts/make-docs $(BIN) $(TARGET)/docs

# It is opened in Debian's Chromium: searched, every link followed, axe-core.
test-docs: docs
	scripts/setup browser
	cd web && npm ci --silent --no-audit --no-fund
	node web/tests/site.mjs $(TARGET)/docs

# The pictures of docs/images, drawn anew of the program's pages in Debian's Chromium.
pictures: build
	scripts/setup browser
	cd web && npm ci --silent --no-audit --no-fund
	EVENHAND_BIN=$(abspath $(BIN)) node web/tests/pictures.mjs

# The demonstration needs the program alone; the tests are built with it, in one go.
build: setup
	cargo build --profile $(PROFILE) --locked $(BUILT)

setup:
	@scripts/setup

# The server of the test against a real one (crates/cli/tests/it/real_server.rs).
real-server: setup
	@scripts/setup tests || [ -z "$$CI" ]
	@scripts/real-server --install

# The default model, fetched as Q4_1 and written once as Q8_0, which a CPU reads 1.7 times as fast
# (docs/design/embedded-engine.md).
model: build
	@scripts/fetch-model
	@test -e $(MODEL) || $(BIN) models $(CACHE)/models/SmolLM2-135M-Instruct-Q4_1.gguf --requantize $(MODEL)

embedder:
	@scripts/fetch-embedder

quickstart-data: model
	cargo run --release --locked -p evenhand-models --example quickstart_answers -- $(MODEL) examples/quickstart

clean:
	cargo clean
