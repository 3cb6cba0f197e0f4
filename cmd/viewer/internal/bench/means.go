package bench

import (
	"math"
	"slices"

	"github.com/everray/everray/cmd/viewer/internal/rays"
)

// meanReport is the geometric mean of a set's ratios over scenes.
type meanReport struct {
	Over    string   `json:"over"`
	Scenes  int      `json:"scenes"`
	Set     rays.Set `json:"set"`
	Backend string   `json:"backend"`
	Ratio   float64  `json:"ratio"` // to the first way
	// Least and Most are those of a scene.
	Least float64 `json:"least_ratio"`
	Most  float64 `json:"most_ratio"`
	// OverBare is the mean of the pipeline's times over those of the bare traversal; 0 where that is not known.
	OverBare float64 `json:"over_bare,omitempty"`
}

// geometricMeans averages the ratios of each set and way but the first, over all scenes, and over those without instances
// if there are others. Of one scene there is none.
func geometricMeans(scenes []sceneReport) []meanReport {
	static := slices.DeleteFunc(slices.Clone(scenes), func(s sceneReport) bool { return s.Shared })
	if len(scenes) < 2 {
		return nil
	}
	out := meansOver("all", scenes)
	if len(static) > 0 && len(static) < len(scenes) {
		out = append(meansOver("without instances", static), out...)
	}
	return out
}

// meansOver averages over the scenes that have the series; one that failed in between lacks some.
func meansOver(over string, scenes []sceneReport) []meanReport {
	var out []meanReport
	seen := map[meanReport]bool{}
	for _, scene := range scenes {
		for _, s := range scene.Series {
			key := meanReport{Over: over, Set: s.Set, Backend: s.Backend}
			if s.Backend == scene.Ways[0].Backend || seen[key] {
				continue // the first way, to which the others are compared
			}
			seen[key] = true
			out = append(out, meanOf(key, scenes))
		}
	}
	return out
}

// meanOf fills in the numbers of m.
func meanOf(m meanReport, scenes []sceneReport) meanReport {
	var ratios, bare []float64
	for _, scene := range scenes {
		for _, s := range scene.Series {
			if s.Set != m.Set || s.Backend != m.Backend {
				continue
			}
			ratios = append(ratios, s.Ratio)
			if s.Bare != nil {
				bare = append(bare, 1+s.Bare.Cost)
			}
		}
	}
	m.Scenes, m.Ratio, m.Least, m.Most = len(ratios), geometricMean(ratios), slices.Min(ratios), slices.Max(ratios)
	if len(bare) > 0 {
		m.OverBare = geometricMean(bare)
	}
	return m
}

func geometricMean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(v)))
}
