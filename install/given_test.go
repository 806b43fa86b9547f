package main

import (
	"testing"

	"github.com/hierml/notebook/install/internal/gotest"
)

// TestRequiredTestsRan holds that the run of tests which need folders fails where they did not run.
func TestRequiredTestsRan(t *testing.T) {
	skipped := func(reason string) []gotest.Skip { return []gotest.Skip{{Test: "TestA", Reason: reason}} }
	for _, test := range []struct {
		summary gotest.Summary
		ran     bool
	}{
		{gotest.Summary{}, false},
		{gotest.Summary{Passed: 3}, true},
		{gotest.Summary{Passed: 3, Skipped: skipped("needs a folder that HIERML_DATA names")}, false},
		{gotest.Summary{Passed: 3, Skipped: skipped("needs Jupyter: none is here")}, false},
		{gotest.Summary{Passed: 3, Skipped: skipped("left to the long form of the run: hours")}, true},
	} {
		if err := complete(test.summary); (err == nil) != test.ran {
			t.Errorf("%+v: %v", test.summary, err)
		}
	}
}
