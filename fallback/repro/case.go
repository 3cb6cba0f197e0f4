package repro

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/rt"
	"github.com/everray/everray/shaders"
)

// ErrInvalid is wrapped by errors about directories that hold no reproducer.
var ErrInvalid = errors.New("not a reproducer")

// Kind is what a case is.
type Kind string

// The kinds: a ray tracing pipeline, a library of one, and a shader of a compute or graphics pipeline, whose ray queries are
// lowered.
const (
	Pipeline Kind = "pipeline"
	Library  Kind = "library"
	Shader   Kind = "shader"
)

// Case is what the linker was given.
type Case struct {
	Name string
	// Kind is a pipeline where it is empty.
	Kind Kind
	// Way is "compute" or "native": who made the pipeline.
	Way string
	// Set is what it is made of. A shader has one stage, whose Kind means nothing; Model is what counts.
	Set
	// Model is a shader's execution model, SkipHelpers whether queries of its helper invocations find nothing.
	Model       spirv.ExecutionModel
	SkipHelpers bool
	// Options of the pipeline; hooks, checks and libraries are not kept.
	MaxDepth, MaxLanes, MaxShared uint32
	Flags                         rt.Flags
	Indirect                      bool
	// Target is what variant of the runtime, or of the functions of ray queries, it is.
	Target shaders.Target
	// Groups, and the sizes of push constants and stack, are for the reader; the linker does not need them.
	Groups                        []rt.Group
	PushConstantBytes, StackBytes uint32
	// Libraries are those of the pipeline, in order.
	Libraries []Set
	// Error is how the link ended in the application, empty if well.
	Error string
}

// Set is the stages of a pipeline or a library, and their form.
type Set struct {
	Form   rt.Form
	Stages []rt.Stage
}

// describing is the file that a directory is known by.
const describing = "reproducer.json"

// The file's format. Numbers of specialisation constants are decimal, their bytes hexadecimal.
type (
	caseFile struct {
		Version   int
		Name      string         `json:",omitempty"`
		Kind      Kind           `json:",omitempty"`
		Way       string         `json:",omitempty"`
		Form      string         `json:",omitempty"`
		MaxDepth  uint32         `json:",omitempty"`
		MaxLanes  uint32         `json:",omitempty"`
		MaxShared uint32         `json:",omitempty"`
		Indirect  bool           `json:",omitempty"`
		Target    shaders.Target `json:",omitempty"`
		Flags     rt.Flags       `json:",omitzero"`
		Stages    []stageFile
		Groups    []rt.Group `json:",omitempty"`
		Library   []setFile  `json:",omitempty"`
		Error     string     `json:",omitempty"`

		PushConstantBytes uint32 `json:",omitempty"`
		StackBytes        uint32 `json:",omitempty"`
		SkipHelpers       bool   `json:",omitempty"`
	}
	setFile struct {
		Form   string `json:",omitempty"`
		Stages []stageFile
	}
	stageFile struct {
		Name           string
		Model          string
		Entry          string            `json:",omitempty"`
		File           string            // within the directory
		Specialization map[string]string `json:",omitempty"`
	}
)

const (
	fileVersion = 1
	maxFile     = 64 << 20 // bytes of a module; the linker takes 16 MiB
)

// Write writes the case to a directory, which it makes.
func (c *Case) Write(dir string) error {
	if err := c.write(dir); err != nil {
		return fmt.Errorf("write reproducer %q: %w", dir, err)
	}
	return nil
}

func (c *Case) write(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f := caseFile{Version: fileVersion, Name: c.Name, Kind: c.Kind, Way: c.Way, Form: c.Form.String(), MaxDepth: c.MaxDepth,
		MaxLanes: c.MaxLanes, MaxShared: c.MaxShared, Indirect: c.Indirect, Target: c.Target, PushConstantBytes: c.PushConstantBytes,
		StackBytes: c.StackBytes, SkipHelpers: c.SkipHelpers, Flags: c.Flags, Groups: c.Groups, Error: c.Error}
	var err error
	if f.Stages, err = writeStages(dir, "stage", c.Stages); err != nil {
		return err
	}
	if c.Kind == Shader {
		f.Stages[0].Model = c.Model.String()
	}
	for i, y := range c.Libraries {
		s := setFile{Form: y.Form.String()}
		if s.Stages, err = writeStages(dir, fmt.Sprintf("library%d_stage", i), y.Stages); err != nil {
			return err
		}
		f.Library = append(f.Library, s)
	}
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, describing), append(text, '\n'), 0o600)
}

