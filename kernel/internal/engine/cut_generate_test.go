package engine_test

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A piece is a declaration, a variable, or a few statements of a program that is cut into cells.
type piece struct {
	cell  string   // the text in a cell
	top   string   // the text at the top of the Go program
	run   string   // the text in the main function of the Go program
	names []string // declared names; a method is Type.Name
	hard  []string // names that must be declared before
	soft  []string // names that only function bodies mention
	topic int
	kind  token.Token // TYPE, CONST, VAR, FUNC, or ILLEGAL for statements
	again bool        // declares a name again
	acts  bool        // calls functions when its cell runs
	once  bool        // must not run twice
	last  bool        // comes after everything else of its topic
}

// cutNames matches the names of a program, which end in its number and the letter of the topic, and
// in _2 if the name was declared again as something else.
var cutNames = regexp.MustCompile(`\b[A-Za-z]+\d+[a-z](_2)?\b`)

// cutTopics are the topics of testdata/cuts.txt. A topic is pieces that blank lines separate. $Name
// is a name of the program, and $Name' is the same name after it was declared again as something
// else. ⟨a|b⟩ is one of the alternatives, and so is @K, for the whole topic, if the topic begins
// with K: a|b. A piece that begins with >> declares a name again. "x := value // type" declares a
// variable. Below => stands what a new declaration of a type implies for the Go program.
// Directives: //! names what must be declared before, //acts marks a variable whose value is
// computed by calls, //once a piece that must not run twice, and //last one that comes after all
// others.
var cutTopics = sync.OnceValue(func() []string {
	text, err := os.ReadFile("testdata/cuts.txt")
	if err != nil {
		panic(err)
	}
	return strings.Split(string(text), "\n## ")
})

func topicName(topic int) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(cutTopics()[topic], "## "), "\n")
	return name
}

// cutPieces returns the pieces of a topic, of which some are left out and some occur twice.
func cutPieces(r *rand.Rand, topic int, suffix string) (pieces []*piece) {
	_, text, _ := strings.Cut(cutTopics()[topic], "\n")
	for {
		m := regexp.MustCompile(`^(\w): (.*)\n`).FindStringSubmatch(text)
		if m == nil {
			break
		}
		choices := strings.Split(m[2], "|")
		text = strings.ReplaceAll(text[len(m[0]):], "@"+m[1], choices[r.IntN(len(choices))])
	}
	text = regexp.MustCompile(`⟨[^⟩]*⟩`).ReplaceAllStringFunc(text, func(s string) string {
		choices := strings.Split(strings.Trim(s, "⟨⟩"), "|")
		return choices[r.IntN(len(choices))]
	})
	text = regexp.MustCompile(`\$(\w+)('?)`).ReplaceAllStringFunc(text, func(s string) string {
		name, again := strings.CutSuffix(s[1:], "'")
		if again {
			return name + suffix + "_2"
		}
		return name + suffix
	})
	for _, text := range strings.Split(strings.TrimSpace(text), "\n\n") {
		p := newPiece(text, r)
		p.topic = topic
		for _, m := range locals.FindAllStringSubmatch(p.cell, -1) {
			if p.kind == token.ILLEGAL && !cutNames.MatchString(m[1]) {
				name := regexp.MustCompile(`\b(` + strings.ReplaceAll(m[1], ", ", "|") + `)\b`)
				p.cell, p.run = name.ReplaceAllString(p.cell, "${1}"+suffix), name.ReplaceAllString(p.run, "${1}"+suffix)
			}
		}
		copies := 1
		switch {
		case p.again:
			copies = r.IntN(2)
		case p.kind == token.ILLEGAL && p.once:
			copies = min(1, r.IntN(5))
		case p.kind == token.ILLEGAL:
			copies = r.IntN(3)
		}
		if copies > 0 {
			pieces = append(pieces, p)
		}
		if copies > 1 {
			twin := *p
			pieces = append(pieces, &twin)
		}
	}
	return pieces
}

