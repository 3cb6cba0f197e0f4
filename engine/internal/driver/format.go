package driver

import vulkan "github.com/vulkan-go/vulkan"

// NumFormats bounds the values in a FormatSet. The formats of Vulkan 1.0 are below.
const NumFormats = 192

// FormatSet is a set of VkFormat values: one bit each, so that limits can be compared.
type FormatSet [NumFormats / 64]uint64

// With returns the set with a format; what it cannot hold is left out.
func (s FormatSet) With(f vulkan.Format) FormatSet {
	if f > 0 && f < NumFormats {
		s[f/64] |= 1 << (f % 64)
	}
	return s
}

// Has tells whether a format is in the set.
func (s FormatSet) Has(f vulkan.Format) bool {
	return f > 0 && f < NumFormats && s[f/64]>>(f%64)&1 != 0
}
