package features

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
)

// plainVector is the definition, written down a second time: the vector of a document by its terms.
func plainVector(s Text, train [][]string, document []string) map[string]float64 {
	total := 0
	df := make(map[string]int)
	for _, d := range train {
		total += len(d)
		seen := make(map[string]bool)
		for _, term := range d {
			if !seen[plainColumn(s, term)] {
				seen[plainColumn(s, term)] = true
				df[plainColumn(s, term)]++
			}
		}
	}
	n, average := float64(len(train)), float64(total)/float64(len(train))
	tf := make(map[string]int)
	for _, term := range document {
		tf[term]++
	}
	vector := make(map[string]float64)
	for term, count := range tf {
		f, documents := float64(count), float64(df[plainColumn(s, term)])
		if documents == 0 && (s.Bits == 0 || s.Weight.counted()) {
			continue
		}
		weight := 0.0
		switch s.Weight {
		case LogTFIDF:
			weight = (1 + math.Log(f)) * math.Log(n/documents)
		case PlainTFIDF:
			weight = f * math.Log(n/documents)
		case BM25:
			k1, b := 1.2, 0.75
			if s.K1 != 0 {
				k1 = s.K1
			}
			if s.B != 0 {
				b = s.B
			}
			if b < 0 {
				b = 0
			}
			weight = f / (f + k1*(1-b+b*float64(len(document))/average)) * math.Log((n+1)/(documents+0.5))
		case Counts:
			weight = f
		case LogCounts:
			weight = 1 + math.Log(f)
		case Binary:
			weight = 1
		}
		if s.Bits > 0 && plainHash(term)%2 == 1 {
			weight = -weight
		}
		vector[plainColumn(s, term)] += weight
	}
	length := 0.0
	for column, weight := range vector {
		switch s.Norm {
		case UnitLength:
			length += weight * weight
		case UnitSum:
			length += math.Abs(weight)
		}
		if math.Abs(weight) < 1e-12 {
			delete(vector, column)
		}
	}
	if s.Norm == UnitLength {
		length = math.Sqrt(length)
	}
	if s.Norm != NoNorm {
		for column := range vector {
			vector[column] /= length
		}
	}
	return vector
}

// plainColumn returns the name of a term's column.
func plainColumn(s Text, term string) string {
	if s.Bits == 0 {
		return term
	}
	return fmt.Sprint(plainHash(term) / (1 << (64 - s.Bits)))
}

func plainHash(term string) uint64 {
	sum := fnv.New64a()
	sum.Write([]byte(term))
	h := sum.Sum64()
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	h ^= h >> 33
	return h
}

// drawnTexts returns texts whose words are the rarer the larger their number.
func drawnTexts(t *testing.T, n int, seed uint64) *dataset.Corpus {
	rng := rand.New(rand.NewPCG(seed, 0))
	list := make([]string, n)
	for i := range list {
		var b strings.Builder
		for range rng.IntN(40) {
			fmt.Fprintf(&b, "w%d ", int(rng.ExpFloat64()*rng.ExpFloat64()*8))
		}
		list[i] = b.String()
	}
	return example.Fruits(list...)
}

func TestTextWeights(t *testing.T) {
	train, test := drawnTexts(t, 60, 1), drawnTexts(t, 30, 2)
	for _, settings := range []Text{
		{}, {Weight: PlainTFIDF}, {Weight: BM25}, {Weight: Counts}, {Weight: LogCounts}, {Weight: Binary},
		{Weight: BM25, K1: 2, B: 0.3, Norm: NoNorm}, {Weight: BM25, B: -1, Norm: UnitSum}, {Norm: UnitSum}, {Norm: NoNorm},
		{NGrams: [2]int{1, 3}, Weight: BM25}, {StopWords: []string{"w0", "w1 w2"}, NGrams: [2]int{2, 2}},
		{Bits: 3, Weight: Counts}, {Bits: 12, Weight: Binary, Norm: NoNorm}, {Bits: 4}, {Bits: 10, Weight: BM25}, {Bits: 5, Weight: PlainTFIDF, NGrams: [2]int{1, 2}},
		{Bits: 20, Weight: LogCounts},
	} {
		t.Run(fmt.Sprintf("%+v", settings), func(t *testing.T) {
			v, err := settings.Fit(train)
			if err != nil {
				t.Fatal(err)
			}
			d := v.Transform(test)
			example.CheckMatrix(t, d.X)
			if d.X.Cols != v.Columns() || d.Len() != test.Len() {
				t.Errorf("%d columns", d.X.Cols)
			}
			var lists [][]string
			for _, document := range train.Documents {
				lists = append(lists, termsOf(t, settings, document.Text))
			}
			for i, document := range test.Documents {
				want := plainVector(settings, lists, termsOf(t, settings, document.Text))
				indices, values := d.X.Row(i)
				got := make(map[string]float64)
				for k, j := range indices {
					name := fmt.Sprint(j)
					if settings.Bits == 0 {
						name = v.Vocabulary()[j]
					}
					got[name] = float64(values[k])
				}
				for name, w := range want {
					if math.Abs(got[name]-w) > 1e-6*(1+math.Abs(w)) {
						t.Errorf("document %d, %s: %v, want %v", i, name, got[name], w)
					}
					delete(got, name)
				}
				if len(got) > 0 {
					t.Errorf("document %d has also %v", i, got)
				}
			}
		})
	}
}