var (
	cutDirective = regexp.MustCompile(` ?//(!.*|acts|once|last)`)
	cutVariable  = regexp.MustCompile(`(?s)^([\w, ]+) := (.*) // (.*)$`)
)

// newPiece returns the piece that a text of a topic says.
func newPiece(text string, r *rand.Rand) *piece {
	p := &piece{}
	text, p.again = strings.CutPrefix(text, ">>")
	text = cutDirective.ReplaceAllStringFunc(text, func(d string) string {
		switch d = strings.TrimLeft(d, " /"); d {
		case "acts":
			p.acts = true
		case "once":
			p.once = true
		case "last":
			p.last = true
		default:
			p.hard = append(p.hard, strings.Fields(d[1:])...)
		}
		return ""
	})
	text, implied, _ := strings.Cut(text, "\n=>")
	text = strings.TrimSpace(text)
	p.cell, p.top = text, text
	first, _, _ := strings.Cut(text, " ")
	p.kind = map[string]token.Token{"type": token.TYPE, "const": token.CONST, "func": token.FUNC, "var": token.VAR}[first]
	if m := cutVariable.FindStringSubmatch(text); m != nil {
		p.kind, p.acts, p.top = token.VAR, true, ""
		p.names = strings.Split(m[1], ", ")
		types := strings.Split(m[3], "; ")
		for i, name := range p.names {
			p.top += "var " + name + " " + types[i] + "\n"
		}
		p.cell, p.run = m[1]+" := "+m[2], m[1]+" = "+m[2]
		if len(p.names) == 1 && r.IntN(2) == 0 {
			p.cell = "var " + m[1] + " " + m[3] + " = " + m[2]
		}
		p.hard = append(p.hard, cutNames.FindAllString(text, -1)...)
	} else if p.kind == token.ILLEGAL {
		p.acts, p.top, p.run = true, "", "{\n"+text+"\n}"
		p.hard = append(p.hard, cutNames.FindAllString(text, -1)...)
	} else {
		p.declare(text, r)
	}
	if implied != "" {
		p.top += "\n" + implied
		of := &piece{}
		of.declare(implied, r)
		p.names, p.soft = append(p.names, of.names...), append(p.soft, append(of.hard, of.soft...)...)
	}
	p.cell = regexp.MustCompile(`(\d[a-z])_2\b`).ReplaceAllString(p.cell, "$1")
	own := func(name string) bool { return slices.Contains(p.names, name) }
	p.hard, p.soft = slices.DeleteFunc(p.hard, own), slices.DeleteFunc(p.soft, own)
	return p
}

// declare notes what declarations declare and mention.
func (p *piece) declare(text string, r *rand.Rand) {
	const clause = "package p;"
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", clause+text, 0)
	if err != nil {
		panic(fmt.Sprintf("%v in %q", err, text))
	}
	part := func(from, to token.Pos) string {
		return text[fset.Position(from).Offset-len(clause) : fset.Position(to).Offset-len(clause)]
	}
	for _, d := range file.Decls {
		hard := part(d.Pos(), d.End())
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = cutNames.FindString(part(d.Recv.Pos(), d.Recv.End())) + "." + name
			}
			p.names = append(p.names, name)
			hard = part(d.Pos(), d.Body.Pos())
			p.soft = append(p.soft, cutNames.FindAllString(part(d.Body.Pos(), d.End()), -1)...)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					p.names = append(p.names, s.Name.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						p.names = append(p.names, id.Name)
					}
					if d.Tok == token.VAR {
						p.variable(part(s.Names[0].Pos(), s.Type.Pos()), part(s.Type.Pos(), s.Type.End()), part(s.Type.End(), s.End()), r)
					}
				}
			}
		}
		p.hard = append(p.hard, cutNames.FindAllString(hard, -1)...)
	}
}

// variable gives a variable the texts in the cell and in the Go program.
func (p *piece) variable(names, typ, value string, r *rand.Rand) {
	p.top = "var " + names + typ
	if value == "" {
		for name := range strings.SplitSeq(names, ",") {
			p.run += strings.TrimSpace(name) + " = *new(" + typ + ")\n"
		}
		return
	}
	p.run = names + value
	value = strings.TrimPrefix(value, " = ")
	if r.IntN(2) == 0 && (strings.HasPrefix(value, typ+"{") || strings.HasPrefix(value, typ+"(") || "*"+strings.TrimPrefix(value, "&")[:min(len(typ)-1, len(value)-1)] == typ) {
		p.cell = names + ":= " + value
	}
}

var cutChosen = flag.String("topics", "", "write cut programs about the topics that match this `EXPRESSION`")

// A cutProgram is a program that is cut into cells.
type cutProgram struct {
	seed  uint64
	cells [][]*piece
}

// newCut writes a program of a few topics, whose declarations may stand in any order.
func newCut(seed uint64) cutProgram {
	r := rand.New(rand.NewPCG(seed, 3))
	var pieces []*piece
	topics := slices.DeleteFunc(r.Perm(len(cutTopics())), func(topic int) bool {
		return !regexp.MustCompile(*cutChosen).MatchString(topicName(topic))
	})
	for i, topic := range topics[:min(1+r.IntN(4), len(topics))] {
		pieces = append(pieces, cutPieces(r, topic, fmt.Sprintf("%d%c", seed, 'a'+i))...)
	}
	return cutProgram{seed, cutInto(arranged(pieces, r), r)}
}

// arranged returns pieces in an order in which they can be declared and run.
func arranged(pieces []*piece, r *rand.Rand) (order []*piece) {
	// Function bodies mention nothing that comes later, or they may, or all declarations may.
	freedom := []sequence{inOrder, bodies, anyOrder, anyOrder}[r.IntN(4)]
	bias := [4]float64{}
	for i := range bias {
		bias[i] = float64(r.IntN(3)-1) / 2
	}
	rank := map[*piece]float64{}
	for _, p := range pieces {
		rank[p] = r.Float64()
		switch {
		case p.again:
			rank[p] += bias[0]
		case p.kind == token.ILLEGAL:
			rank[p] += bias[1]
		case p.kind == token.FUNC:
			rank[p] += bias[2]
		case p.kind == token.VAR:
			rank[p] += bias[3]
		}
	}
	pending := slices.Clone(pieces)
	slices.SortFunc(pending, func(a, b *piece) int { return cmp.Compare(rank[a], rank[b]) })
	for len(pending) > 0 {
		i := -1
		for s := freedom; i < 0 && s <= anyOrder; s++ {
			i = slices.IndexFunc(pending, func(p *piece) bool { return ready(p, order, pending, s) })
		}
		if i < 0 {
			panic(fmt.Sprintf("nothing can come next, for instance %+v", *pending[0]))
		}
		order = append(order, pending[i])
		pending = slices.Delete(pending, i, i+1)
	}
	return order
}

// A sequence is how freely declarations are ordered.
type sequence int

const (
	inOrder  sequence = iota
	bodies            // function bodies mention what comes later
	anyOrder          // so do types, signatures and constants
)

// ready reports whether a piece may come after others, and before those that are pending.
func ready(p *piece, placed, pending []*piece, s sequence) bool {
	declared := func(name string) bool {
		return slices.ContainsFunc(placed, func(q *piece) bool { return slices.Contains(q.names, name) })
	}
	runs := p.kind == token.ILLEGAL || p.kind == token.VAR
	// Before it is declared again, a name means what it was.
	newer := func(name string) bool {
		return strings.HasSuffix(name, "_2") && !declared(name) && !slices.Contains(p.names, name)
	}
	if p.again && !declared(p.names[0]) || slices.ContainsFunc(p.hard, newer) || slices.ContainsFunc(p.soft, newer) ||
		(s < anyOrder || runs) && slices.ContainsFunc(p.hard, func(name string) bool { return !declared(name) }) ||
		s == inOrder && p.kind == token.FUNC && !whole(p, placed, pending) {
		return false
	}
	for _, q := range pending {
		if q != p && (p.last && q.topic == p.topic || replaces(p, q)) {
			return false
		}
	}
	for _, q := range placed {
		if replaces(p, q) && !complete(q.names, false, placed, pending) {
			return false
		}
	}
	return !runs || complete(p.hard, !p.acts, placed, pending)
}

