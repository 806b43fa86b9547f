package experiment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/folder"
)

// dataFolder is where the files of tables are.
type dataFolder struct {
	path    string
	foreign bool // it is that of a study from elsewhere: no links are followed in it
}

// dataFolder returns the folder of the study's files.
func (s *Study) dataFolder() dataFolder {
	return dataFolder{s.DataFolder, s.ownFolder != "" && s.DataFolder == s.ownFolder}
}

// file returns the path of a file.
func (f dataFolder) file(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(f.path, name)
}

func (f dataFolder) open(name string) (*os.File, error) {
	if f.foreign {
		return folder.Folder(f.path).Open(name)
	}
	return os.Open(f.file(name))
}

// files returns the absolute paths of the files of the data, empty where one is no file, and nil if
// none is.
func (s *Study) files() ([]string, error) {
	paths := make([]string, len(s.Data))
	some := false
	for i := range s.Data {
		if s.Data[i].File == "" {
			continue
		}
		path, err := filepath.Abs(s.dataFolder().file(s.Data[i].File))
		if err != nil {
			return nil, fmt.Errorf("experiment: %w", err)
		}
		paths[i], some = path, true
	}
	if !some {
		return nil, nil
	}
	return paths, nil
}

// read reads the table in the File.
func (d *Data) read(ctx context.Context, from dataFolder) (_ *dataset.Table, err error) {
	file, err := from.open(d.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("experiment: data set %q: %w; name the folder of the files by hierml study run --data FOLDER (in Go, by Study.DataFolder)", d.Name, err)
	}
	if err != nil {
		return nil, fmt.Errorf("experiment: data set %q: %w", d.Name, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	reader := d.Reader
	if reader.Repair != nil {
		reader.Repair = &taxonomy.Faults{}
	}
	table, err := reader.Read(ctx, file, from.file(d.File), nil)
	if err != nil {
		return nil, err
	}
	if reader.Repair.Total() > 0 {
		progress.Note(ctx, strings.TrimSpace(filepath.Base(d.File)+": "+reader.Repair.String()))
	}
	return table, nil
}

// tableTrainFirst leaves out the rows of the table that have no label, and puts those to train on
// first, as trainFirst does.
func (in *instances) tableTrainFirst(ctx context.Context) {
	all := in.table
	in.table = all.Labelled()
	if left := all.Len() - in.table.Len(); left > 0 {
		progress.Note(ctx, fmt.Sprintf("%s: %s left out", all.Name, describe.Count(left, "row without a label is", "rows without a label are")))
	}
	part := columnOf(in.table, dataset.Part)
	if part == nil {
		return
	}
	if rows, train := rowsTrainFirst(in.table.Len(), part.Value); train > 0 {
		in.table, in.given = in.table.Subset(rows), train
	}
}

// columnOf returns the first column of a role, nil if there is none.
func columnOf(t *dataset.Table, role dataset.Role) *dataset.Column {
	for k := range t.Columns {
		if t.Columns[k].Role == role {
			return &t.Columns[k]
		}
	}
	return nil
}

// encode makes vectors of the rows of a table.
func (d *Data) encode(ctx context.Context, train, test *dataset.Table) (p part, err error) {
	encoder, err := d.Columns.Fit(ctx, train)
	if err != nil {
		return part{}, err
	}
	if p.train, err = encoder.Transform(ctx, train); err == nil {
		p.test, err = encoder.Transform(ctx, test)
	}
	return p, err
}

func (h *digester) table(t *dataset.Table) {
	h.taxonomy(t.Taxonomy)
	h.labels(t.Labels)
	h.number(len(t.Columns))
	var value []byte
	for k := range t.Columns {
		c := &t.Columns[k]
		for _, text := range []string{c.Name, c.Kind.String(), c.Role.String(), c.Separator} {
			h.text(text)
		}
		h.number(c.Len())
		for row := range c.Len() {
			value = appendValue(value[:0], c, row)
			h.Write(value)
		}
	}
}
