package refusal_test

import (
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
)

// TestDocExamples lowers the examples of the package comment.
func TestDocExamples(t *testing.T) { enginetest.LoweredExamples(t, "refusal.go") }
