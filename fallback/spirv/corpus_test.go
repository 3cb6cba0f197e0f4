package spirv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// shader is one compiled file of testdata.
type shader struct {
	name  string
	env   string // target environment of spirv-val
	words []uint32
}

// corpusResult is what compiling testdata gave, done once a test run.
type corpusResult struct {
	shaders []shader
	missing string // tool that is not there
	err     error
}

var compileCorpus = sync.OnceValue(func() corpusResult {
	for _, tool := range []string{"glslangValidator", "spirv-as", "spirv-val"} {
		if _, err := exec.LookPath(tool); err != nil {
			return corpusResult{missing: tool}
		}
	}
	dir, err := os.MkdirTemp("", "spirv-corpus")
	if err != nil {
		return corpusResult{err: err}
	}
	defer os.RemoveAll(dir)
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		return corpusResult{err: err}
	}
	var res corpusResult
	for _, f := range files {
		for _, version := range []string{"spirv1.3", "spirv1.4", "spirv1.6"} {
			s, err := compile(f, version, filepath.Join(dir, "out.spv"))
			if err != nil {
				return corpusResult{err: err}
			}
			if s.words != nil {
				res.shaders = append(res.shaders, s)
			}
		}
	}
	return res
})

// compile compiles or assembles one file for a version of SPIR-V. Files that
// need a later version give a shader without words.
func compile(file, version, out string) (shader, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return shader{}, err
	}
	s := shader{name: filepath.Base(file) + "/" + version}
	var cmd *exec.Cmd
	if strings.HasSuffix(file, ".spvasm") {
		cmd = exec.Command("spirv-as", "--target-env", strings.Replace(version, "spirv", "spv", 1), file, "-o", out)
	} else {
		args := []string{"-V", "--target-env", version}
		if _, flags, ok := bytes.Cut(src, []byte("// flags: ")); ok {
			flags, _, _ = bytes.Cut(flags, []byte("\n"))
			args = append(args, strings.Fields(string(flags))...)
		}
		cmd = exec.Command("glslangValidator", append(args, file, "-o", out)...)
	}
	if version == "spirv1.3" && needs14(src) {
		return s, nil
	}
	if text, err := cmd.CombinedOutput(); err != nil {
		return s, fmt.Errorf("%s: %w\n%s", s.name, err, text)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		return s, err
	}
	for len(b) >= 4 {
		s.words, b = append(s.words, binary.LittleEndian.Uint32(b)), b[4:]
	}
	s.env = map[string]string{"spirv1.3": "vulkan1.1", "spirv1.4": "vulkan1.2", "spirv1.6": "vulkan1.3"}[version]
	return s, nil
}

// needs14 tells whether a shader uses extensions that need SPIR-V 1.4.
func needs14(src []byte) bool {
	for _, word := range []string{"GL_EXT_ray", "GL_EXT_mesh", "shader_invocation_reorder", "needs SPIR-V 1.4"} {
		if bytes.Contains(src, []byte(word)) {
			return true
		}
	}
	return false
}

// corpus returns the compiled shaders.
func corpus(t testing.TB) []shader {
	t.Helper()
	res := compileCorpus()
	if res.missing != "" {
		t.Skipf("%s is not installed (Debian: glslang-tools, spirv-tools)", res.missing)
	}
	if res.err != nil {
		t.Fatal(res.err)
	}
	return res.shaders
}

// validate runs spirv-val.
func validate(t testing.TB, env string, words []uint32) {
	t.Helper()
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	cmd := exec.Command("spirv-val", "--target-env", env, "--scalar-block-layout", "-")
	cmd.Stdin = bytes.NewReader(b)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("spirv-val: %v\n%s", err, text)
	}
}
