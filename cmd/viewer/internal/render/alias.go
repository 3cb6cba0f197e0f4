package render

// aliasEntry is one entry of an alias table: with probability keep it is its own index, otherwise alias.
//
//glsl:viewer/path.rchit EnvironmentAlias
type aliasEntry struct {
	keep  float32
	alias uint32
}

// newAliasTable makes a table from which indices are drawn in constant time with probabilities in proportion to weights
// (Walker 1974, in Vose's form of 1991). The sum must be positive and finite.
func newAliasTable(weights []float64) []aliasEntry {
	var sum float64
	for _, w := range weights {
		sum += w
	}
	n := len(weights)
	table := make([]aliasEntry, n)
	scaled := make([]float64, n)
	var small, large []int
	for i, w := range weights {
		scaled[i] = w / sum * float64(n)
		table[i] = aliasEntry{1, uint32(i)}
		if scaled[i] < 1 {
			small = append(small, i)
		} else {
			large = append(large, i)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		table[s] = aliasEntry{float32(scaled[s]), uint32(l)}
		if scaled[l] -= 1 - scaled[s]; scaled[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	return table // what is left over is 1 but for rounding
}
