package main

import (
	"fmt"
	"strings"

	"github.com/everray/everray/assets"
)

// files is the matrix of files: what is done with each kind, and with each extension of glTF.
func files() string {
	var b strings.Builder
	b.WriteString("<!-- Made by `make docs` from assets/formats.go; do not edit. -->\n# What files open\n\n" +
		"Points, lines and strips of glTF are read as well as triangles; points are shown as balls, lines as tubes with round ends. " +
		"Morph targets have their\n" +
		"default weights, skins the pose of their nodes; animations are not played.\n")
	for _, t := range []struct {
		title, column string
		rows          []assets.Support
	}{
		{"Scenes", "file", assets.Files()}, {"Pictures of textures", "picture", assets.Pictures()},
		{"Extensions of glTF", "extension", assets.Features()},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n| %s | what is done |\n|---|---|\n", t.title, t.column)
		for _, row := range t.rows {
			fmt.Fprintf(&b, "| %s | %s |\n", row.Name, row.Does)
		}
	}
	b.WriteString("\nOther extensions: a warning where a file merely uses them, an error that names them where it requires them.\n")
	return b.String()
}
