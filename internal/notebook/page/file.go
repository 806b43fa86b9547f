package page

import (
	"io"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/internal/replace"
)

// WriteFile writes the page of a notebook to a file. If it fails, the old file stays.
func WriteFile(path string, nb *notebook.Notebook, title string) error {
	return replace.With(path, func(w io.Writer) error { return Write(w, nb, title) })
}