// whole reports whether all is placed that the body of a function may need, so that it can be
// checked.
func whole(p *piece, placed, pending []*piece) bool {
	if !strings.Contains(p.names[0], ".") {
		pending = slices.DeleteFunc(slices.Clone(pending), func(q *piece) bool { return q == p })
		return complete(slices.Concat(p.hard, p.soft), false, placed, pending)
	}
	return !slices.ContainsFunc(pending, func(q *piece) bool {
		return q != p && !q.again && slices.ContainsFunc(q.names, func(name string) bool {
			_, method, ok := strings.Cut(name, ".")
			return slices.Contains(p.soft, name) || ok && q.topic == p.topic && strings.Contains(p.cell, "."+method+"(")
		})
	})
}

// replaces reports whether p declares a name as something else that q mentions as what it was.
func replaces(p, q *piece) bool {
	return slices.ContainsFunc(p.names, func(name string) bool {
		before, again := strings.CutSuffix(name, "_2")
		return again && (slices.Contains(q.hard, before) || slices.Contains(q.soft, before) || slices.Contains(q.names, before))
	})
}

// complete reports whether everything is placed that names mention, through the bodies of functions
// and the methods of types too unless only their declarations count.
func complete(names []string, declarations bool, placed, pending []*piece) bool {
	seen := map[string]bool{}
	names = slices.Clone(names)
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		declares := func(own string) bool {
			return own == name || !declarations && strings.HasPrefix(own, name+".")
		}
		if slices.ContainsFunc(pending, func(q *piece) bool { return !q.again && slices.ContainsFunc(q.names, declares) }) {
			return false
		}
		for _, q := range placed {
			if slices.ContainsFunc(q.names, declares) {
				names = append(names, q.hard...)
				if !declarations {
					names = append(names, q.soft...)
				}
			}
		}
	}
	return true
}

// cutInto cuts an order of pieces into cells, shuffles the declarations of each, and runs some
// cells twice.
func cutInto(order []*piece, r *rand.Rand) (cells [][]*piece) {
	size := 1 + r.IntN(8)
	var cell []*piece
	end := func() {
		if len(cell) == 0 {
			return
		}
		// What runs keeps its order, and declarations stand anywhere.
		mixed := slices.DeleteFunc(slices.Clone(cell), func(p *piece) bool { return p.run == "" })
		for _, p := range cell {
			if p.run == "" {
				mixed = slices.Insert(mixed, r.IntN(len(mixed)+1), p)
			}
		}
		cells = append(cells, mixed)
		cell = nil
		again := cells[r.IntN(len(cells))]
		if r.IntN(12) == 0 && !slices.ContainsFunc(again, func(p *piece) bool {
			return p.once || slices.ContainsFunc(order, func(q *piece) bool { return replaces(q, p) })
		}) {
			cells = append(cells, again)
		}
	}
	for _, p := range order {
		if r.IntN(size) == 0 || slices.ContainsFunc(cell, func(q *piece) bool {
			return p.again && q.acts || replaces(p, q) || p.kind == token.ILLEGAL && q.kind == token.ILLEGAL && locals.MatchString(p.cell) && locals.MatchString(q.cell) || slices.ContainsFunc(p.names, func(name string) bool { return slices.Contains(q.names, name) })
		}) {
			end()
		}
		cell = append(cell, p)
	}
	end()
	return cells
}

// locals matches statements that declare variables.
var locals = regexp.MustCompile(`(?m)^(\w+(?:, \w+)*) := `)

