// Package windowtest gives tests a virtual display (Xvfb) and screenshots of it (ImageMagick's import). Tests are skipped,
// with a message that names the tool, where one is absent.
package windowtest

import (
	"bufio"
	"bytes"
	"image"
	"image/png"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// StartDisplay starts a virtual display of 640x480 for the duration of a test and sets DISPLAY to it.
func StartDisplay(t *testing.T) {
	t.Helper()
	for _, tool := range []string{"Xvfb", "import"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed (apt-get install xvfb imagemagick)", tool)
		}
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "640x480x24")
	cmd.ExtraFiles = []*os.File{write}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed: there is nothing to report
	})
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Skipf("Xvfb does not start: %v", err)
	}
	t.Setenv("DISPLAY", ":"+strings.TrimSpace(line))
}

// Screenshot returns what the display shows.
func Screenshot(t *testing.T) image.Image {
	t.Helper()
	out, err := exec.Command("import", "-window", "root", "png:-").Output()
	if err != nil {
		t.Fatalf("import: %v", err)
	}
	img, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	return img
}
