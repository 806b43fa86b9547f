package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/table"
)

// Table reads tables with columns of several kinds, as written by spreadsheets and data programs:
// separated fields below a line of titles (CSV, TSV), JSON objects with the titles as names, one
// per line or all in one list, Parquet, and Arrow (Feather).
//
// Anything that the settings do not specify is guessed from the values. A note (package progress)
// reports each guess with the setting that changes it. Missing values stay missing: see Missing.
//
// The taxonomy may be nil: then it is made from the labels. A table may have no labels, such as new
// rows to predict.
type Table struct {
	// Label is the column of the labels. The default is the first column called label, labels,
	// class, category or target, ignoring case. Levels has, instead, the columns of the levels of
	// one label, from the top; the label ends at the first empty one.
	Label  string
	Levels []string

	// LabelSeparator separates several labels of one field, and PathSeparator the levels of a
	// label; "none" means no separator. By default a field has several labels if the column is
	// called labels and has commas, or if the parts of fields with | or ; occur in other fields
	// too. Labels have levels if most contain the same separator (::, ->, >, /, |, \ or a point)
	// and share prefixes. With a taxonomy, a field that is a node is one label, and another field
	// has several if parts of it are nodes.
	LabelSeparator, PathSeparator string

	// Text, Numbers, Nominal, Sets and Paths list columns with values of that kind. By default
	// columns of numbers are Numbers, and those with many words per field are Text. Columns whose
	// values recur are Nominal, or Sets if parts of their values recur. The others are unused.
	Text, Numbers, Nominal, Sets, Paths []string

	// SetSeparator separates the words of a set. By default it is |, ; or a comma.
	SetSeparator string

	// Unused lists columns that are not features. ID and Part are the columns of the row's name and
	// of its part of the table. By default they are those called id and split.
	Unused   []string
	ID, Part string

	// Group is the column that says which rows belong together, such as those of one author: no
	// split of the table separates rows with the same value. It is not a feature.
	Group string

	// Weight is the column with the weight of each row in training, see dataset.Dataset.Weights. It
	// is not a feature.
	Weight string

	// Like has the columns of a table read before. Columns with the same names get their kind,
	// separator and role, and others are unused, except that of ID.
	Like []dataset.Column

	// Missing lists words for a missing value, in addition to an empty field and those of pandas,
	// such as NA and NaN. If it contains "none", only its words count. A label is missing if its
	// field is empty or one of the words in Missing.
	Missing []string

	// Comma separates fields. By default it is the one of comma, tab, semicolon and | with which
	// lines have as many fields as there are titles. Decimal is ',' if numbers are written as 1,5
	// and '.' if 1,234 is a thousand; by default it is detected per column.
	Comma, Decimal rune

	// Repair, if not nil, repairs faults and counts the repairs. If nil, the first fault is an
	// error.
	Repair *Faults
}

// missingWords are the words that stand for missing values by default.
var missingWords = []string{
	"NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "-nan", "-NaN", "NULL", "null", "None", "none", "nil", "?",
}

// missing reports whether a word of a column stands for a value that is missing.
func (s Table) missing(word string) bool {
	if slices.Contains(s.Missing, none) {
		return s.missingLabel(word)
	}
	return slices.Contains(s.Missing, word) || slices.Contains(missingWords, word)
}

// missingLabel is the same for labels.
func (s Table) missingLabel(word string) bool {
	return word != none && slices.Contains(s.Missing, word)
}

// labelTitles are the titles by which the column of the labels is found, in this order.
var labelTitles = []string{"label", "labels", "class", "category", "target"}

// Open reads a file as Read does.
func (s Table) Open(ctx context.Context, file string, t *taxonomy.Taxonomy) (*dataset.Table, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	read, err := s.Read(ctx, f, file, t)
	if closed := f.Close(); err == nil && closed != nil {
		return nil, fmt.Errorf("files: %w", closed)
	}
	return read, err
}

