package hierml_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/collection"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/internal/testrun/given"
)

// TestGivenNewsgroupsHierarchyIsFound compares the hierarchy that is learned from the groups'
// centroids with the true one. [Cai08, figure 6.1] gets 7 clusters from nine tenths of the 15,000
// posts: the true parents, but religion and politics each in two. From the training part at hand
// come 7 clusters as well, each within a true parent: here computers and politics are in two.
func TestGivenNewsgroupsHierarchyIsFound(t *testing.T) {
	given.Folder(t, given.Data)
	c, err := collection.Open("ng15")
	if err != nil {
		t.Fatal(err)
	}
	d, err := clustering.Agglomerative{}.Fit(context.Background(), c.Train)
	if err != nil {
		t.Fatal(err)
	}
	learned, err := d.Taxonomy()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%v\n%v", d, learned)
	if len(d.Clusters) != 7 {
		t.Errorf("%d clusters, want 7", len(d.Clusters))
	}
	parts := map[string]int{}
	for _, cluster := range d.Clusters {
		var parents []string
		for _, class := range cluster {
			leaf, _ := c.Train.Taxonomy.Node(d.Classes[class])
			parents = append(parents, c.Train.Taxonomy.Name(c.Train.Taxonomy.Parents(leaf)[0]))
		}
		slices.Sort(parents)
		if parents = slices.Compact(parents); len(parents) != 1 {
			t.Errorf("cluster %v has groups of %v", cluster, parents)
		}
		parts[parents[0]]++
	}
	for parent, n := range map[string]int{"computers": 2, "politics": 2, "religion": 1, "sports": 1, "vehicles": 1} {
		if parts[parent] != n {
			t.Errorf("%s is in %d clusters, want %d", parent, parts[parent], n)
		}
	}
}

// TestGivenNewsgroupsLearnedHierarchy repeats the first rows of [Cai08, table 7.24]: averaged
// perceptrons of 20 epochs on 10 and 20 documents a class, flat and under the hierarchy learned
// from these documents, judged by the true one. There the learned hierarchy gains 2 to 3 points of
// average precision, 3 of parent accuracy, and 0.05 of tree loss. On the later release, at hand,
// the flat perceptron is ten points more accurate, and even under the true hierarchy it gains no
// more than a point: what must come out is the better ranking, and nothing lost.
func TestGivenNewsgroupsLearnedHierarchy(t *testing.T) {
	given.Folder(t, given.Data)
	texts, err := collection.OpenTexts("ng15")
	if err != nil {
		t.Fatal(err)
	}
	words, err := features.TFIDF{Counts: true, MinDocuments: 2, MaxShare: 0.08}.Fit(texts)
	if err != nil {
		t.Fatal(err)
	}
	all := words.Transform(texts)
	ctx := context.Background()
	for _, published := range []struct {
		perClass                              int
		accuracy, precision, treeLoss, parent pair
	}{
		{10, pair{36.2, 36.9}, pair{51.4, 53.4}, pair{1.05, 1.01}, pair{59.2, 62.2}},
		{20, pair{46.1, 47.7}, pair{59.9, 62.7}, pair{0.85, 0.79}, pair{69.3, 72.9}},
	} {
		const repeats = 5
		var accuracy, precision, treeLoss, parent pair
		for seed := range uint64(repeats) {
			train, test := sample(t, all, published.perClass, seed)
			flat, err := perceptron.Flat{Averaged: true}.Fit(ctx, train)
			if err != nil {
				t.Fatal(err)
			}
			learned, err := clustering.Automatic{Estimator: perceptron.Hierarchical{Averaged: true}}.Fit(ctx, train)
			if err != nil {
				t.Fatal(err)
			}
			for i, model := range []metric.Scorer{flat, learned} {
				report, err := metric.Evaluate(model, test)
				if err != nil {
					t.Fatal(err)
				}
				accuracy[i] += 100 * report.Accuracy / repeats
				precision[i] += 100 * report.AveragePrecision / repeats
				treeLoss[i] += report.TreeLoss / 2 / repeats
				parent[i] += 100 * report.ParentAccuracy / repeats
			}
		}
		t.Logf("%d a class: accuracy %.1f (published %.1f), average precision %.1f (%.1f), tree loss %.2f (%.2f), parent accuracy %.1f (%.1f)",
			published.perClass, accuracy, published.accuracy, precision, published.precision, treeLoss, published.treeLoss, parent, published.parent)
		if precision.difference() < 0.3 || treeLoss.difference() > 0.015 || parent.difference() < -0.5 {
			t.Errorf("%d a class: the learned hierarchy does not help: average precision %.1f, tree loss %.3f, parent accuracy %.1f", published.perClass, precision, treeLoss, parent)
		}
	}
}

// TestGivenHierarchiesOfTextsDoNotChain clusters the classes of texts by the settings for texts,
// and by others, which add one class after the other to one cluster where many classes have few
// texts.
func TestGivenHierarchiesOfTextsDoNotChain(t *testing.T) {
	given.Folder(t, given.Data)
	for name, chains := range map[string]bool{"ng15": false, "reuters21578": true} {
		c, err := collection.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if c, err = c.Leafed(); err != nil {
			t.Fatal(err)
		}
		for what, settings := range map[string]clustering.Agglomerative{
			"settings for texts": clustering.ForTexts(), "average": {}, "single": {Linkage: clustering.Single},
		} {
			d, err := settings.Fit(context.Background(), c.Train)
			if err != nil {
				t.Fatal(err)
			}
			depth, least := meanDepth(d), math.Log2(float64(d.Len())) // of a tree that is as even as can be
			t.Logf("%s, %s: %d classes, %.2f links deep in the mean; %.2f is the least", name, what, d.Len(), depth, least)
			switch {
			case what == "settings for texts" && depth > 1.25*least:
				t.Errorf("%s, %s: %.2f links deep in the mean, of at least %.2f", name, what, depth, least)
			case what != "settings for texts" && chains && depth < 5*least:
				t.Errorf("%s, %s: %.2f links deep in the mean, where chains are said to be", name, what, depth)
			}
		}
	}
}

// meanDepth returns how many links there are above a class, in the mean.
func meanDepth(d *clustering.Dendrogram) float64 {
	depth := make([]int, d.Len()+len(d.Links))
	sum := 0
	for t := len(d.Links) - 1; t >= 0; t-- {
		for _, c := range [2]int{d.Links[t].A, d.Links[t].B} {
			depth[c] = depth[d.Len()+t] + 1
			if c < d.Len() {
				sum += depth[c]
			}
		}
	}
	return float64(sum) / float64(d.Len())
}
