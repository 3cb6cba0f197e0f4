package main

import (
	"strings"

	"github.com/everray/everray/internal/conformance"
)

const driversHead = `<!-- Made by ` + "`make docs`" + ` from internal/conformance; do not edit. -->
# What drivers do otherwise

Where the native way of a driver does not do what the specification says, compute is right: the words of the specification and the
reference on the CPU decide.

## Found by the conformance suite

The suite knows these and fails when one disappears (` + "`go test -tags vulkan ./internal/pipelinetest -run Conformance`" + `).

`

const driversElsewhere = `
## Found elsewhere

| where | what | who is right |
|---|---|---|
`

// drivers is docs/drivers.md.
func drivers() string {
	var b strings.Builder
	b.WriteString(driversHead)
	b.WriteString(conformance.Differences(conformance.All()))
	b.WriteString(driversElsewhere)
	for _, d := range conformance.Elsewhere() {
		b.WriteString("| " + strings.Join([]string{d.Where, d.What, d.Right}, " | ") + " |\n")
	}
	return b.String()
}