// Read reads the whole table.
func (s Table) Read(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (*dataset.Table, error) {
	p, err := s.parser(ctx, r, name, t)
	if err != nil {
		return nil, err
	}
	defer p.source.close()
	rows, err := p.source.next(-1)
	if errors.Is(err, io.EOF) {
		return nil, p.source.errorf(0, 0, "no rows below the titles")
	}
	if err != nil {
		return nil, err
	}
	whole, err := p.table(rows)
	if err != nil {
		return nil, err
	}
	for _, note := range p.notes {
		progress.Note(ctx, note)
	}
	return whole, nil
}

// Chunks yields tables of at most n rows each, from a file that need not fit into memory. It
// guesses no columns: it uses those of Like and ignores others. Labels are read if both Like and
// the file have their column; they need a taxonomy.
func (s Table) Chunks(ctx context.Context, r io.Reader, name string, n int, t *taxonomy.Taxonomy) iter.Seq2[*dataset.Table, error] {
	return func(yield func(*dataset.Table, error) bool) {
		if len(s.Like) == 0 || n < 1 {
			yield(nil, errors.New("files: to read a table in parts, set Table.Like to the columns of another table, and ask for at least one row per part"))
			return
		}
		p, err := s.parser(ctx, r, name, t)
		if err == nil {
			p.parts = true
			defer p.source.close()
		}
		for err == nil {
			var rows []rawColumn
			if rows, err = p.source.next(n); err != nil {
				break
			}
			var part *dataset.Table
			if part, err = p.table(rows); err != nil {
				break
			}
			for _, note := range p.notes {
				progress.Note(ctx, note)
			}
			if p.notes = nil; !yield(part, nil) {
				return
			}
		}
		if !errors.Is(err, io.EOF) {
			yield(nil, err)
		}
	}
}

// Write writes the columns as CSV, so that Read returns the same if Like has these columns.
func (s Table) Write(ctx context.Context, w io.Writer, t *dataset.Table) error {
	if t == nil || len(t.Columns) == 0 {
		return fmt.Errorf("files: the table is nil or has no columns; there is nothing to write")
	}
	out := CSV{Comma: s.Comma}.writer(w)
	record := make([]string, len(t.Columns))
	for k := range t.Columns {
		record[k] = t.Columns[k].Name
	}
	err := table.WriteRow(w, out, record)
	for row := 0; err == nil && row < t.Len(); row++ {
		if err = ctx.Err(); err != nil {
			break
		}
		for k := range t.Columns {
			record[k] = t.Columns[k].Exact(row)
		}
		err = table.WriteRow(w, out, record)
	}
	if out.Flush(); err == nil {
		err = out.Error()
	}
	if err != nil {
		return fmt.Errorf("files: writing a table: %w", err)
	}
	return nil
}

// rawColumn is a column as a file has it.
type rawColumn struct {
	name    string
	words   []string   // of files that are text, and of columns that have words
	numbers []float64  // of files that tell numbers from words, NaN where one is missing
	sets    [][]string // of files that tell lists
	refused string     // why there are no values

	packed *packedWords // the words, of files that are text, until they are needed one by one
	read   *numbersRead // of the words, once they were
}

// tableSource reads the rows of a file.
type tableSource interface {
	// next returns the next rows, at most n, or all if that is negative, or io.EOF.
	next(n int) ([]rawColumn, error)
	// errorf returns an error at the place of a row of those that were returned last, and column.
	errorf(row, column int, format string, args ...any) error
	close()
}

// tableParser builds tables from a source.
type tableParser struct {
	Table
	name     string
	source   tableSource
	taxonomy *taxonomy.Taxonomy
	notes    []string
	comma    rune                   // between fields, 0 in other forms than text
	styles   map[string]numberStyle // of columns of numbers with commas, once they are known
	parts    bool                   // of the table are read one after the other
	blanks   blanks
}

// note reports a guess with the settings that change it.
func (p *tableParser) note(settings, format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	if settings != "" {
		note += " [files.Table{" + settings + "}]"
	}
	p.notes = append(p.notes, p.name+": "+note)
}

// jsonStart is how objects begin, and lists of them.
var jsonStart = regexp.MustCompile(`^\s*(\{\s*["}]|\[\s*[^\s,])`)

// parser opens the contents of r.
func (s Table) parser(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (*tableParser, error) {
	p := &tableParser{Table: s, name: filepath.Base(name), taxonomy: t, styles: make(map[string]numberStyle), blanks: s.blankWords()}
	rows, file, err := openColumnar(ctx, r, name)
	if err != nil {
		return nil, err
	}
	if rows != nil {
		p.source = rows
		return p, nil
	}
	head, err := file.Peek(1 << 16)
	if err != nil && !errors.Is(err, io.EOF) && !isCut(err) {
		return nil, file.Place(1, err)
	}
	if start := jsonStart.Find(head); start != nil && s.Comma == 0 {
		p.source = newJSONRows(file, bytes.ContainsRune(start, '['))
		return p, nil
	}
	comma := s.Comma
	if comma == 0 {
		if comma = separatorOf(string(head)); comma != ',' {
			p.note("Comma", "%q is between the fields", comma)
		}
	}
	p.comma = comma
	fields, err := openDelimited(file, comma, s.Repair, "Table")
	if err != nil {
		return nil, err
	}
	known := func(title string) bool {
		return p.like(title) != nil || slices.Contains(labelTitles, strings.ToLower(title)) ||
			title != "" && (p.named(title) || title == p.Label || slices.Contains(p.Levels, title))
	}
	if !slices.ContainsFunc(fields.titles, known) {
		if advice := fields.noTitles(); advice != "" {
			return nil, file.Errorf(1, 0, "the first line is %s, %s", textfile.Quote(strings.Join(fields.titles, ", ")), advice)
		}
	}
	p.source = fields
	return p, nil
}

// separatorOf returns what is between the fields of a file that begins so: of the characters that
// divide the titles, the first that divides the lines into as many fields, and a comma if none
// does.
func separatorOf(head string) rune {
	if cut := strings.LastIndexByte(head, '\n'); cut > 0 && len(head) >= 1<<16 {
		head = head[:cut]
	}
	best, most := ',', 0.0
	for _, comma := range []rune{',', '\t', ';', '|'} {
		rows := delimitedReader(strings.NewReader(head), comma)
		titles, same, all := 0, 0, 0
		for all < 100 {
			record, err := rows.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if all == 0 {
				titles = len(record)
			}
			if all++; err == nil && len(record) == titles {
				same++
			}
		}
		if share := float64(same) / float64(max(all, 1)); titles > 1 && share > most {
			best, most = comma, share
		}
	}
	return best
}

// table makes a table of rows.
func (p *tableParser) table(rows []rawColumn) (*dataset.Table, error) {
	rows, err := p.withoutRefused(rows)
	if err != nil {
		return nil, err
	}
	for k := range rows {
		if rows[k].name == "" {
			rows[k].name = fmt.Sprint("column ", k+1)
		}
	}
	if err := p.checkSettings(rows); err != nil {
		return nil, err
	}
	labels := p.labelColumns(rows)
	columns, err := p.columns(rows, labels)
	if err != nil {
		return nil, err
	}
	t, err := dataset.NewTable(p.name, columns...)
	if err != nil {
		return nil, p.source.errorf(-1, 0, "%s", strings.TrimPrefix(err.Error(), "dataset: "))
	}
	if len(labels) == 0 {
		return t, nil
	}
	return t, p.label(t, rows, labels)
}

// withoutRefused returns the columns that can be read, and tells the others and what was rounded.
func (p *tableParser) withoutRefused(rows []rawColumn) ([]rawColumn, error) {
	var kept []rawColumn
	for k := range rows {
		switch column := &rows[k]; {
		case column.refused == "":
			kept = append(kept, *column)
		case p.named(column.name) && !slices.Contains(p.Unused, column.name) || p.Label == column.name || slices.Contains(p.Levels, column.name):
			return nil, p.source.errorf(-1, 0, "column %s: %s", textfile.Quote(column.name), column.refused)
		case !slices.Contains(p.Unused, column.name) && p.Like == nil:
			p.note(fmt.Sprintf("Unused: []string{%q}", column.name), "column %s is left out: %s", describe.Cut(column.name, 40), column.refused)
		}
	}
	if c, ok := p.source.(*columnarRows); ok {
		for _, name := range slices.Sorted(maps.Keys(c.rounded)) {
			if n := c.rounded[name]; n > 0 {
				p.note("", "column %s: %s more digits than a number of 64 bits keeps, and %s rounded", describe.Cut(name, 40), describe.Count(n, "number has", "numbers have"), isOrAre(n))
			}
		}
		clear(c.rounded)
	}
	if len(kept) == 0 {
		return nil, p.source.errorf(-1, 0, "no column can be read")
	}
	return kept, nil
}

// checkSettings returns an error where a setting names a column that there is not.
func (p *tableParser) checkSettings(rows []rawColumn) error {
	names := make(map[string]bool, len(rows))
	for k := range rows {
		names[rows[k].name] = true
	}
	used := make(map[string]string)
	for _, s := range []struct {
		setting string
		columns []string
	}{
		{"Label", only(p.Label)}, {"Levels", p.Levels}, {"Text", p.Text}, {"Numbers", p.Numbers}, {"Nominal", p.Nominal},
		{"Sets", p.Sets}, {"Paths", p.Paths}, {"Unused", p.Unused}, {"ID", only(p.ID)}, {"Part", only(p.Part)}, {"Group", only(p.Group)},
		{"Weight", only(p.Weight)},
	} {
		for _, column := range s.columns {
			if !names[column] {
				return p.source.errorf(-1, 0, "%s: no column named %s %s", s.setting, textfile.Quote(column), otherTitles(rows, column))
			}
			if before := used[column]; before != "" {
				return p.source.errorf(-1, 0, "column %s is set in both %s and %s; set it in one of them", textfile.Quote(column), before, s.setting)
			}
			used[column] = s.setting
		}
	}
	if p.Label != "" && len(p.Levels) > 0 {
		return p.source.errorf(-1, 0, "Label and Levels are both set; set Label if one column has the label, or Levels if each level has a column")
	}
	return nil
}

// only returns the name, if it is one.
func only(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

// otherTitles lists the existing titles when one is missing, and those that may be meant.
func otherTitles(rows []rawColumn, title string) string {
	var titles []string
	for k := range rows {
		titles = append(titles, rows[k].name)
	}
	found := foundTitles(titles)
	if near := nearestTitle(titles, title); near != "" {
		found += ". Did you mean " + textfile.Quote(near) + "?"
	}
	return found
}

// labelColumns returns the columns that have the labels, which may be none.
func (p *tableParser) labelColumns(rows []rawColumn) []int {
	column := func(name string) int {
		return slices.IndexFunc(rows, func(c rawColumn) bool { return c.name == name })
	}
	switch {
	case p.Label != "":
		return []int{column(p.Label)}
	case p.Levels != nil:
		var levels []int
		for _, name := range p.Levels {
			levels = append(levels, column(name))
		}
		return levels
	case p.Like != nil && p.parts && p.taxonomy == nil:
		return nil
	case p.Like != nil:
		for _, like := range p.Like {
			if at := column(like.Name); like.Role == dataset.Labels && at >= 0 {
				return []int{at}
			}
		}
		if p.taxonomy == nil {
			return nil
		}
	}
	for _, title := range labelTitles {
		for k := range rows {
			if strings.EqualFold(rows[k].name, title) && !p.named(rows[k].name) {
				return []int{k}
			}
		}
	}
	if p.Like == nil {
		p.note("Label", "no column named %q; the rows are read without labels", labelTitles[0])
	}
	return nil
}

// named reports whether a setting determines the kind of the column.
func (p *tableParser) named(column string) bool {
	for _, names := range [][]string{p.Text, p.Numbers, p.Nominal, p.Sets, p.Paths, p.Unused, {p.ID, p.Part, p.Group, p.Weight}} {
		if slices.Contains(names, column) {
			return true
		}
	}
	return false
}
