package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestForeignResults changes numbers, names and lists in the plans and the cells of studies, and
// shows and tests what is read of them: nothing panics.
func TestForeignResults(t *testing.T) {
	whole := study(t)
	whole.Directory = filepath.Join(t.TempDir(), "a.study")
	complete(t, whole)
	curve := study(t)
	curve.Methods, curve.Inner, curve.Split, curve.Directory = curve.Methods[:1], Split{}, Split{PerClass: []int{1, 2}}, filepath.Join(t.TempDir(), "b.study")
	curve.Data = curve.Data[:1]
	complete(t, curve)
	single := study(t)
	single.Methods, single.Inner, single.Split, single.Repeats, single.Directory = single.Methods[:2], Split{}, Split{}, 1, filepath.Join(t.TempDir(), "c.study")
	complete(t, single)
	for _, s := range []*Study{whole, curve, single} {
		plan, err := os.ReadFile(filepath.Join(s.Directory, planFile))
		if err != nil {
			t.Fatal(err)
		}
		cells, err := os.ReadFile(filepath.Join(s.Directory, cellsFile))
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		const rounds = 60
		for seed := range uint64(rounds) {
			r := rand.New(rand.NewPCG(seed, 0))
			dir := t.TempDir()
			var lines bytes.Buffer
			for line := range bytes.Lines(cells) {
				lines.Write(append(changedJSON(t, r, line), '\n'))
			}
			if err := keep(dir, planFile, changedJSON(t, r, plan)); err != nil {
				t.Fatal(err)
			}
			if err := keep(dir, cellsFile, lines.Bytes()); err != nil {
				t.Fatal(err)
			}
			results, err := Load(dir)
			if err != nil {
				continue
			}
			read++
			_ = everything(results)
			for _, name := range results.methods {
				for _, test := range []Test{"", "t", "corrected t", "two-way t", "permutation"} {
					if against, err := results.Against(name, test); err == nil {
						_ = fmt.Sprint(against, against.Summary().JSON())
					}
				}
			}
		}
		if read < rounds/4 {
			t.Errorf("of %d changed folders only %d are read", rounds, read)
		}
	}
}

// changedJSON changes some values of a text to others of their type.
func changedJSON(t *testing.T, r *rand.Rand, text []byte) []byte {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	changed, err := json.Marshal(changedValue(r, value))
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func changedValue(r *rand.Rand, value any) any {
	const rare = 400
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			if r.IntN(rare) == 0 {
				delete(v, key)
			} else {
				v[key] = changedValue(r, v[key])
			}
		}
	case []any:
		for i := range v {
			v[i] = changedValue(r, v[i])
		}
		if len(v) > 0 && r.IntN(rare) == 0 {
			return append(v[r.IntN(len(v)):], v[r.IntN(len(v))])
		}
	case float64:
		if r.IntN(rare) == 0 {
			others := []float64{0, 1, 2, v + 1, v - 1, 1e9, -1, -1e9, 1e300, -1e300}
			if v == math.Trunc(v) { // a whole number, most likely
				others = others[:8]
			}
			return others[r.IntN(len(others))]
		}
	case string:
		if r.IntN(rare) == 0 {
			return []string{"", "\x1b[31m", "one", "noisy", "accuracy", "seconds", v + v}[r.IntN(7)]
		}
	}
	return value
}
