# Everray. `make test` is what CI runs; `make demo` renders a picture; `make build` gives bin/viewer.
.DEFAULT_GOAL := build
SHELL := /bin/sh

# Any Go of 1.21 or newer fetches the toolchain that go.mod names.
export GOTOOLCHAIN ?= auto
GO ?= $(shell scripts/setup.sh --go)
# GLFW links libvulkan in place of libGL with this tag.
TAGS := vulkan
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.1
# Built from the Go proxy in one or two minutes, once.
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
# Tests fail, not skip, where Vulkan is missing.
TEST_ENV := EVERRAY_REQUIRE_VULKAN=1
TEST_TIMEOUT := 840s
BENCH_SCENE ?= builtin:cornell

.PHONY: build headless test unit sweep restricted swiftshader race lint golangci vuln docs shaders check-shaders setup demo bench clean

build:
	$(GO) build -tags $(TAGS) -o bin/viewer ./cmd/viewer

headless:
	$(GO) build -tags headless -o bin/viewer-headless ./cmd/viewer

setup:
	scripts/setup.sh

# Everything that must hold before a change goes in. Needs nothing but what scripts/setup.sh installs.
test: setup
	$(MAKE) --no-print-directory lint check-shaders
	$(MAKE) --no-print-directory unit

# The longest begin first, so that none is left over for one core at the end.
LONGEST := ./internal/pipelinetest ./fallback/link ./bvh
unit:
	$(TEST_ENV) $(GO) test -short -tags $(TAGS) -timeout $(TEST_TIMEOUT) $(LONGEST) ./...

# What unit leaves out for time: the large scenes, the conformance suite with every program in each form of linking, every shape
# and all optimiser settings, and lavapipe's optimiser for them. The fuzzer of pipelines:
#   EVERRAY_FUZZ_SECONDS=3600 EVERRAY_FUZZ_OUT=fuzz.txt go test -tags vulkan -timeout 0 -run TestGeneratedPipelines -v ./internal/pipelinetest
sweep: golangci
	$(TEST_ENV) $(GO) test -tags $(TAGS) -timeout 0 ./assets/... ./bvh/...
	EVERRAY_NO_VALIDATION=1 EVERRAY_SOAK_FRAMES=20000 $(TEST_ENV) $(GO) test -tags $(TAGS) -timeout 0 -run TestSoak -v ./engine
	EVERRAY_SWEEP=1 $(TEST_ENV) $(GO) test -tags $(TAGS) -timeout 0 ./fallback/... ./internal/...
	$(MAKE) --no-print-directory restricted swiftshader

# Lesser devices, by compute: without all that is optional and with the least limits, and with subgroups of 4 and 16.
BY_COMPUTE := EVERRAY_NO_NATIVE=1 EVERRAY_CONFORMANCE_WAYS=compute,monolithic,megakernel,blocks $(TEST_ENV)
# No result is taken from the cache of go test: it does not know what the driver reads of the environment.
SHORT := $(GO) test -count=1 -short -tags $(TAGS) -timeout 0
CONFORMANCE := ./internal/pipelinetest -run TestConformance
restricted:
	EVERRAY_TEST_RESTRICT=optional,least $(BY_COMPUTE) $(SHORT) ./bvh ./engine
	EVERRAY_TEST_RESTRICT=optional,least $(BY_COMPUTE) $(SHORT) $(CONFORMANCE)
	LP_NATIVE_VECTOR_WIDTH=128 $(BY_COMPUTE) $(SHORT) ./bvh ./engine
	LP_NATIVE_VECTOR_WIDTH=128 $(BY_COMPUTE) $(SHORT) $(CONFORMANCE)
	LP_NATIVE_VECTOR_WIDTH=512 $(BY_COMPUTE) $(SHORT) ./bvh ./engine
	LP_NATIVE_VECTOR_WIDTH=512 $(BY_COMPUTE) $(SHORT) $(CONFORMANCE)

# The second driver: it has no ray tracing, and no types of 8, 16 and 64 bits (scripts/setup.sh swiftshader).
SWIFTSHADER ?= /usr/lib/chromium/vk_swiftshader_icd.json
swiftshader:
	@[ -e $(SWIFTSHADER) ] || { echo "no SwiftShader at $(SWIFTSHADER): run scripts/setup.sh swiftshader"; exit 1; }
	VK_DRIVER_FILES=$(SWIFTSHADER) $(BY_COMPUTE) $(SHORT) ./vk ./bvh ./engine
	VK_DRIVER_FILES=$(SWIFTSHADER) EVERRAY_SWEEP=1 $(BY_COMPUTE) $(SHORT) $(CONFORMANCE)

# Race detector over what runs concurrently; slower, not part of test.
race:
	$(TEST_ENV) $(GO) test -race -short -tags $(TAGS) -timeout $(TEST_TIMEOUT) ./vk/...
	$(TEST_ENV) $(GO) test -race -short -tags $(TAGS) -timeout $(TEST_TIMEOUT) -run 'Goroutines|Faults|Close|Endless|Outlasts|InFlight' ./engine
	$(TEST_ENV) $(GO) test -race -short -tags $(TAGS) -timeout $(TEST_TIMEOUT) -run 'Cache' ./fallback
	$(TEST_ENV) $(GO) test -race -short -tags $(TAGS) -timeout $(TEST_TIMEOUT) -run 'Goroutines|Operation|HostDeterminism|Failures' ./bvh

lint:
	@out=$$($$($(GO) env GOROOT)/bin/gofmt -l $$(find . -name '*.go' -not -path './.git/*')); [ -z "$$out" ] || { echo "not formatted (run gofmt -w):"; echo "$$out"; exit 1; }
	$(GO) vet -tags $(TAGS) ./...
	$(GO) vet -tags headless ./...
	$(GO) run $(STATICCHECK) -tags $(TAGS) ./...

# golangci-lint's linters (.golangci.yml); part of sweep.
golangci:
	$(GO) run $(GOLANGCI) run ./...

# Known vulnerabilities of what is linked. Needs the network: vuln.go.dev.
vuln:
	$(GO) run $(GOVULNCHECK) -tags $(TAGS) ./...

# What documents say of drivers and bench results (internal/docs).
docs:
	$(GO) run ./internal/docs

shaders:
	scripts/shaders.sh

check-shaders:
	scripts/shaders.sh --check

demo: setup build
	bin/viewer render --scene builtin:cornell --width 560 --height 560 --spp 4096 --clamp 1 --noise-target 0.004 \
		--time-limit 55s --denoise --out demo.png
	@echo "demo.png is ready"

bench: build
	bin/viewer bench --scene $(BENCH_SCENE)

clean:
	rm -rf bin demo.png
