package assets

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
)

// MatteShare is how much of a pixel a thing covers: Name is an index into its matte's names, Share 0 to 1.
type MatteShare struct {
	Name  int
	Share float32
}

// Matte tells which named things cover each pixel, rows from the top, those that cover most first.
type Matte struct {
	// Layer is what the matte is of, such as "CryptoObject".
	Layer  string
	Names  []string
	Pixels [][]MatteShare
}

// matteRanks is how many things of a pixel are kept: two in each of the format's layers.
const matteRanks = 6

// AddMatte adds a matte as Cryptomatte 1.2.0 (Friedman and Jones, "Fully Automatic ID Mattes with Support for Motion Blur and
// Transparency", 2015): channels Layer00.R to Layer02.A, and names in the header. Things of one name are one.
func (e *EXR) AddMatte(m *Matte) error {
	manifest := map[string]string{}
	ids := make([]float32, len(m.Names))
	for i, name := range m.Names {
		id := matteID(name)
		ids[i] = math.Float32frombits(id)
		manifest[name] = fmt.Sprintf("%08x", id)
	}
	if len(m.Pixels) != e.Width*e.Height {
		return fmt.Errorf("matte %s has %d pixels for %dx%d", m.Layer, len(m.Pixels), e.Width, e.Height)
	}
	var ranks [2 * matteRanks][]float32 // an id and a share for each
	for i := range ranks {
		ranks[i] = make([]float32, len(m.Pixels))
	}
	for i, shares := range m.Pixels {
		for k, s := range shares[:min(len(shares), matteRanks)] {
			ranks[2*k][i], ranks[2*k+1][i] = ids[s.Name], s.Share
		}
	}
	for i, values := range ranks {
		name := fmt.Sprintf("%s%02d.%c", m.Layer, i/4, "RGBA"[i%4])
		e.Channels = append(e.Channels, EXRChannel{Name: name, Type: EXRFloat, Floats: values})
	}
	var text bytes.Buffer
	j := json.NewEncoder(&text)
	j.SetEscapeHTML(false)
	if err := j.Encode(manifest); err != nil {
		return fmt.Errorf("names of matte %s: %w", m.Layer, err)
	}
	if e.Attributes == nil {
		e.Attributes = map[string]string{}
	}
	key := fmt.Sprintf("cryptomatte/%08x", murmur3([]byte(m.Layer)))[:len("cryptomatte/")+7]
	e.Attributes[key+"/name"] = m.Layer
	e.Attributes[key+"/hash"] = "MurmurHash3_32"
	e.Attributes[key+"/conversion"] = "uint32_to_float32"
	e.Attributes[key+"/manifest"] = string(bytes.TrimSpace(text.Bytes()))
	return nil
}

// matteID is the name's hash as the bits of a float that is neither zero, denormal, infinite nor no number.
func matteID(name string) uint32 {
	h := murmur3([]byte(name))
	if exponent := h >> 23 & 0xff; exponent == 0 || exponent == 0xff {
		h ^= 1 << 23
	}
	return h
}

// murmur3 is MurmurHash3_x86_32 with seed 0 (Austin Appleby, public domain), which Cryptomatte asks for.
func murmur3(data []byte) uint32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	mix := func(k uint32) uint32 { return bits.RotateLeft32(k*c1, 15) * c2 }
	n := uint32(len(data))
	h := uint32(0)
	for ; len(data) >= 4; data = data[4:] {
		h = bits.RotateLeft32(h^mix(binary.LittleEndian.Uint32(data)), 13)*5 + 0xe6546b64
	}
	if len(data) > 0 {
		var tail [4]byte
		copy(tail[:], data)
		h ^= mix(binary.LittleEndian.Uint32(tail[:]))
	}
	h ^= n
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}
