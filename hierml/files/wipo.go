package files

import (
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// WIPO reads and writes the patents of WIPO-alpha [FTBK03], a record each:
//
//	<record cy="WO" an="EP9901234" pn="WO9912345" ...>
//	  <ipcs ed="7" mc="A01B00102"><ipc ic="A01B00104"></ipc></ipcs>
//	  <tis><ti xml:lang="EN">...</ti></tis> <abs><ab xml:lang="EN">...</ab></abs>
//	  <cls><cl xml:lang="EN">...</cl></cls> <txts><txt xml:lang="EN">...</txt></txts>
//	</record>
//
// The files may be one after the other in one, or in folders and archives as Folders reads them,
// with their part. The ID is the number of the publication, pn.
//
// The label is the main symbol, mc, of the International Patent Classification, down to a level.
// Nodes are called by symbols: section "A", class "A01", subclass "A01B", main group "A01B 1/00",
// subgroup "A01B 1/02". The taxonomy may be nil: then it is made of the labels, and a subgroup is a
// child of its main group.
type WIPO struct {
	// Level is where labels end: 1 section, 2 class, 3 subclass, 4 main group, 5 subgroup. 0 is 4.
	Level int

	// Secondary adds the further symbols, ic, to the labels.
	Secondary bool

	// Elements are those the text is of: ti, ab, cl and txt if nil. Line breaks stand between them.
	Elements []string

	// Language is the language of the texts, such as "EN", or empty for all.
	Language string

	// Repair, if not nil, repairs faults and counts the repairs. If nil, the first fault is an
	// error.
	Repair *Faults
}

// Open reads a folder, an archive or a file of records.
func (s WIPO) Open(ctx context.Context, file string, t *taxonomy.Taxonomy) (*dataset.Corpus, error) {
	return s.read(ctx, file, t, filesOrOne(ctx, file, s.Repair))
}

// Read reads an archive or a file of records.
func (s WIPO) Read(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (*dataset.Corpus, error) {
	return s.read(ctx, name, t, archiveOrOne(ctx, r, name, s.Repair))
}

// ReadFS reads the files *.xml of a file system.
func (s WIPO) ReadFS(ctx context.Context, fsys fs.FS, name string, t *taxonomy.Taxonomy) (*dataset.Corpus, error) {
	return s.read(ctx, name, t, filesOfFS(ctx, fsys))
}

// Documents reads one patent of an archive or a file of records after the other. It needs a
// taxonomy.
func (s WIPO) Documents(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) iter.Seq2[dataset.Document, error] {
	return streamKnown(name, t, s.Repair, func(l *labeler) eachDocument { return s.each(name, l, archiveOrOne(ctx, r, name, s.Repair)) })
}

func (s WIPO) read(ctx context.Context, name string, t *taxonomy.Taxonomy, all files) (*dataset.Corpus, error) {
	return readDocuments(ctx, name, t, s.Repair, func(l *labeler) eachDocument { return s.each(name, l, all) })
}

func (s WIPO) each(name string, l *labeler, all files) eachDocument {
	return func(yield func(dataset.Document) error) error {
		if s.Level < 0 || s.Level > 5 {
			return fmt.Errorf("files: level %d; the levels of symbols are 1 to 5", s.Level)
		}
		if s.Level == 0 {
			s.Level = 4
		}
		if s.Elements == nil {
			s.Elements = []string{"ti", "ab", "cl", "txt"}
		}
		return all(func(file string, r io.Reader) error {
			if file != "" && !strings.EqualFold(path.Ext(file), ".xml") {
				return nil
			}
			p := &wipoParser{WIPO: s, labels: l, name: path.Join(name, file), part: partOf(strings.Split(path.Dir(file), "/"))}
			l.errorf = func(_ int, format string, args ...any) error { return p.errorf(format, args...) }
			return p.parse(r, yield)
		})
	}
}

// wipoParser parses a file.
type wipoParser struct {
	WIPO
	labels     *labeler
	name, part string
	xml        *xml.Decoder
	broken     bool // nothing more can be read
}

// errorf returns an error at the end of what was read last.
func (p *wipoParser) errorf(format string, args ...any) error {
	line, column := 1, 0
	if p.xml != nil {
		line, column = p.xml.InputPos()
	}
	return syntaxError(p.name, line, column, fmt.Sprintf(format, args...), nil)
}

// parse reads the records of a file.
func (p *wipoParser) parse(r io.Reader, yield func(dataset.Document) error) error {
	p.xml = xml.NewDecoder(r)
	p.xml.Strict = p.Repair == nil
	p.xml.Entity = xml.HTMLEntity
	p.xml.CharsetReader = charsetReader
	found := false
	for {
		token, err := p.xml.Token()
		if errors.Is(err, io.EOF) {
			if !found {
				return report(p.Repair, faultUnreadable, p.errorf("no patents; expected <record>"))
			}
			return nil
		}
		if err != nil {
			return p.damage(err)
		}
		element, ok := token.(xml.StartElement)
		if !ok || element.Name.Local != "record" {
			continue
		}
		found = true
		d, err := p.record(element)
		if err == nil {
			err = yield(d)
		}
		if err != nil && (p.broken || !errors.Is(err, errLeftOut)) {
			return err
		}
	}
}

// damage places an error of the decoder. What follows it in the file cannot be read.
func (p *wipoParser) damage(err error) error {
	p.broken = true
	line, column := p.xml.InputPos()
	var syntax *xml.SyntaxError
	var damaged *textfile.DamagedError
	switch {
	case errors.As(err, &syntax):
		return report(p.Repair, faultUnreadable, syntaxError(p.name, syntax.Line, 0, "not XML: "+strings.ToValidUTF8(syntax.Msg, "\ufffd")+"; repair the file, or get it again", nil))
	case errors.Is(err, errEnds), strings.HasPrefix(err.Error(), "xml: "):
		return report(p.Repair, faultUnreadable, syntaxError(p.name, line, column, err.Error(), nil))
	case errors.As(err, &damaged):
		return syntaxError(p.name, line, column, damaged.Error(), damaged)
	}
	return fmt.Errorf("%s:%d:%d: %w", p.name, line, column, err)
}

var errEnds = errors.New("the file ends within a record")

// record reads a patent, whose first tag was read.
func (p *wipoParser) record(begin xml.StartElement) (dataset.Document, error) {
	d := dataset.Document{ID: attribute(begin, "pn"), Part: p.part}
	line, _ := p.xml.InputPos()
	if d.ID == "" {
		d.ID = fmt.Sprintf("%s:%d", p.name, line)
	}
	var symbols []string
	var text bytes.Buffer
	taken := 0 // depth of the element that is taken for the text
	for depth := 1; depth > 0; {
		token, err := p.xml.Token()
		if errors.Is(err, io.EOF) {
			err = errEnds
		}
		if err != nil {
			return d, p.damage(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			depth++
			switch token.Name.Local {
			case "ipcs":
				symbols = append(symbols, attribute(token, "mc"))
			case "ipc":
				if p.Secondary {
					symbols = append(symbols, attribute(token, "ic"))
				}
			}
			if taken == 0 && p.takes(token) {
				taken = depth
				if text.Len() > 0 {
					text.WriteByte('\n')
				}
			}
		case xml.EndElement:
			if depth == taken {
				taken = 0
			}
			depth--
		case xml.CharData:
			if taken > 0 {
				text.Write(token)
			}
		}
	}
	d.Text = strings.TrimSpace(text.String())
	if p.Repair != nil && d.Text == "" {
		if err := report(p.Repair, faultEmptyText, p.errorf("the patent has no text")); err != nil {
			return d, err
		}
	}
	return d, p.label(&d, symbols)
}

// takes reports whether the text is of the element.
func (p *wipoParser) takes(element xml.StartElement) bool {
	language := attribute(element, "lang")
	return slices.Contains(p.Elements, element.Name.Local) &&
		(p.Language == "" || language == "" || strings.EqualFold(language, p.Language))
}

// label finds the nodes of the symbols.
func (p *wipoParser) label(d *dataset.Document, symbols []string) error {
	if len(symbols) == 0 && p.labels.taxonomy != nil {
		p.labels.skip("have no <ipcs mc=...>")
		return nil
	}
	if len(symbols) == 0 {
		return report(p.Repair, faultNoLabel, p.errorf("patent %s has no <ipcs mc=...>, the symbol it is classified by; to read such patents, give a taxonomy", textfile.Quote(d.ID)))
	}
	var nodes []int
	var given []string
	for _, symbol := range symbols {
		levels, ok := symbolLevels(symbol)
		if !ok || len(levels) < p.Level {
			if err := report(p.Repair, faultUnknownLabel, p.errorf("%s is not a symbol of the International Patent Classification down to level %d, such as A01B00102", textfile.Quote(symbol), p.Level)); err != nil {
				return err
			}
			continue
		}
		levels = levels[:p.Level]
		label := levels[len(levels)-1]
		if slices.Contains(given, label) {
			continue // symbols that differ below the level
		}
		given = append(given, label)
		var err error
		if nodes, err = p.labels.addPath(nodes, levels, 0); err != nil {
			return err
		}
	}
	var err error
	d.Labels, err = p.labels.finish(nodes, true)
	return err
}

// attribute returns the value of an attribute, or "".
func attribute(element xml.StartElement, name string) string {
	for _, a := range element.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// charsetReader decodes the encodings that old collections declare.
func charsetReader(charset string, r io.Reader) (io.Reader, error) {
	switch strings.ToLower(charset) {
	case "utf-8", "utf8", "us-ascii", "ascii":
		return r, nil
	case "iso-8859-1", "latin1", "latin-1":
		return &latin1Reader{in: bufio.NewReader(r)}, nil
	}
	return nil, fmt.Errorf("encoding %q is not known; convert the file to UTF-8", charset)
}

// latin1Reader is UTF-8 of Latin-1.
type latin1Reader struct {
	in   *bufio.Reader
	rest []byte
}

func (r *latin1Reader) Read(p []byte) (int, error) {
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	for n < len(p) {
		c, err := r.in.ReadByte()
		if err != nil {
			if n > 0 && errors.Is(err, io.EOF) {
				return n, nil
			}
			return n, err
		}
		encoded := []byte(string(rune(c)))
		k := copy(p[n:], encoded)
		n += k
		r.rest = encoded[k:]
	}
	return n, nil
}

// filesOrOne are the files of a folder or of an archive, or a file, which has no name then.
func filesOrOne(ctx context.Context, name string, repair *Faults) files {
	return filesOf(ctx, name, func(r io.Reader) files { return archiveOrOne(ctx, r, name, repair) })
}

// archiveOrOne are the files of an archive, or r itself, which has no name then.
func archiveOrOne(ctx context.Context, r io.Reader, name string, repair *Faults) files {
	return func(f func(name string, r io.Reader) error) error {
		if at, size, ok := zipSource(r); ok {
			return eachZipped(ctx, at, size, name, repair, f)
		}
		tarred, plain, err := openArchive(ctx, r, name, repair)
		if err != nil {
			return err
		}
		if tarred != nil {
			return tarred(f)
		}
		text, err := textfile.Open(plain, name, syntaxError)
		if err != nil {
			return err
		}
		err = f("", text)
		switch {
		case isCut(err):
			return report(repair, faultCut, err)
		case errors.Is(err, errLeftOut):
			return nil
		}
		return err
	}
}
