// Package pipelinetest holds the tests of whole pipelines: they drive the engine natively and by compute, and compare the two.
//
// The conformance table, the shapes of control flow, strangers' shaders, libraries, ray queries in all kinds of stages, and the
// fuzzer of pipelines run here. What is tested is package fallback; it stands above engine because that is what runs it.
package pipelinetest
