package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// CSV reads and writes texts in tables with a line of titles. For tables whose columns are
// features, such as numbers and nominal values, use Table. Fields are as in package encoding/csv,
// so "\r\n" within quotes is read as "\n".
//
// The taxonomy may be nil: then it is made from the labels.
type CSV struct {
	// Labels is the column of the labels. If empty, it is found as for Table.Label. Texts of a file
	// without such a column have no labels, and then a taxonomy is required. An empty field means
	// no labels: Corpus.Labelled removes such texts. White space around labels and around the
	// levels of paths is ignored.
	Labels string

	// Levels has, instead of Labels, the columns of the levels of one label, from the top. The
	// label ends at the first empty field. The name of its node is made of the levels, joined by
	// PathSeparator, "/" if empty.
	Levels []string

	// LabelSeparator separates several labels of one field, and PathSeparator the levels of a
	// label, as in Table: if empty, they are detected, and "none" means no separator. In a column
	// called labels, commas separate labels, and in one called label they do not. With a taxonomy,
	// a field that is a node is one label.
	LabelSeparator, PathSeparator string

	// Text has the columns of the text, which are joined by line breaks. The default is "text",
	// ignoring case.
	Text []string

	// ID and Part are columns of the documents' ids and parts. The default is "id" and "split",
	// ignoring case, if they exist.
	ID, Part string

	// Group is the column of the groups of documents, if not empty; see dataset.Document.
	Group string

	// Comma separates the fields. If 0, it is detected, as in Table.
	Comma rune

	// Repair, if not nil, repairs faults and counts the repairs. If nil, the first fault is an
	// error.
	Repair *Faults
}