// Hashed counts need no training.
func TestVectorizerWithoutTraining(t *testing.T) {
	settings := Text{Bits: 10, Weight: LogCounts, NGrams: [2]int{1, 2}}
	c := drawnTexts(t, 40, 3)
	v, err := settings.Vectorizer()
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := settings.Fit(c)
	if err != nil {
		t.Fatal(err)
	}
	got, want := v.Transform(c), fitted.Transform(c)
	if !reflect.DeepEqual(got.X, want.X) || got.Vocabulary != nil {
		t.Error("training texts make a difference")
	}
	if s := v.String(); s != "log counts of 1- to 2-grams of words in 1024 columns by hashing" {
		t.Error(s)
	}
	if x := v.Vectors(c.Documents[5].Text, "", c.Documents[0].Text); !reflect.DeepEqual(x.Subset([]int{0, 2}), want.X.Subset([]int{5, 0})) || x.Rows != 3 || x.Indptr[1] != x.Indptr[2] {
		t.Error(x)
	}
}

func TestMaxFeatures(t *testing.T) {
	c := example.Fruits("a b c d", "a b c", "a c e", "a f")
	for most, want := range []string{"[b c d e f]", "[c]", "[b c]", "[b c d]", "[b c d e]", "[b c d e f]", "[b c d e f]"} {
		v, err := Text{MaxFeatures: most}.Fit(c)
		if err != nil || fmt.Sprint(v.Vocabulary()) != want {
			t.Errorf("%d: %v, want %s; %v", most, v.Vocabulary(), want, err)
		}
	}
	v, err := Text{MaxFeatures: 1, Weight: Counts}.Fit(c)
	if err != nil || fmt.Sprint(v.Vocabulary()) != "[a]" {
		t.Errorf("counts leave out what stands in all documents: %v, %v", v.Vocabulary(), err)
	}
}

func TestKeep(t *testing.T) {
	c := drawnTexts(t, 50, 1)
	v, err := Text{}.Fit(c)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := v.Keep([]int{1, 4, 5})
	if err != nil {
		t.Fatal(err)
	}
	d, err := v.Transform(c).Columns([]int{1, 4, 5})
	if err != nil {
		t.Fatal(err)
	}
	got := kept.Transform(c)
	if !slices.Equal(got.Vocabulary, d.Vocabulary) || !slices.Equal(got.X.Indices, d.X.Indices) || got.X.Cols != 3 {
		t.Error("other columns than those of the data set")
	}
	for i := range c.Documents {
		_, values := got.X.Row(i)
		sum := 0.0
		for _, x := range values {
			sum += float64(x) * float64(x)
		}
		if len(values) > 0 && math.Abs(sum-1) > 1e-6 {
			t.Errorf("row %d has the squared norm %v", i, sum)
		}
	}
	for _, columns := range [][]int{{-1}, {1, 1}, {2, 1}, {len(v.Vocabulary())}} {
		if _, err := v.Keep(columns); err == nil {
			t.Errorf("keeps %v", columns)
		}
	}
}

func TestFitEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := drawnTexts(t, 50, 1)
	v, err := Text{}.FitContext(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := (Text{}).FitContext(ctx, c); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := (Text{Bits: 5}).FitContext(ctx, c); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := v.TransformContext(ctx, c); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestTextNeedsACorpus(t *testing.T) {
	if _, err := (Text{}).Fit(nil); err == nil || !strings.Contains(err.Error(), "needs a corpus") {
		t.Errorf("error %v", err)
	}
}

func TestTextAsJSON(t *testing.T) {
	settings := Text{
		Tokens: Letters, KeepCase: true, NGrams: [2]int{2, 3}, Weight: BM25, K1: 2, Norm: UnitSum, MinDocuments: 2, MaxShare: 0.5,
	}
	data, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"Tokens":"letters","KeepCase":true,"NGrams":[2,3],"MinDocuments":2,"MaxShare":0.5,"Weight":"BM25","K1":2,"Norm":"unit sum"}`
	if string(data) != want {
		t.Errorf("%s, want %s", data, want)
	}
	var got Text
	if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, settings) {
		t.Errorf("%+v, %v", got, err)
	}
	if data, err := json.Marshal(Text{}); err != nil || string(data) != "{}" {
		t.Errorf("%s, %v", data, err)
	}
	if err := json.Unmarshal([]byte(`{"Weight":"tfidf"}`), &got); err == nil || !strings.Contains(err.Error(), "one of: log tf-idf, tf-idf, BM25") {
		t.Error(err)
	}
	if _, err := json.Marshal(Text{Norm: 8}); err == nil {
		t.Error("writes a norm that there is not")
	}
}

// TestFitTransform makes the same vectorizer and the same vectors as Fit and Transform.
func TestFitTransform(t *testing.T) {
	_, corpus := example.Rows(300, 20)
	for _, s := range []Text{
		{}, {MinDocuments: 2, Weight: BM25}, {NGrams: [2]int{1, 2}, SmoothIDF: true}, {Tokens: Characters, NGrams: [2]int{2, 4}, MaxFeatures: 50}, {Pattern: `\w+`, NGrams: [2]int{2, 3}}, {Bits: 8},
		{StopWords: []string{"w1 w2"}, Weight: LogCounts, NGrams: [2]int{2, 2}},
	} {
		want, err := s.Fit(corpus)
		if err != nil {
			t.Fatal(err)
		}
		got, d, err := s.FitTransform(t.Context(), corpus)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Vocabulary(), want.Vocabulary()) || !reflect.DeepEqual(got.IDF(), want.IDF()) {
			t.Errorf("%+v: another vocabulary", s)
		}
		if !reflect.DeepEqual(d, want.Transform(corpus)) || !reflect.DeepEqual(d, got.Transform(corpus)) {
			t.Errorf("%+v: other vectors", s)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := (Text{}).FitTransform(ctx, corpus); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, _, err := (Text{}).FitTransform(t.Context(), nil); err == nil {
		t.Error("no error without a corpus")
	}
}
