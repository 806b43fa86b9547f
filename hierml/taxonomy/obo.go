package taxonomy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// OBO is the format of the Gene Ontology and other biomedical ontologies. Nodes are the terms that
// are not obsolete, named by their ids, in the order of the file; the parents of a term are its
// is_a relations. A relation to an alternative id (alt_id) refers to the term that has it. Stanzas
// of other kinds, and other tags, are skipped.
//
// Repairs: a term that is defined twice is read as one; a term without id is left out; a relation
// to an unknown or obsolete term is left out; an invalid escape or line is skipped; and those of
// all formats (see the package).
type OBO struct {
	Relations []string // relationships whose targets are parents too, such as "part_of"
	Namespace string   // only terms of this namespace, such as "molecular_function"; "" is all
	Names     bool     // nodes are called by the names of the terms
	Obsolete  bool     // obsolete terms are nodes too
	Repair    *Faults
	Rules     Rules
}

// oboTerm is a term as a file gives it.
type oboTerm struct {
	id, name  string
	namespace string
	obsolete  bool
	node      int   // that it became, or -1
	at        place // of its stanza
	named     place // of its name, or else id
}

// oboReference is an id that stands in a term.
type oboReference struct {
	term int
	id   string
	at   place
}

// oboReader collects terms.
type oboReader struct {
	OBO
	*draft
	lines     *textfile.Lines
	namespace string // of terms that do not say
	terms     []oboTerm
	parents   []oboReference
	alt       []oboReference
	byID      map[string]int
	stanza    string // "" before the first
	term      oboTerm
}

// Read implements Format.
func (f OBO) Read(ctx context.Context, r io.Reader, name string) (*Taxonomy, error) {
	lines, err := textfile.NewLines(textfile.WithContext(ctx, r), name, syntaxError)
	if err != nil {
		return nil, err
	}
	o := oboReader{OBO: f, draft: newDraft(name, f.Repair, lines.Stored), lines: lines, byID: make(map[string]int)}
	// A parent may be related to a term in two ways.
	o.joined = len(f.Relations) > 0
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := o.line(string(line)); err != nil {
			return nil, err
		}
	}
	if err := o.endTerm(); err != nil {
		return nil, err
	}
	if err := o.connect(); err != nil {
		return nil, err
	}
	if len(o.names) == 0 {
		what := "no terms; expected stanzas that begin with [Term]"
		if len(o.terms) > 0 {
			what = fmt.Sprintf("none of the %s is current and of the namespace %q", count(len(o.terms), "term", "terms"), f.Namespace)
		}
		return nil, &SyntaxError{File: name, Line: 1, Msg: what}
	}
	return o.taxonomy(f.Rules)
}