// Read reads texts.
func (s CSV) Read(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (*dataset.Corpus, error) {
	return readDocuments(ctx, name, t, s.Repair, func(l *labeler) eachDocument { return s.documents(ctx, r, name, l) })
}

// Documents yields one text after the other, from a file that need not fit into memory. It needs a
// taxonomy.
func (s CSV) Documents(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) iter.Seq2[dataset.Document, error] {
	return streamKnown(name, t, s.Repair, func(l *labeler) eachDocument { return s.documents(ctx, r, name, l) })
}

func (s CSV) documents(ctx context.Context, r io.Reader, name string, l *labeler) eachDocument {
	return func(yield func(dataset.Document) error) error {
		table, err := s.open(ctx, r, name, l)
		if err != nil {
			return err
		}
		text, err := table.findText()
		if err != nil {
			return err
		}
		for {
			err := table.nextRow()
			if errors.Is(err, io.EOF) {
				return nil
			}
			var d dataset.Document
			if err == nil {
				d, err = table.document(text)
			}
			if err == nil {
				err = yield(d)
			}
			if err != nil && !errors.Is(err, errLeftOut) {
				return err
			}
		}
	}
}

// csvTable reads the rows of a file.
type csvTable struct {
	CSV
	*delimited
	labels *labeler

	label           int   // column, or -1
	levels          []int // columns
	id, part, group int   // columns, or -1
}

// open reads the titles.
func (s CSV) open(ctx context.Context, r io.Reader, name string, l *labeler) (*csvTable, error) {
	file, err := textfile.Open(textfile.WithContext(ctx, r), name, syntaxError)
	if err != nil {
		return nil, err
	}
	comma := s.Comma
	if comma == 0 {
		head, err := file.Peek(1 << 16)
		if err != nil && !errors.Is(err, io.EOF) && !isCut(err) {
			return nil, file.Place(1, err)
		}
		if comma = separatorOf(string(head)); comma != ',' {
			progress.Note(ctx, fmt.Sprintf("%s: %q is between the fields [files.CSV{Comma}]", name, comma))
		}
	}
	rows, err := openDelimited(file, comma, s.Repair, "CSV")
	if err != nil {
		return nil, err
	}
	t := &csvTable{CSV: s, delimited: rows, labels: l, label: -1, id: -1, part: -1, group: -1}
	l.errorf = func(column int, format string, args ...any) error {
		return file.Errorf(rows.line, column, format, args...)
	}
	if err := t.findAll(ctx); err != nil {
		return nil, err
	}
	l.written = pathsOf("CSV", s.PathSeparator)
	if l.written.several = s.LabelSeparator; t.label >= 0 {
		l.written.column = t.titles[t.label]
	}
	return t, nil
}

// findAll finds the columns that are not features.
func (t *csvTable) findAll(ctx context.Context) (err error) {
	switch {
	case t.Levels != nil:
		for _, title := range t.Levels {
			column, err := t.find(title)
			if err != nil {
				return err
			}
			t.levels = append(t.levels, column)
		}
	case t.Labels != "":
		t.label, err = t.find(t.Labels)
	default:
		err = t.findLabels(ctx)
	}
	for _, c := range []struct {
		column      *int
		title, like string
	}{{&t.id, t.ID, "id"}, {&t.part, t.Part, "split"}, {&t.group, t.Group, ""}} {
		if c.title == "" && c.like != "" {
			c.title = t.titled(c.like)
		}
		if err == nil && c.title != "" {
			*c.column, err = t.find(c.title)
		}
	}
	return err
}

// titled returns the title that is this one, if need be in another case, or "".
func (t *csvTable) titled(title string) string {
	if slices.Contains(t.titles, title) {
		return title
	}
	for _, other := range t.titles {
		if strings.EqualFold(other, title) {
			return other
		}
	}
	return ""
}

// findLabels finds the column of the labels by its title.
func (t *csvTable) findLabels(ctx context.Context) (err error) {
	for _, title := range labelTitles {
		at := slices.IndexFunc(t.titles, func(other string) bool {
			return strings.EqualFold(other, title) && other != t.ID && other != t.Part && other != t.Group && !slices.Contains(t.Text, other)
		})
		if at < 0 {
			continue
		}
		if t.label, err = t.find(t.titles[at]); err == nil && !strings.HasPrefix(title, "label") {
			progress.Note(ctx, fmt.Sprintf("%s: the labels are those of column %s [files.CSV{Labels}]", t.file.Name(), t.titles[at]))
		}
		return err
	}
	if advice := t.noTitles(); advice != "" {
		return t.file.Errorf(1, 0, "the first line is %s, %s", textfile.Quote(strings.Join(t.titles, ", ")), advice)
	}
	if t.labels.taxonomy == nil {
		return t.file.Errorf(1, 0, "no column named \"label\" %s To read texts without labels, pass the taxonomy of the training data as the last argument", strings.Replace(t.others("label", "Labels: %q")+".", "?.", "?", 1))
	}
	progress.Note(ctx, fmt.Sprintf("%s: no column named \"label\"; the texts are read without labels [files.CSV{Labels}]", t.file.Name()))
	return nil
}

func orElse(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// findText finds the columns of the text.
func (t *csvTable) findText() ([]int, error) {
	if t.Text == nil {
		column, err := t.findDefault(orElse(t.titled("text"), "text"), "Text: []string{%q}")
		return []int{column}, err
	}
	var columns []int
	for _, title := range t.Text {
		column, err := t.find(title)
		if err != nil {
			return nil, err
		}
		columns = append(columns, column)
	}
	return columns, nil
}

// find returns the column of the title.
func (t *csvTable) find(title string) (int, error) { return t.findDefault(title, "") }

// findDefault is find for a title that stands for a field of CSV that is not set. The field is
// written with the title in it.
func (t *csvTable) findDefault(title, field string) (int, error) {
	column := slices.Index(t.titles, title)
	if column < 0 {
		return -1, t.file.Errorf(1, 0, "no column named %s %s", textfile.Quote(title), t.others(title, field))
	}
	if slices.Contains(t.titles[column+1:], title) {
		return -1, t.file.Errorf(1, 0, "two columns are named %s", textfile.Quote(title))
	}
	return column, nil
}

// others lists the existing titles when one is missing, with advice. The field of CSV is written
// with %q for a title; it is empty if the field is already set.
func (t *csvTable) others(title, field string) string {
	if advice := t.noTitles(); advice != "" {
		return fmt.Sprintf("(the first line, %s, is %s)", textfile.Quote(strings.Join(t.titles, ", ")), advice)
	}
	found := foundTitles(t.titles)
	if len(t.titles) == 1 && t.CSV.Comma != 0 {
		return fmt.Sprintf("%s. There is no %q between fields; leave CSV.Comma unset to detect the separator", found, t.CSV.Comma)
	}
	near := nearestTitle(t.titles, title)
	switch {
	case field != "" && near != "":
		return found + ". Did you mean CSV{" + fmt.Sprintf(field, near) + "}?"
	case field != "":
		return found + ". Set CSV{" + fmt.Sprintf(field, "...") + "} or add the column"
	case near != "":
		return found + ". Did you mean " + textfile.Quote(near) + "?"
	}
	return found
}

// nodes returns the labels of the row.
func (t *csvTable) nodes() ([]int, error) {
	if t.levels != nil {
		return t.path()
	}
	if t.label < 0 {
		return nil, nil
	}
	_, at := t.place(t.label)
	field, err := t.field(t.label)
	text := string(bytes.TrimSpace(field))
	if err != nil || text == "" {
		return nil, err
	}
	nodes, err := t.labels.addField(nil, text, at)
	if err != nil {
		return nil, err
	}
	return t.labels.finish(nodes, true)
}

// path returns the label whose levels have columns of their own.
func (t *csvTable) path() ([]int, error) {
	levels := make([]string, len(t.levels))
	for k, column := range t.levels {
		field, err := t.field(column)
		if err != nil {
			return nil, err
		}
		levels[k] = string(field)
	}
	nodes, err := t.labels.addLevels(nil, levels, levelSeparator(t.PathSeparator), func(k int, format string, args ...any) error {
		_, at := t.place(t.levels[k])
		return t.file.Errorf(t.line, at, format, args...)
	})
	if err != nil {
		return nil, err
	}
	return t.labels.finish(nodes, strings.TrimSpace(levels[0]) != "")
}

// document makes a document of the row.
func (t *csvTable) document(text []int) (dataset.Document, error) {
	d := dataset.Document{ID: fmt.Sprint(t.line)}
	for _, of := range []struct {
		column int
		value  *string
	}{{t.id, &d.ID}, {t.part, &d.Part}, {t.group, &d.Group}} {
		if of.column >= 0 {
			field, err := t.field(of.column)
			if err != nil {
				return d, err
			}
			*of.value = string(field)
		}
	}
	parts := make([]string, len(text))
	for k, column := range text {
		field, err := t.field(column)
		if err != nil {
			return d, err
		}
		parts[k] = string(field)
	}
	d.Text = strings.Join(parts, "\n")
	if t.Repair != nil && strings.TrimSpace(d.Text) == "" {
		if err := t.fault(faultEmptyText, text[0], "the document has no text"); err != nil {
			return d, err
		}
	}
	var err error
	d.Labels, err = t.nodes()
	return d, err
}
