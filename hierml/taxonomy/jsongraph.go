package taxonomy

import (
	"strconv"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// jsonGraph collects the nodes and edges of a graph. The edges are resolved at the end, as they may
// stand first.
type jsonGraph struct {
	*jsonReader
	met     bool // a list of either
	listed  bool // of nodes
	byID    map[string]int
	pending []jsonEdge
}

// jsonEdge is an edge as it stands in the file: its ends are strings or numbers.
type jsonEdge struct {
	parent, child jsonToken
	at            place
}

// list reads the list that is the value of a key.
func (g *jsonGraph) list(key jsonToken, element func(jsonToken) error) error {
	g.met = true
	g.listed = g.listed || key.text == "nodes"
	if _, err := g.expect('[', "'[', the list of "+key.text); err != nil {
		return err
	}
	for first := true; ; first = false {
		t, err := g.read()
		if err != nil || t.kind == ']' {
			return err
		}
		if !first {
			if t.kind != ',' {
				return g.unexpectedToken(t, "',' or ']'")
			}
			if t, err = g.read(); err != nil {
				return err
			}
		}
		if err := element(t); err != nil {
			return err
		}
	}
}

// isName reports whether the token is the name of a node, or its id or number.
func isName(t jsonToken) bool { return t.kind == '"' || t.kind == '0' }

// node reads one of the nodes.
func (g *jsonGraph) node(begin jsonToken) error {
	name, id := begin, jsonToken{}
	switch {
	case begin.kind == '{':
		var err error
		if name, id, err = g.nodeObject(begin); err != nil {
			return err
		}
	case !isName(begin):
		return g.unexpectedToken(begin, "a string, the name of a node, or '{'")
	}
	v, err := g.blank(begin.at)
	if err != nil {
		return err
	}
	if id.text != "" {
		if g.byID == nil {
			g.byID = make(map[string]int)
		}
		if first, ok := g.byID[id.text]; ok {
			return g.errorf(id.at, "the id %s is that of a node already (%s); ids are distinct", textfile.Quote(id.text), g.where(g.nodes[first]))
		}
		g.byID[id.text] = v
	}
	if name.text == "" {
		return g.closed(&jsonFrame{at: begin.at})
	}
	return g.call(v, name.text, name.at)
}

// nodeObject reads a node that is an object. Where it has no name, that is its id, or its label.
func (g *jsonGraph) nodeObject(begin jsonToken) (name, id jsonToken, err error) {
	var label jsonToken
	for first := true; ; first = false {
		key, more, err := g.key(first)
		if err != nil {
			return name, id, err
		}
		if !more {
			break
		}
		var to *jsonToken
		switch key.text {
		case g.NameKey:
			to = &name
		case "id":
			to = &id
		case "label":
			to = &label
		}
		if err := g.value(func(t jsonToken) error {
			if to == nil {
				return g.skip(t)
			}
			if !isName(t) {
				return g.unexpectedToken(t, "a string")
			}
			*to = t
			return nil
		}); err != nil {
			return name, id, err
		}
	}
	if name.text == "" {
		name = label
	}
	if name.text == "" {
		name = id
	}
	return name, id, nil
}

// edge reads one of the edges.
func (g *jsonGraph) edge(begin jsonToken) error {
	e := jsonEdge{at: begin.at}
	var err error
	switch begin.kind {
	case '[':
		err = g.pair(&e)
	case '{':
		err = g.edgeObject(&e)
	default:
		err = g.unexpectedToken(begin, "'[', a parent and a child, or '{'")
	}
	if err != nil {
		return err
	}
	g.pending = append(g.pending, e)
	return nil
}

func (g *jsonGraph) pair(e *jsonEdge) (err error) {
	if e.parent, err = g.read(); err != nil {
		return err
	}
	if !isName(e.parent) {
		return g.unexpectedToken(e.parent, "the parent")
	}
	if _, err = g.expect(',', "',' and the child"); err != nil {
		return err
	}
	if e.child, err = g.read(); err != nil {
		return err
	}
	if !isName(e.child) {
		return g.unexpectedToken(e.child, "the child")
	}
	_, err = g.expect(']', "']', as an edge has two ends")
	return err
}

func (g *jsonGraph) edgeObject(e *jsonEdge) error {
	for first := true; ; first = false {
		key, more, err := g.key(first)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		var to *jsonToken
		switch key.text {
		case "parent", "source", "from":
			to = &e.parent
		case "child", "target", "to":
			to = &e.child
		}
		if err := g.value(func(t jsonToken) error {
			if to == nil {
				return g.skip(t)
			}
			if !isName(t) {
				return g.unexpectedToken(t, "a node, by name or number")
			}
			*to = t
			return nil
		}); err != nil {
			return err
		}
	}
	if e.parent.kind == 0 || e.child.kind == 0 {
		return g.errorf(e.at, `the edge lacks an end; expected "parent" and "child", "source" and "target", or "from" and "to"`)
	}
	return nil
}

// resolve makes edges of those that are pending.
func (g *jsonGraph) resolve() error {
	listed := len(g.names)
	for _, e := range g.pending {
		var ends [2]int
		known := true
		for i, t := range [2]jsonToken{e.parent, e.child} {
			v, ok := g.find(t, listed)
			if !ok && !g.listed {
				if t.text == "" {
					return g.draft.errorf(t.at, "the name of a node is empty; give it one")
				}
				var err error
				if v, err = g.draft.node([]byte(t.text), t.at); err != nil {
					return err
				}
			} else if !ok {
				known = false
				err := g.draft.errorf(t.at, "%v is not among the nodes; add it there, or name one of them", t)
				if err := g.fault("unknown node", "edge left out", err); err != nil {
					return err
				}
			}
			ends[i] = v
		}
		if !known {
			continue
		}
		if err := g.draft.edge(ends[0], ends[1], e.at); err != nil {
			return err
		}
	}
	return nil
}

// find returns the node that the end of an edge means.
func (g *jsonGraph) find(t jsonToken, listed int) (int, bool) {
	if v, ok := g.byID[t.text]; ok {
		return v, true
	}
	if v, ok := g.ids[t.text]; ok {
		return v, true
	}
	if t.kind == '0' && g.listed && g.byID == nil {
		if v, err := strconv.Atoi(t.text); err == nil && v >= 0 && v < listed {
			return v, true
		}
	}
	return 0, false
}
