package solver

import (
	"context"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/structured"
)

// tour is a problem of the tour's size: 15,000 texts, 160 leaves.
func tour(b *testing.B) *structured.Oracle {
	b.Helper()
	t := example.Tree(5, 4, 8)
	o, err := problem(example.Texts(t, 15000, 30000, 60, 1), structured.Ancestors(t), loss.Symdiff(t), 1).Compile()
	if err != nil {
		b.Fatal(err)
	}
	return o
}

// BenchmarkEpochBCFW measures the first epoch, which visits every example.
func BenchmarkEpochBCFW(b *testing.B) {
	o := tour(b)
	for b.Loop() {
		if err := workAll(newBlocks(newState(context.Background(), o, Settings{Gap: 1e-3}))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEpochDualAscent(b *testing.B) {
	o := tour(b)
	for b.Loop() {
		if err := workAll(newAscent(newState(context.Background(), o, Settings{Gap: 1e-3}))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEpochPegasos(b *testing.B) {
	o := tour(b)
	for b.Loop() {
		if err := workAll(newSubgradients(newState(context.Background(), o, Settings{}), 1)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCertify(b *testing.B) {
	o := tour(b)
	blocks := newBlocks(newState(context.Background(), o, Settings{Gap: 1e-3}))
	if err := workAll(blocks); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := o.Certify(context.Background(), blocks.dual, blocks.weights, blocks.gaps, 0); err != nil {
			b.Fatal(err)
		}
	}
}
