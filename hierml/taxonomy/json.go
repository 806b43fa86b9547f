package taxonomy

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strconv"
)

// JSON is the format of trees in D3: nested objects,
//
//	{"name": "animal", "children": [{"name": "cat"}, {"name": "dog"}]}
//
// or a list of these. A child may also be a string, its name. Other keys are skipped. Node ids are
// in the order in which the nodes begin.
//
// Repairs: a node without a name is called "node 1", "node 2", ...; and those of all formats (see
// the package).
type JSON struct {
	NameKey     string // "" is "name"
	ChildrenKey string // "" is "children"
	Repair      *Faults
	Rules       Rules
}

// Read implements Format.
func (f JSON) Read(ctx context.Context, r io.Reader, name string) (*Taxonomy, error) {
	s, err := newScanner(ctx, r, name)
	if err != nil {
		return nil, err
	}
	if f.NameKey == "" {
		f.NameKey = "name"
	}
	if f.ChildrenKey == "" {
		f.ChildrenKey = "children"
	}
	j := jsonReader{JSON: f, jsonScanner: jsonScanner{s}, draft: newDraft(name, f.Repair, s.file.Stored)}
	if err := j.document(); err != nil {
		return nil, err
	}
	if _, err := j.expect(end, "the end of the file after the taxonomy"); err != nil {
		return nil, err
	}
	if len(j.names) == 0 {
		return nil, s.errorf(place{1, 1}, `no nodes; expected, for example, {"name": "animal", "children": [{"name": "cat"}]}`)
	}
	return j.taxonomy(f.Rules)
}

type jsonReader struct {
	JSON
	jsonScanner
	*draft
}

// errorf is that of the scanner.
func (j *jsonReader) errorf(at place, format string, args ...any) error {
	return j.scanner.errorf(at, format, args...)
}

// document reads the outermost value.
func (j *jsonReader) document() error {
	t, err := j.read()
	if err != nil {
		return err
	}
	switch t.kind {
	case '[':
		return j.trees([]jsonFrame{{node: -1, list: true}})
	case '{':
		return j.object(t)
	}
	return j.unexpectedToken(t, "'{' or '['")
}

// object reads the outermost object up to the first key that says that it is a node.
func (j *jsonReader) object(begin jsonToken) error {
	for first := true; ; first = false {
		key, more, err := j.key(first)
		if err != nil || !more {
			return err
		}
		switch key.text {
		case j.NameKey, j.ChildrenKey:
			root, err := j.blank(begin.at)
			if err != nil {
				return err
			}
			frames, err := j.member([]jsonFrame{{node: root, at: begin.at}}, key)
			if err != nil {
				return err
			}
			return j.trees(frames)
		case "nodes", "edges", "links":
			return j.errorf(key.at, "%q belongs to a graph; expected the nested nodes of a tree. Write the graph as edges, DOT or OBO", key.text)
		}
		if err := j.value(j.skip); err != nil {
			return err
		}
	}
}

// key reads the next key of an object and its colon. There are no more where the object ends.
func (j *jsonReader) key(first bool) (key jsonToken, more bool, err error) {
	if key, err = j.read(); err != nil || key.kind == '}' {
		return key, false, err
	}
	if !first {
		if key.kind != ',' {
			return key, false, j.unexpectedToken(key, "',' or '}'")
		}
		if key, err = j.read(); err != nil {
			return key, false, err
		}
	}
	if key.kind != '"' {
		return key, false, j.unexpectedToken(key, "a key in quotes")
	}
	_, err = j.expect(':', "':' after a key")
	return key, true, err
}

// value reads the beginning of a value and gives it to what reads the rest.
func (j *jsonReader) value(rest func(jsonToken) error) error {
	t, err := j.read()
	if err != nil {
		return err
	}
	return rest(t)
}

// jsonFrame is an object of a tree, or the list of its children, that is not closed.
type jsonFrame struct {
	node  int // that the object is, or whose children the list has; -1 is none
	list  bool
	begun bool // something stands in it
	named bool
	at    place
}

// trees reads on until the frames are closed.
func (j *jsonReader) trees(frames []jsonFrame) error {
	for len(frames) > 0 {
		f := &frames[len(frames)-1]
		var err error
		if f.list {
			frames, err = j.child(frames)
		} else {
			var key jsonToken
			var more bool
			key, more, err = j.key(!f.begun)
			switch {
			case err != nil:
			case more:
				frames, err = j.member(frames, key)
			default:
				err = j.closed(f)
				frames = frames[:len(frames)-1]
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// closed checks the object at its end.
func (j *jsonReader) closed(f *jsonFrame) error {
	if f.named {
		return nil
	}
	return j.fault("empty name", "called by a number", j.draft.errorf(f.at, "the node has no %q; give it one", j.NameKey))
}

// member reads the value of a key of the last frame.
func (j *jsonReader) member(frames []jsonFrame, key jsonToken) ([]jsonFrame, error) {
	f := &frames[len(frames)-1]
	f.begun = true
	t, err := j.read()
	if err != nil {
		return nil, err
	}
	switch key.text {
	case j.NameKey:
		if f.named {
			return nil, j.errorf(key.at, "a second %q of one node; remove it", j.NameKey)
		}
		if t.kind != '"' && t.kind != '0' {
			return nil, j.unexpectedToken(t, "a string, the name")
		}
		if t.text == "" {
			return frames, nil
		}
		f.named = true
		return frames, j.call(f.node, t.text, t.at)
	case j.ChildrenKey:
		switch {
		case t.kind == '[':
			return append(frames, jsonFrame{node: f.node, list: true}), nil
		case t.kind == 'a' && t.text == "null":
			return frames, nil
		}
		return nil, j.unexpectedToken(t, "'[', the list of children")
	}
	return frames, j.skip(t)
}

// child reads the beginning of the next child in the list that is the last frame, or the end of the
// list.
func (j *jsonReader) child(frames []jsonFrame) ([]jsonFrame, error) {
	f := &frames[len(frames)-1]
	t, err := j.read()
	if err != nil {
		return nil, err
	}
	if t.kind == ']' {
		return frames[:len(frames)-1], nil
	}
	if f.begun {
		if t.kind != ',' {
			return nil, j.unexpectedToken(t, "',' or ']'")
		}
		if t, err = j.read(); err != nil {
			return nil, err
		}
	}
	f.begun = true
	if t.kind != '{' && t.kind != '"' {
		return nil, j.unexpectedToken(t, "'{', a node, or a string, its name")
	}
	v, err := j.blank(t.at)
	if err != nil {
		return nil, err
	}
	if f.node >= 0 {
		if err := j.draft.edge(f.node, v, t.at); err != nil {
			return nil, err
		}
	}
	if t.kind == '{' {
		return append(frames, jsonFrame{node: v, at: t.at}), nil
	}
	if t.text == "" {
		return frames, j.closed(&jsonFrame{at: t.at})
	}
	return frames, j.call(v, t.text, t.at)
}

// Write implements Format, for trees and forests.
func (f JSON) Write(w io.Writer, t *Taxonomy) error {
	return write(w, "JSON", func(out *bufio.Writer) error {
		if err := textual(t); err != nil {
			return err
		}
		if !t.tree {
			return severalParents(t, "JSON files")
		}
		if f.NameKey == "" {
			f.NameKey = "name"
		}
		if f.ChildrenKey == "" {
			f.ChildrenKey = "children"
		}
		begin, children := "{"+jsonString(f.NameKey)+":", ","+jsonString(f.ChildrenKey)+":[\n"
		n := nesting{
			open:    func(v int) string { return begin + jsonString(t.names[v]) + children },
			close:   func(v int) string { return "]}" },
			leaf:    func(v int) string { return begin + jsonString(t.names[v]) + "}" },
			between: ",\n", end: "\n",
		}
		if len(t.roots) == 1 {
			return writeNested(out, t, t.roots[0], n)
		}
		return writeJSONForest(out, t, n)
	})
}

// jsonString quotes text in UTF-8.
func jsonString(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return strconv.QuoteToASCII(text) // not for strings
	}
	return string(quoted)
}

func writeJSONForest(out *bufio.Writer, t *Taxonomy, n nesting) error {
	begin := "[\n"
	for _, root := range t.roots {
		if _, err := out.WriteString(begin); err != nil {
			return err
		}
		begin = ","
		if err := writeNested(out, t, root, n); err != nil {
			return err
		}
	}
	_, err := out.WriteString("]\n")
	return err
}
