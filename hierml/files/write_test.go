package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
)

// writeWith returns what is written.
func writeWith(t testing.TB, d *dataset.Dataset, write func(context.Context, io.Writer, *dataset.Dataset) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(t.Context(), &b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var errBroken = errors.New("no space left")

// brokenWriter fails.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }
