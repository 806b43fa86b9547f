package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// fuzzAmount is how much each fuzz test does: a number of inputs, which a busy machine does too, and
// in the long form what there is time for.
func (f testForm) fuzzAmount() string {
	if f.long {
		return "30s"
	}
	return "3000x"
}

var fuzzTest = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// fuzz runs each fuzz test.
func (r *testRun) fuzz(ctx context.Context) error {
	var failed error
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range fuzzTest.FindAllSubmatch(text, -1) {
			err := r.goTest("-vet=off", "-run=^$", "-fuzz=^"+string(m[1])+"$", "-fuzztime="+r.form.fuzzAmount(), "-fuzzminimizetime=100x", "./"+filepath.ToSlash(filepath.Dir(path)))(ctx)
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s: %w", m[1], err))
			}
		}
		return nil
	})
	return errors.Join(failed, err)
}
