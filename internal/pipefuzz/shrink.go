package pipefuzz

import (
	"maps"
	"math/rand/v2"
)

// Draw returns options for a seed: all of the allowed features for one in six, a random part of them for the
// others, which run faster.
func Draw(seed uint64, allowed Feature) Options {
	r := rand.New(rand.NewPCG(seed, 1<<32))
	o := Options{Features: allowed, Size: 1 + r.IntN(5)}
	if r.IntN(6) > 0 {
		for _, f := range allowed.Each() {
			if r.IntN(3) == 0 {
				o.Features &^= f
			}
		}
	}
	return o
}

// Shrink looks for the smallest options with which a seed's pipeline still fails: smaller sizes and fewer features,
// which make another pipeline of the seed, then fewer statements, which leave the rest of it as it is. fails is asked
// at most tries times; the last options it said yes to are returned.
func Shrink(seed uint64, o Options, tries int, fails func(Options) bool) Options {
	try := func(with Options) bool {
		if tries <= 0 {
			return false
		}
		tries--
		if !fails(with) {
			return false
		}
		o = with
		return true
	}
	for size := o.Size; size > 1; size /= 2 {
		with := o
		with.Size = size / 2
		if !try(with) {
			break
		}
	}
	for _, f := range o.Features.Each() {
		with := o
		with.Features &^= f
		try(with)
	}
	count := Generate(seed, o).Statements
	for chunk := count; chunk > 0; chunk /= 2 {
		for begin := 0; begin < count; begin += chunk {
			with := o
			with.Drop = maps.Clone(o.Drop)
			if with.Drop == nil {
				with.Drop = map[int]bool{}
			}
			before := len(with.Drop)
			for i := begin; i < min(begin+chunk, count); i++ {
				with.Drop[i] = true
			}
			if len(with.Drop) > before {
				try(with)
			}
		}
	}
	return o
}
