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

// fuzzTime is how long each fuzz test runs in the long form.
const fuzzTime = "30s"

var fuzzTest = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// fuzz runs each fuzz test for a while.
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
			err := r.goTest("-vet=off", "-run=^$", "-fuzz=^"+string(m[1])+"$", "-fuzztime="+fuzzTime, "./"+filepath.ToSlash(filepath.Dir(path)))(ctx)
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s: %w", m[1], err))
			}
		}
		return nil
	})
	return errors.Join(failed, err)
}
