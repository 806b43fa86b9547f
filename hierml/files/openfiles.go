package files

import (
	"context"
	"io"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// fromFile reads a file as read reads what is open.
func fromFile[T any](ctx context.Context, file string, t *taxonomy.Taxonomy, read func(context.Context, io.Reader, string, *taxonomy.Taxonomy) (T, error)) (T, error) {
	var content T
	err := textfile.ReadFile(ctx, "files", file, func(r io.Reader, name string) (err error) {
		content, err = read(ctx, r, name, t)
		return err
	})
	return content, err
}

// Open reads a file as Read does.
func (s SVMLight) Open(ctx context.Context, file string, t *taxonomy.Taxonomy) (*dataset.Dataset, error) {
	return fromFile(ctx, file, t, s.Read)
}

// Open reads a file as Read does.
func (s LSHTC) Open(ctx context.Context, file string, t *taxonomy.Taxonomy) (*dataset.Dataset, error) {
	return fromFile(ctx, file, t, s.Read)
}

// Open reads a file of vectors as Read does.
func (s RCV1) Open(ctx context.Context, file string, t *taxonomy.Taxonomy) (*dataset.Dataset, error) {
	return fromFile(ctx, file, t, s.Read)
}

// Open reads a file as Read does.
func (s ARFF) Open(ctx context.Context, file string, t *taxonomy.Taxonomy) (*dataset.Dataset, error) {
	return fromFile(ctx, file, t, s.Read)
}

// Open reads a file of texts as Read does.
func (s CSV) Open(ctx context.Context, file string, t *taxonomy.Taxonomy) (*dataset.Corpus, error) {
	return fromFile(ctx, file, t, s.Read)
}

// Open reads a file as Read does.
func (s JSONLines) Open(ctx context.Context, file string, t *taxonomy.Taxonomy) (*dataset.Corpus, error) {
	return fromFile(ctx, file, t, s.Read)
}
