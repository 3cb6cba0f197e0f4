// Command docs makes the parts of the documents that follow from something else: docs/drivers.md from the conformance suite, and
// README's tables from the bench results in docs/bench. `make docs` runs it.
//
//	go run ./internal/docs          write them
//	go run ./internal/docs --check  only say what would change; exit status 1 then
//
// A test holds the committed documents to what this makes.
package main
