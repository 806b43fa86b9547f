package syntax

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/hierml/notebook/kernel/internal/program"
)

// Files holds the texts of all cells, and the positions in them.
type Files struct {
	Fset    *token.FileSet
	Sources map[*token.File]*Source
	// Sites maps statements to the operations in them that can panic.
	Sites map[Site][]Operation
	// Relocations says where compiled code is now.
	Relocations program.Relocations
}

// NewFiles returns files without any cell.
func NewFiles() *Files {
	return &Files{token.NewFileSet(), map[*token.File]*Source{}, map[Site][]Operation{}, program.Relocations{}}
}

// Text returns the source of a node, to compare it with that of another.
func (c *Files) Text(n ast.Node) string {
	src, start := c.Within(n.Pos())
	if src == nil {
		return ""
	}
	start = clamp(start, src.Text)
	return src.Text[start:min(start+int(n.End()-n.Pos()), len(src.Text))]
}

// Offset returns the offset of a line and a column; the column may be 0.
func (s *Source) Offset(line, column int) int {
	at := 0
	for range line - 1 {
		newline := strings.IndexByte(s.Cell.Source[at:], '\n')
		if newline < 0 {
			break
		}
		at += newline + 1
	}
	return min(at+max(column-1, 0), len(s.Cell.Source))
}

// CellTitle returns the name of a cell in errors.
func (c *Files) CellTitle(number int) string {
	if src := c.CellSource(number); src != nil {
		return src.Cell.Title()
	}
	return program.Cell{Number: number}.Title()
}

// CellSource returns the source of the cell with a number, or nil.
func (c *Files) CellSource(cell int) *Source {
	for _, src := range c.Sources {
		if src.Cell.Number == cell {
			return src
		}
	}
	return nil
}

// FileSource returns the source of the cell with a file name in the run time, or nil.
func (c *Files) FileSource(file string) *Source {
	for _, src := range c.Sources {
		if src.Cell.CompiledFile() == file {
			return src
		}
	}
	return nil
}

// Within returns the source of a position, and its offset in the Go that the source stands for.
func (c *Files) Within(pos token.Pos) (*Source, int) {
	file := c.Fset.File(pos)
	if file == nil || c.Sources[file] == nil {
		return nil, 0
	}
	return c.Sources[file], file.Offset(pos) - PrefixLength
}

// Forget drops a source without declarations.
func (c *Files) Forget(src *Source) {
	for file, s := range c.Sources {
		if s == src {
			delete(c.Sources, file)
			c.Fset.RemoveFile(file)
		}
	}
}

// Columns is the factor for lines in a note that combines line and column in one number. The
// interpreter separates them again.
const Columns = 1000

// An Operation can panic. Its kind is a word of Frame.Operation.
type Operation struct {
	Kind string
	Pos  token.Pos
	// Literal says that the operation is in a function literal of compiled code: frames of that
	// have no columns.
	Literal bool
}

// A Site identifies a noted statement with several operations that can panic.
type Site struct{ Cell, Place int }

// Remember records the operations of a site.
func (c *Files) Remember(cell, place int, ops []Operation) {
	c.Sites[Site{cell, place}] = ops
}

// Failed returns the place of a frame: that of the operation in the noted statement, if it is known
// which one panicked.
func (c *Files) Failed(f program.Frame) (line, column int) {
	found := token.NoPos
	literal := strings.HasSuffix("."+f.Function, ".func")
	for _, op := range c.Sites[Site{f.Cell, f.Line*Columns + f.Column}] {
		if op.Kind != f.Operation || op.Literal && !literal {
			continue
		}
		if found.IsValid() {
			return f.Line, f.Column // one of several
		}
		found = op.Pos
	}
	if found.IsValid() {
		if src, offset := c.At(found); src != nil {
			return src.Position(offset)
		}
	}
	return f.Line, f.Column
}

// InCell converts problems with the Go of a cell to places in the cell.
func (s *Source) InCell(problems []Problem) []Problem {
	for i, p := range problems {
		if p.Source == s && s.Of != nil {
			problems[i] = Problem{Source: s.Of, Offset: s.Of.Origin(p.Offset), Msg: p.Msg}
		}
	}
	return problems
}

// At returns the cell of a position, and the offset in its source.
func (c *Files) At(pos token.Pos) (*Source, int) {
	src, offset := c.Within(pos)
	if src == nil {
		return nil, 0
	}
	return src, clamp(src.Origin(clamp(offset, src.Text)), src.Cell.Source)
}

// Span returns the cell of a node, or nil if unknown, the line and column of its beginning, and its
// last line.
func (c *Files) Span(n ast.Node) (src *Source, line, column, end int) {
	src, start := c.At(n.Pos())
	if src != nil {
		line, column = src.Position(start)
		_, last := c.At(n.End())
		end, _ = src.Position(last)
	}
	return src, line, column, end
}

// Problem returns a complaint about the code at a position.
func (c *Files) Problem(pos token.Pos, msg string) Problem {
	src, offset := c.At(pos)
	return Problem{Source: src, Offset: offset, Msg: msg}
}
