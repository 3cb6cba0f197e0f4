package spirv

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"
)

// TestAgainstSpirvVal changes single words of real modules and compares Verify
// with spirv-val. Verify must find most of what spirv-val finds (it knows
// nothing of layouts, capabilities and enumerants), and hardly ever more.
func TestAgainstSpirvVal(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 9))
	var found, missed, valid, falsely int
	for _, s := range corpus(t) {
		for range 5 {
			words := slices.Clone(s.words)
			at := headerWords + rnd.IntN(len(words)-headerWords)
			if rnd.IntN(2) == 0 {
				words[at] = words[headerWords+rnd.IntN(len(words)-headerWords)]
			} else {
				words[at] += uint32(rnd.IntN(5)) - 2
			}
			m, err := Decode(words)
			if err == nil {
				err = Verify(m)
			}
			file, _ := binary.Append(nil, binary.LittleEndian, words)
			cmd := exec.Command("spirv-val", "--target-env", s.env, "--scalar-block-layout", "-")
			cmd.Stdin = bytes.NewReader(file)
			switch bad := cmd.Run() != nil; {
			case bad && err != nil:
				found++
			case bad:
				missed++
			case err == nil:
				valid++
			default:
				falsely++
				t.Logf("%s, word %d: spirv-val does not mind: %v", s.name, at, err)
			}
		}
	}
	t.Logf("of %d invalid modules %d found; of %d valid ones %d rejected", found+missed, found, valid+falsely, falsely)
	if found < 3*missed || 50*falsely > valid {
		t.Errorf("of %d invalid modules %d found; of %d valid ones %d rejected", found+missed, found, valid+falsely, falsely)
	}
}

// biggest returns the largest module of the corpus.
func biggest(b *testing.B) []uint32 {
	return slices.MaxFunc(corpus(b), func(x, y shader) int { return len(x.words) - len(y.words) }).words
}

func BenchmarkDecode(b *testing.B) {
	words := biggest(b)
	b.SetBytes(int64(4 * len(words)))
	for b.Loop() {
		if _, err := Decode(words); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	m, err := Decode(biggest(b))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(4 * m.words()))
	for b.Loop() {
		if err := Verify(m); err != nil {
			b.Fatal(err)
		}
	}
}
