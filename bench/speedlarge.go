package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// largeContests are the rows of problems with hundreds of leaves and more, each measured once.
var largeContests = []contest{
	{row: "-s 4, hundreds of leaves", peer: "LIBLINEAR", goal: 0.25, cases: []string{"big, C = 1"}, repeat: 1, once: objective("4", "flat", (*speed).whole)},
	versus("hierarchical", 1.1), versus("normalized", 1.15),
	{row: "label tree with squared hinges", peer: "PECOS XR-Linear", goal: 0.5, cases: []string{"dmoz, C = 1"}, repeat: 1, once: labelTrees},
}

// versus is the row of a structured SVM beside the flat one, both of this library.
func versus(name string, goal float64) contest {
	return contest{row: name, peer: "flat", goal: goal, cases: []string{"big, C = 1"}, repeat: 1, once: func(ctx context.Context, s *speed, _ string) (mine, theirs took, err error) {
		f, err := s.whole(ctx, "big")
		if err != nil {
			return mine, theirs, err
		}
		var both [2]outcome
		for k, run := range []string{name, "flat"} {
			if both[k], err = ours(ctx, options{c: 1, gap: 1e-3}, f, run, "1"); err != nil {
				return mine, theirs, err
			}
		}
		return both[0].took(), both[1].took(), nil
	}}
}

// labelTrees trains on the given tree, and PECOS on one that it learns. It is an error if PECOS
// predicts better.
func labelTrees(ctx context.Context, s *speed, _ string) (mine, theirs took, err error) {
	f, err := s.whole(ctx, "dmoz")
	if err != nil {
		return mine, theirs, err
	}
	r, err := ours(ctx, options{c: 1, gap: 1e-3}, f, "xr-linear", "1")
	if err != nil {
		return mine, theirs, err
	}
	if _, err := writeDriver(s.folder); err != nil {
		return mine, theirs, err
	}
	peers := scaleOptions{peerOptions: peerOptions{python: s.python, time: time.Hour}}
	peer, err := peers.peer(ctx, training{method: "PECOS XR-Linear"}, s.folder, f)
	if err == nil && peer.Accuracy > r.Accuracy {
		err = fmt.Errorf("an accuracy of %.4f; PECOS has %.4f", r.Accuracy, peer.Accuracy)
	}
	return r.took(), peer.took(), err
}

// whole writes, once in a run, the files of a problem with its taxonomy.
func (s *speed) whole(ctx context.Context, name string) (stem, error) {
	folder := filepath.Join(s.folder, "whole")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return stem{}, err
	}
	f := dataFiles(folder, name)
	if _, err := os.Stat(f.edges()); err == nil {
		return f, nil
	}
	return generate(ctx, folder, name)
}

func (r outcome) took() took { return took{CPU: r.TrainingCPU, Wall: r.TrainingWall, Peak: r.Peak} }
