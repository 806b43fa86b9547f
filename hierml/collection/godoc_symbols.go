package collection

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/hierml/notebook/hierml/internal/guarded"
)

// symbol is the documentation of one declaration.
type symbol struct {
	name string
	text string
}

// readSymbols returns the documented symbols of each package.
func readSymbols(ctx context.Context, packages []sourcePackage) ([][]symbol, error) {
	symbols := make([][]symbol, len(packages))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(guarded.Workers(0))
	for i, p := range packages {
		group.Go(func() error {
			list, err := packageSymbols(ctx, p)
			symbols[i] = list
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("collection: reading the Go tree: %w", err)
	}
	return symbols, nil
}

// packageSymbols returns the documented symbols of the package, or none for a folder without an
// importable package.
func packageSymbols(ctx context.Context, p sourcePackage) ([]symbol, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		file, err := parseFile(fset, name)
		if err != nil {
			return nil, err
		}
		if file == nil || file.Name.Name == "main" {
			continue
		}
		if len(files) > 0 && file.Name.Name != files[0].Name.Name {
			return nil, fmt.Errorf("%s: package %s in the folder of package %s; a folder holds one package",
				name, file.Name.Name, files[0].Name.Name)
		}
		files = append(files, file)
	}
	if len(files) == 0 {
		return nil, nil
	}
	var mode doc.Mode
	if p.path == "builtin" {
		mode = doc.AllDecls // its symbols are predeclared, and lower case
	}
	documentation, err := doc.NewFromFiles(fset, files, p.path, mode)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.path, err)
	}
	c := collector{fset: fset}
	c.values(documentation.Consts)
	c.values(documentation.Vars)
	c.funcs("", documentation.Funcs)
	for _, t := range documentation.Types {
		c.add(t.Name, t.Decl, t.Doc)
		c.values(t.Consts)
		c.values(t.Vars)
		c.funcs("", t.Funcs)
		c.funcs(t.Name+".", t.Methods)
	}
	return c.symbols, c.err
}

// parseFile parses the file, or returns nil if the build constraints leave it out.
func parseFile(fset *token.FileSet, name string) (*ast.File, error) {
	source, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	constraints := build.Context{
		GOOS: "linux", GOARCH: "amd64", Compiler: "gc", ReleaseTags: build.Default.ReleaseTags,
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(source)), nil },
	}
	match, err := constraints.MatchFile(filepath.Dir(name), filepath.Base(name))
	if err != nil || !match {
		return nil, err
	}
	return parser.ParseFile(fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
}

// collector turns declarations into symbols, until one fails.
type collector struct {
	fset    *token.FileSet
	symbols []symbol
	buffer  bytes.Buffer
	err     error
}

func (c *collector) values(values []*doc.Value) {
	for _, v := range values {
		if len(v.Names) > 0 {
			c.add(v.Names[0], v.Decl, v.Doc)
		}
	}
}

func (c *collector) funcs(prefix string, funcs []*doc.Func) {
	for _, f := range funcs {
		c.add(prefix+f.Name, f.Decl, f.Doc)
	}
}

// add adds the symbol, if something is written about it: above it or, in a group, within it.
func (c *collector) add(name string, declaration ast.Decl, comment string) {
	if c.err != nil || comment == "" && !commented(declaration) {
		return
	}
	c.buffer.Reset()
	if err := printer.Fprint(&c.buffer, c.fset, declaration); err != nil {
		c.err = fmt.Errorf("%s: printing %s: %w", c.fset.Position(declaration.Pos()), name, err)
		return
	}
	text := c.buffer.String()
	if comment != "" {
		text += "\n\n" + strings.TrimSpace(comment)
	}
	c.symbols = append(c.symbols, symbol{name: name, text: text})
}

// commented reports whether a group of declarations has a comment inside.
func commented(declaration ast.Decl) bool {
	group, ok := declaration.(*ast.GenDecl)
	if !ok {
		return false
	}
	for _, s := range group.Specs {
		switch s := s.(type) {
		case *ast.ValueSpec:
			if s.Doc.Text() != "" || s.Comment.Text() != "" {
				return true
			}
		case *ast.TypeSpec:
			if s.Doc.Text() != "" || s.Comment.Text() != "" {
				return true
			}
		}
	}
	return false
}
