// Command gallery writes the scenes of README's gallery and of docs/pictures.md: small glTF files, made here and nowhere else.
// scripts/gallery.sh renders them.
//
//	go run ./internal/gallery DIR
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gallery DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "gallery:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	for name, make := range scenes() {
		data, err := make().encode()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".gltf"), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// scenes lists the makers by file name.
func scenes() map[string]func() *file {
	return map[string]func() *file{
		"materials": materials, "glass-shadow": glassShadow, "rough-transmission": roughTransmission,
		"normal-mapped-metal": normalMappedMetal, "texture-transform": textureTransform, "unlit": unlit, "dark-paint": darkPaint,
		"morph": morph, "hull": hull, "points-and-lines": pointsAndLines,
	}
}
