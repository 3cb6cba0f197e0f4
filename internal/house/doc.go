// Package house holds no code: its tests hold the rules of the house. Which package never imports which (imports_test.go), how
// long lines and files may be (length_test.go).
package house
