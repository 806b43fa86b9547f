package features_test

import (
	"math"
	"testing"

	"github.com/hierml/notebook/hierml/collection"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/internal/testrun/given"
)

// The vectors of ng15, reuters21578 and ec10 were made from their texts by another program, with
// settings that their descriptions tell: the same settings give the same words and the same values.
func TestGivenTextPublished(t *testing.T) {
	given.Folder(t, given.Data)
	for name, settings := range map[string]features.Text{
		"ng15":         {Pattern: `[a-z][a-z0-9]+`, MinDocuments: 3},
		"reuters21578": {Pattern: `[a-z][a-z0-9]+`, MinDocuments: 2},
		"ec10":         {Tokens: features.Letters, NGrams: [2]int{3, 3}, KeepCase: true, MinDocuments: 2},
	} {
		t.Run(name, func(t *testing.T) {
			texts, err := collection.OpenTexts(name)
			if err != nil {
				t.Fatal(err)
			}
			given, err := collection.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			v, err := settings.Fit(texts.Part("train"))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := len(v.Vocabulary()), len(given.Train.Vocabulary); got != want {
				t.Errorf("%d terms, want %d", got, want)
			}
			wrong, largest := 0, 0.0
			for part, want := range map[string]*dataset.Dataset{"train": given.Train, "test": given.Test} {
				got := v.Transform(texts.Part(part))
				for i := range want.Len() {
					if d := distance(got, want, i); !(d <= 1e-4) {
						wrong++
						largest = max(largest, d)
					}
				}
			}
			if wrong > 0 {
				t.Errorf("%d of %d rows differ, by up to %v", wrong, given.Train.Len()+given.Test.Len(), largest)
			}
		})
	}
}

// distance returns the largest difference of a value in the rows i, whose features are told by
// their names, or infinity where a feature is in one of them alone.
func distance(a, b *dataset.Dataset, i int) float64 {
	ja, va := a.X.Row(i)
	jb, vb := b.X.Row(i)
	if len(ja) != len(jb) {
		return math.Inf(1)
	}
	weight := make(map[string]float32, len(ja))
	for k, j := range ja {
		weight[a.Vocabulary[j]] = va[k]
	}
	largest := 0.0
	for k, j := range jb {
		w, ok := weight[b.Vocabulary[j]]
		if !ok {
			return math.Inf(1)
		}
		largest = max(largest, math.Abs(float64(w-vb[k])))
	}
	return largest
}
