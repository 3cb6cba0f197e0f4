package spirv

// stringWords returns how many words the literal string at the beginning of w
// takes, 0 if it does not end.
func stringWords(w []uint32) int {
	for i, x := range w {
		if x&0xff == 0 || x&0xff00 == 0 || x&0xff0000 == 0 || x&0xff000000 == 0 {
			return i + 1
		}
	}
	return 0
}

// DecodeString returns the literal string at the beginning of w, and how many
// words it takes. A string without an end takes all of w.
func DecodeString(w []uint32) (string, int) {
	b := make([]byte, 0, 4*min(len(w), 16))
	for i, x := range w {
		for range 4 {
			c := byte(x)
			if c == 0 {
				return string(b), i + 1
			}
			b = append(b, c)
			x >>= 8
		}
	}
	return string(b), len(w)
}

// EncodeString returns the words of a literal string, ended and padded by
// zeros. It ends at the first zero byte, as a reader's copy would.
func EncodeString(s string) []uint32 {
	for i := range len(s) {
		if s[i] == 0 {
			s = s[:i]
			break
		}
	}
	w := make([]uint32, len(s)/4+1)
	for i := range len(s) {
		w[i/4] |= uint32(s[i]) << (8 * (i % 4))
	}
	return w
}