// writeStages writes the modules of stages.
func writeStages(dir, prefix string, stages []rt.Stage) ([]stageFile, error) {
	out := make([]stageFile, 0, len(stages))
	for i, s := range stages {
		f := stageFile{Name: s.Name, Model: s.Kind.String(), Entry: s.Entry, File: fmt.Sprintf("%s%d.spv", prefix, i)}
		for id, value := range s.Specialization {
			if f.Specialization == nil {
				f.Specialization = map[string]string{}
			}
			f.Specialization[strconv.FormatUint(uint64(id), 10)] = hex.EncodeToString(value)
		}
		if err := os.WriteFile(filepath.Join(dir, f.File), bytesOf(s.Code), 0o600); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// bytesOf are words as files have them.
func bytesOf(words []uint32) []byte {
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// Read reads a directory that Write made.
func Read(dir string) (*Case, error) {
	c, err := read(dir)
	if err != nil {
		return nil, fmt.Errorf("read reproducer %q: %w", dir, err)
	}
	return c, nil
}

func read(dir string) (*Case, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // nothing was written
	text, err := readFile(root, describing)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: there is no %s", ErrInvalid, describing)
	}
	if err != nil {
		return nil, err
	}
	var f caseFile
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(&f); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrInvalid, describing, err)
	}
	if f.Version != fileVersion {
		return nil, fmt.Errorf("%w: version %d, this program reads %d", ErrInvalid, f.Version, fileVersion)
	}
	c := &Case{Name: f.Name, Kind: f.Kind, Way: f.Way, MaxDepth: f.MaxDepth, MaxLanes: f.MaxLanes, MaxShared: f.MaxShared,
		Indirect: f.Indirect, Target: f.Target, PushConstantBytes: f.PushConstantBytes, StackBytes: f.StackBytes,
		SkipHelpers: f.SkipHelpers, Flags: f.Flags, Groups: f.Groups, Error: f.Error}
	if err := c.readModel(&f); err != nil {
		return nil, err
	}
	if c.Set, err = readSet(root, setFile{f.Form, f.Stages}); err != nil {
		return nil, err
	}
	for i, y := range f.Library {
		s, err := readSet(root, y)
		if err != nil {
			return nil, fmt.Errorf("library %d: %w", i, err)
		}
		c.Libraries = append(c.Libraries, s)
	}
	return c, nil
}

// readModel reads the kind of a case, and of a shader its execution model; what is left of its stage is like any other.
func (c *Case) readModel(f *caseFile) error {
	switch {
	case c.Kind == "" || c.Kind == Pipeline || c.Kind == Library:
		return nil
	case c.Kind != Shader || len(f.Stages) != 1:
		return fmt.Errorf("%w: kind %q with %d stages", ErrInvalid, c.Kind, len(f.Stages))
	}
	for _, m := range shaderModels {
		if m.String() == f.Stages[0].Model {
			c.Model, f.Stages[0].Model = m, rt.Raygen.String()
			return nil
		}
	}
	return fmt.Errorf("%w: unknown model %q", ErrInvalid, f.Stages[0].Model)
}

// shaderModels are those of shaders whose queries are lowered.
var shaderModels = []spirv.ExecutionModel{
	spirv.ExecutionModelVertex, spirv.ExecutionModelTessellationControl, spirv.ExecutionModelTessellationEvaluation,
	spirv.ExecutionModelGeometry, spirv.ExecutionModelFragment, spirv.ExecutionModelGLCompute, spirv.ExecutionModelTaskEXT,
	spirv.ExecutionModelMeshEXT,
}

// readFile reads a file of bounded size.
func readFile(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%w: %s has more than %d MiB", ErrInvalid, name, maxFile>>20)
	}
	return data, err
}

// readSet reads the stages that a file lists.
func readSet(root *os.Root, f setFile) (s Set, err error) {
	if s.Form, err = rt.ParseForm(f.Form); err != nil {
		return s, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	for i, st := range f.Stages {
		stage, err := readStage(root, st)
		if err != nil {
			return s, fmt.Errorf("stage %d: %w", i, err)
		}
		s.Stages = append(s.Stages, stage)
	}
	return s, nil
}

func readStage(root *os.Root, f stageFile) (rt.Stage, error) {
	s := rt.Stage{Name: f.Name, Entry: f.Entry, Kind: -1}
	for m := rt.Raygen; m.Valid(); m++ {
		if strings.EqualFold(m.String(), f.Model) {
			s.Kind = m
		}
	}
	if s.Kind < 0 {
		return s, fmt.Errorf("%w: unknown model %q", ErrInvalid, f.Model)
	}
	for id, value := range f.Specialization {
		n, err := strconv.ParseUint(id, 10, 32)
		if err != nil {
			return s, fmt.Errorf("%w: specialisation constant %q", ErrInvalid, id)
		}
		data, err := hex.DecodeString(value)
		if err != nil {
			return s, fmt.Errorf("%w: specialisation constant %s: %w", ErrInvalid, id, err)
		}
		if s.Specialization == nil {
			s.Specialization = map[uint32][]byte{}
		}
		s.Specialization[uint32(n)] = data
	}
	data, err := readFile(root, f.File)
	if err != nil {
		return s, err
	}
	if len(data)%4 != 0 {
		return s, fmt.Errorf("%w: %s has %d bytes, not words of 4", ErrInvalid, f.File, len(data))
	}
	s.Code = make([]uint32, len(data)/4)
	for i := range s.Code {
		s.Code[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return s, nil
}
