// Package bench measures how fast the ways trace the same rays, build, and run paths with many hit shaders; once they agree.
//
// # Contract
//
// Options are judged by the caller. Run opens devices by Options.Open and closes them, blocks until all is measured or the
// context ends, and returns what was measured together with what failed. It uses the calling goroutine, and one more while
// clocks are read. A Report is plain data; its JSON is what viewer bench --json prints and docs/bench keeps.
package bench
