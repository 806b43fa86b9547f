package emit

import (
	"crypto/sha256"
	"fmt"
	"go/ast"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/check"
)

// embedded declares a variable with the files that a user's variable embeds, and returns its name.
// The text of the unit includes a checksum of them, since units with the same text count as equal.
func (u *Unit) embedded(v *ast.ValueSpec, e *check.Embedding) string {
	if u.embed == nil {
		u.embed = &toolchain.Embed{Patterns: map[string][]string{}, Files: map[string]string{}}
		u.blank = append(u.blank, "embed")
	}
	maps.Copy(u.embed.Patterns, e.Patterns)
	maps.Copy(u.embed.Files, e.Files)
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(e.Files)) {
		fmt.Fprintln(sum, name)
		f, err := os.Open(e.Files[name])
		if err != nil {
			continue // the compiler reports that
		}
		n, err := io.Copy(sum, f)
		fmt.Fprintln(sum, n, err)
		_ = f.Close()
	}
	name := ""
	for n := 1; name == "" || u.names[name]; n++ {
		name = fmt.Sprintf("%sembed%d%s", Mark, n, Mark)
	}
	u.names[name] = true
	text := fmt.Sprintf("// %x\n", sum.Sum(nil))
	src, _ := u.Within(v.Pos())
	for _, d := range e.Directives {
		line, column := src.Position(src.Origin(d.Offset))
		text += fmt.Sprintf("//line %s:%d:%d\n%s\n", src.Cell.CompiledFile(), line, column, d.Text)
	}
	u.parts = append(u.parts, text+u.lineAt(v.Pos(), len("var "))+"var "+name+" "+u.Typ(u.l.K.Info.TypeOf(v.Type))+"\n")
	return name
}
