package gram_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/gram"
)

// features returns the weight of every subsequence of n symbols in s: the sum of decay^extent over
// its occurrences.
func features(s []rune, n int, decay float64) map[string]float64 {
	phi := make(map[string]float64)
	var choose func(at []int)
	choose = func(at []int) {
		if len(at) == n {
			var u []rune
			for _, i := range at {
				u = append(u, s[i])
			}
			phi[string(u)] += math.Pow(decay, float64(at[n-1]-at[0]+1))
			return
		}
		from := 0
		if len(at) > 0 {
			from = at[len(at)-1] + 1
		}
		for i := from; i < len(s); i++ {
			choose(append(at[:len(at):len(at)], i))
		}
	}
	choose(nil)
	return phi
}

func enumerated(s, t []rune, n int, decay float64) float64 {
	phi, psi := features(s, n, decay), features(t, n, decay)
	var sum float64
	for u, v := range phi {
		sum += v * psi[u]
	}
	return sum
}

func TestSubsequenceKernelAgreesWithEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	words := [][]rune{{}, []rune("a"), []rune("cat"), []rune("car"), []rune("aaaaaaa"), []rune("größe"), []rune("abcabcab")}
	for range 8 {
		w := make([]rune, rng.IntN(9))
		for i := range w {
			w[i] = 'a' + rune(rng.IntN(3))
		}
		words = append(words, w)
	}
	for n := 1; n <= 5; n++ {
		for _, decay := range []float64{0.1, 0.5, 1} {
			raw := gram.Subsequence{Length: n, Decay: decay, Raw: true}
			normal := gram.Subsequence{Length: n, Decay: decay}
			products, err := gram.Sequences(context.Background(), raw, words, nil)
			if err != nil {
				t.Fatal(err)
			}
			cosines, err := gram.Sequences(context.Background(), normal, words, &gram.Settings{Workers: 3})
			if err != nil {
				t.Fatal(err)
			}
			cross, err := gram.CrossSequences(context.Background(), normal, words[2:5], words, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range words {
				for j, u := range words {
					want := enumerated(s, u, n, decay)
					near(t, products.At(i, j), want)
					near(t, raw.Value(s, u), want)
					if want > 0 {
						want /= math.Sqrt(enumerated(s, s, n, decay) * enumerated(u, u, n, decay))
					}
					near(t, cosines.At(i, j), want)
					near(t, normal.Value(s, u), want)
					if i >= 2 && i < 5 {
						near(t, cross.At(i-2, j), want)
					}
				}
			}
			if err := gram.Check(cosines); err != nil {
				t.Error(err)
			}
		}
	}
}

// The values of [LSSCW02]: K(car, cat) is decay^4 for subsequences of two symbols, and K(cat, cat)
// 2 decay^4 + decay^6; two sentences have 0.580 to 0.370 for two to six symbols.
func TestSubsequenceKernelOfThePaper(t *testing.T) {
	k := gram.Subsequence{Length: 2, Decay: 0.7}
	near(t, k.Value([]rune("car"), []rune("cat")), 1/(2+0.7*0.7))
	for i, want := range []float64{0.580, 0.478, 0.439, 0.406, 0.370} {
		k := gram.Subsequence{Length: i + 2, Decay: 0.5}
		if v := k.Value([]rune("science is organized knowledge"), []rune("wisdom is organized life")); math.Abs(v-want) > 1e-3 {
			t.Errorf("length %d: %.4f, want %.3f", i+2, v, want)
		}
	}
}

// byLength compares sequences by their lengths alone.
type byLength struct{}

func (byLength) Value(s, t []rune) float64 { return float64(len(s) * len(t)) }

func TestAnyKernelOfSequences(t *testing.T) {
	k, err := gram.Sequences(context.Background(), byLength{}, [][]rune{[]rune("ab"), []rune("abc")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	near(t, k.At(1, 0), 6)
}

func TestLongSequencesStayNormalized(t *testing.T) {
	a := []rune(strings.Repeat("ab", 400))
	b := []rune(strings.Repeat("x", 3000) + "abab" + strings.Repeat("y", 3000))
	k := gram.Subsequence{Length: 4}
	near(t, k.Value(a, a), 1)
	if v := k.Value(a, b); !(v > 0 && v < 1) {
		t.Errorf("kernel is %v, want a value between 0 and 1", v)
	}
}

func ExampleSubsequence() {
	texts := [][]rune{[]rune("science is organized knowledge"), []rune("wisdom is organized life"), []rune("potatoes")}
	k, err := gram.Sequences(context.Background(), gram.Subsequence{Length: 3, Decay: 0.5}, texts, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range texts {
		fmt.Printf("%.2f %.2f %.2f\n", k.At(i, 0), k.At(i, 1), k.At(i, 2))
	}
	// Output:
	// 1.00 0.48 0.00
	// 0.48 1.00 0.00
	// 0.00 0.00 1.00
}

func BenchmarkSubsequence(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	text := func() []rune {
		s := make([]rune, 1000)
		for i := range s {
			s[i] = 'a' + rune(rng.IntN(26))
		}
		return s
	}
	texts := [][]rune{text(), text(), text(), text()}
	for b.Loop() {
		if _, err := gram.Sequences(context.Background(), gram.Subsequence{Length: 5}, texts, &gram.Settings{Workers: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
