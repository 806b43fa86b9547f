package conversion_test

import (
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
)

// TestDocExamples lowers the examples of doc.go.
func TestDocExamples(t *testing.T) { enginetest.LoweredExamples(t, "doc.go") }