// line reads a line, and further ones where it ends by a backslash.
func (o *oboReader) line(line string) error {
	number := o.lines.Line()
	if strings.HasSuffix(line, `\`) {
		var err error
		if line, err = o.continued(line); err != nil {
			return err
		}
	}
	text := strings.Trim(line, " \t")
	column := strings.Index(line, text) + 1
	if text == "" || text[0] == '!' {
		return nil
	}
	if text[0] == '[' {
		end := strings.IndexByte(text, ']')
		if end < 0 {
			return o.fault("line that is not OBO", "skipped",
				o.errorf(placeAt(number, column), "%s begins a stanza without ']'; expected, for example, [Term]", textfile.Quote(text)))
		}
		if err := o.endTerm(); err != nil {
			return err
		}
		if o.stanza = text[1:end]; o.stanza == "Term" {
			at := placeAt(number, column)
			o.term = oboTerm{node: -1, at: at, named: at, namespace: o.namespace}
		}
		return nil
	}
	tag, value, ok := strings.Cut(text, ":")
	if !ok {
		return o.fault("line that is not OBO", "skipped",
			o.errorf(placeAt(number, column), "%s is not a tag and a value; expected, for example, is_a: GO:0008150", textfile.Quote(text)))
	}
	at := placeAt(number, column+len(tag)+1+len(value)-len(strings.TrimLeft(value, " \t")))
	if o.stanza == "" {
		if tag == "default-namespace" {
			var err error
			o.namespace, err = o.plain(value, at)
			return err
		}
		return nil
	}
	if o.stanza != "Term" {
		return nil
	}
	return o.tag(tag, value, at)
}

// continued returns the line with those that continue it.
func (o *oboReader) continued(line string) (string, error) {
	number := o.lines.Line()
	whole := []byte(line)
	for trailingBackslashes(line)%2 == 1 {
		next, err := o.lines.Next()
		if errors.Is(err, io.EOF) {
			return "", o.errorf(placeAt(o.lines.Line()-1, len(line)), "the file ends after a backslash, which continues the line; remove it")
		}
		if err != nil {
			return "", err
		}
		if len(whole)+len(next) > longestToken {
			return "", o.errorf(placeAt(number, 1), "the continued line is longer than %d bytes", longestToken)
		}
		line = string(next)
		whole = append(whole[:len(whole)-1], line...)
	}
	return string(whole), nil
}

func trailingBackslashes(line string) int { return len(line) - len(strings.TrimRight(line, `\`)) }

// tag reads a tag of a term.
func (o *oboReader) tag(tag, raw string, at place) error {
	switch tag {
	case "id", "name", "namespace", "alt_id", "is_a", "is_obsolete", "relationship":
	default:
		return nil
	}
	value, err := o.plain(raw, at)
	if err != nil {
		return err
	}
	if value == "" {
		return o.fault("line that is not OBO", "skipped", o.errorf(at, "%s has no value; give it one, or remove the line", tag))
	}
	t := &o.term
	here := len(o.terms) // the term's position, unless another is defined again by it
	switch tag {
	case "id":
		if t.id != "" {
			return o.fault("line that is not OBO", "skipped", o.errorf(at, "a second id of the term %s; begin another with [Term]", textfile.Quote(t.id)))
		}
		t.id = value
		if !o.Names {
			t.named = at
		}
	case "name":
		t.name = value
		if o.Names {
			t.named = at
		}
	case "namespace":
		t.namespace = value
	case "alt_id":
		o.alt = append(o.alt, oboReference{here, value, at})
	case "is_a":
		o.parents = append(o.parents, oboReference{here, value, at})
	case "is_obsolete":
		t.obsolete = value == "true"
	case "relationship":
		// The blank between the two is not escaped.
		raw = strings.TrimLeft(raw, " \t")
		relation, target, ok := strings.Cut(raw, " ")
		if !ok {
			return o.fault("line that is not OBO", "skipped", o.errorf(at, "the relationship %s has no target; expected, for example, part_of GO:0008150", textfile.Quote(value)))
		}
		if !slices.Contains(o.Relations, relation) {
			return nil
		}
		if target, err = o.plain(target, at); err != nil {
			return err
		}
		o.parents = append(o.parents, oboReference{here, target, at})
	}
	return o.room(len(o.parents)+len(o.alt), "references", at)
}

// plain returns the value without comment and modifiers at its end, and without escapes.
func (o *oboReader) plain(value string, at place) (string, error) {
	value = strings.Trim(value, " \t")
	if !strings.ContainsAny(value, `!{\`) {
		return value, nil
	}
	var b strings.Builder
	solid := 0 // bytes up to what is no blank at the end
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '!' || c == '{':
			return b.String()[:solid], nil
		case c == '\\':
			if i++; i == len(value) { // an escaped blank that was cut
				b.WriteByte(' ')
			} else if err := o.escape(&b, value[i], at); err != nil {
				return "", err
			}
			solid = b.Len()
		default:
			b.WriteByte(c)
			if c != ' ' && c != '\t' {
				solid = b.Len()
			}
		}
	}
	return b.String()[:solid], nil
}

// escape writes what a letter behind a backslash means.
func (o *oboReader) escape(b *strings.Builder, c byte, at place) error {
	switch c {
	case 'n':
		b.WriteByte('\n')
	case 'W', ' ':
		b.WriteByte(' ')
	case 't':
		b.WriteByte('\t')
	case ':', ',', '"', '\\', '(', ')', '[', ']', '{', '}', '!':
		b.WriteByte(c)
	default:
		b.WriteByte(c)
		return o.fault("unknown escape", "read without the backslash", o.errorf(at, `OBO has no escape \%c; write two backslashes for one`, c))
	}
	return nil
}

// endTerm adds the term that ends here.
func (o *oboReader) endTerm() error {
	if o.stanza != "Term" {
		return nil
	}
	o.stanza = "none"
	t, here := o.term, len(o.terms)
	if t.id == "" {
		o.refer(here, -1)
		return o.fault("term without id", "left out", o.errorf(t.at, "the term has no id; give it one"))
	}
	if first, ok := o.byID[t.id]; ok {
		o.refer(here, first)
		err := o.errorf(t.at, "the term %s is already defined in line %d; define it once", textfile.Quote(t.id), o.terms[first].at.line)
		return o.fault("duplicate term", "read as one", err)
	}
	o.byID[t.id] = here
	o.terms = append(o.terms, t)
	return nil
}

// refer makes the references of one term, the last, those of another, or none.
func (o *oboReader) refer(from, to int) {
	for _, list := range [2]*[]oboReference{&o.alt, &o.parents} {
		begin := len(*list)
		for begin > 0 && (*list)[begin-1].term == from {
			begin--
			(*list)[begin].term = to
		}
		if to < 0 {
			*list = (*list)[:begin]
		}
	}
}

// chosen reports whether the term becomes a node.
func (o *oboReader) chosen(t *oboTerm) bool {
	return (o.Obsolete || !t.obsolete) && o.inNamespace(t)
}

func (o *oboReader) inNamespace(t *oboTerm) bool {
	return o.OBO.Namespace == "" || t.namespace == o.OBO.Namespace
}

// connect turns the terms into nodes and edges.
func (o *oboReader) connect() error {
	for _, a := range o.alt {
		if _, ok := o.byID[a.id]; !ok {
			o.byID[a.id] = a.term
		}
	}
	for i := range o.terms {
		t := &o.terms[i]
		if !o.chosen(t) {
			continue
		}
		name := t.id
		if o.Names && t.name != "" {
			name = t.name
		}
		var err error
		if t.node, err = o.blank(t.at); err != nil {
			return err
		}
		if err := o.call(t.node, name, t.named); err != nil {
			return err
		}
	}
	for _, p := range o.parents {
		child := &o.terms[p.term]
		above, known := o.byID[p.id]
		if child.node < 0 || known && !o.inNamespace(&o.terms[above]) {
			continue
		}
		if !known || o.terms[above].node < 0 {
			what := "is not a term of the file"
			if known {
				what = "is obsolete"
			}
			err := o.errorf(p.at, "%s, the parent of %s, %s; name another, or remove the line", textfile.Quote(p.id), textfile.Quote(child.id), what)
			if err := o.fault("unknown parent", "edge left out", err); err != nil {
				return err
			}
			continue
		}
		if err := o.edge(o.terms[above].node, child.node, p.at); err != nil {
			return err
		}
	}
	return nil
}

// Write implements Format. Names become ids, and all edges is_a.
func (f OBO) Write(w io.Writer, t *Taxonomy) error {
	return write(w, "OBO", func(out *bufio.Writer) error {
		if err := textual(t); err != nil {
			return err
		}
		if _, err := out.WriteString("format-version: 1.2\n"); err != nil {
			return err
		}
		var line []byte
		for v, name := range t.names {
			if strings.ContainsAny(name, "\r\f\v") {
				return fmt.Errorf("the name of node %d, %s, has a control character that OBO has no escape for; rename it", v, textfile.Quote(name))
			}
			line = append(line[:0], "\n[Term]\nid: "...)
			line = append(appendOBO(line, name), "\nname: "...)
			line = append(appendOBO(line, name), '\n')
			for _, p := range t.parents[v] {
				line = append(appendOBO(append(line, "is_a: "...), t.names[p]), '\n')
			}
			if f.Namespace != "" {
				line = append(appendOBO(append(line, "namespace: "...), f.Namespace), '\n')
			}
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
}

// appendOBO appends the text with what OBO needs escaped.
func appendOBO(line []byte, text string) []byte {
	for i := range len(text) {
		switch c := text[i]; c {
		case '\n':
			line = append(line, `\n`...)
		case '\t':
			line = append(line, `\t`...)
		case ' ':
			line = append(line, `\W`...)
		case '!', '{', '}', '"', '\\':
			line = append(line, '\\', c)
		default:
			line = append(line, c)
		}
	}
	return line
}