// texts returns the cells.
func (c cutProgram) texts() (cells []string) {
	for _, cell := range c.cells {
		var texts []string
		for _, p := range cell {
			texts = append(texts, p.cell)
		}
		cells = append(cells, strings.Join(texts, "\n"))
	}
	return cells
}

const cutMark = "\x01"

// program returns what the Go program that does the same has at its top, and in its main function.
// A function or a constant that is declared again is a variable there, to which main assigns each
// version.
func (c cutProgram) program() (top, main string) {
	versions := map[string][]*piece{}
	for _, cell := range c.cells {
		for _, p := range cell {
			if name := p.names; len(name) > 0 && !slices.Contains(versions[name[0]], p) {
				versions[name[0]] = append(versions[name[0]], p)
			}
		}
	}
	written := map[*piece]bool{}
	for _, cell := range c.cells {
		sets, runs := "", ""
		for _, p := range cell {
			text, set := p.top, ""
			if len(p.names) > 0 && len(versions[p.names[0]]) > 1 {
				all := versions[p.names[0]]
				text, set = versioned(p, slices.Index(all, p))
			}
			if !written[p] {
				top += text + "\n\n"
			}
			written[p] = true
			sets += set
			if p.run != "" {
				runs += p.run + "\n"
			}
		}
		main += "\tfmt.Print(\"" + `\x01` + "\")\n" + sets + runs
	}
	return top, main
}

// versioned returns a declaration of a name that has several, and the assignment by which it
// counts.
func versioned(p *piece, version int) (top, set string) {
	name := p.names[0]
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p;"+p.top, 0)
	if err != nil {
		panic(err)
	}
	text := func(from, to token.Pos) string { return ("package p;" + p.top)[from-1 : to-1] }
	switch d := file.Decls[0].(type) {
	case *ast.GenDecl:
		s := d.Specs[0].(*ast.ValueSpec)
		if p.kind == token.CONST {
			set = name + " = " + text(s.Values[0].Pos(), s.End()) + "\n"
		}
		if version > 0 {
			return "", set
		}
		return "var " + name + " " + text(s.Type.Pos(), s.Type.End()), set
	case *ast.FuncDecl:
		signature := text(d.Type.Params.Pos(), d.Body.Pos())
		name = strings.ReplaceAll(name, ".", "")
		if d.Recv != nil {
			receiver := text(d.Recv.Opening+1, d.Recv.Closing)
			args := []string{d.Recv.List[0].Names[0].Name}
			for _, field := range d.Type.Params.List {
				for _, id := range field.Names {
					args = append(args, id.Name)
				}
			}
			if version == 0 {
				top = "func (" + receiver + ") " + d.Name.Name + signature + "{ return " + name + "(" + strings.Join(args, ", ") + ") }\n"
			}
			signature = "(" + receiver + ", " + signature[1:]
		}
		if version == 0 {
			top += "var " + name + " func" + signature + "\n"
		}
		return top + fmt.Sprintf("func %s_v%d%s%s", name, version, signature, text(d.Body.Pos(), d.Body.End())), fmt.Sprintf("%s = %[1]s_v%d\n", name, version)
	}
	panic("no declaration can have versions that is like " + p.top)
}

var cutPackages = map[string]string{"list": "container/list", "heap": "container/heap", "json": "encoding/json", "atomic": "sync/atomic"}

// importing returns a program with its imports.
func importing(text string) string {
	imports := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?:^|[^\w.])(atomic|bufio|bytes|cmp|context|errors|fmt|heap|io|iter|json|list|maps|reflect|slices|sort|strconv|strings|sync|time)\.[A-Z]`).FindAllStringSubmatch(text, -1) {
		path := m[1]
		if long, ok := cutPackages[path]; ok {
			path = long
		}
		imports[fmt.Sprintf("import %q\n", path)] = true
	}
	return "package main\n\n" + strings.Join(slices.Sorted(maps.Keys(imports)), "") + "\n" + text
}
