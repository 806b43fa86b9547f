package module

import (
	"errors"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// A Compiler builds the cells of a session, and finds the packages that they import.
type Compiler struct {
	*toolchain.Builder
	*Session
}

var (
	_ program.Compiler = (*Compiler)(nil)
	_ program.Modules  = (*Compiler)(nil)
)

// NewCompiler returns a compiler for a session whose cells run in the program of the kit.
func NewCompiler(kit *toolchain.Kit) (*Compiler, error) {
	builder, err := kit.NewBuilder()
	if err != nil {
		return nil, err
	}
	p := kit.Packages()
	prog := Program{Path: p.Module, Folder: p.Root, Packages: p.Archives, Importer: stdlib.Importer, Go: p.Go, Flags: p.Flags, Env: p.Env}
	return &Compiler{builder, New(prog, builder.Add)}, nil
}

// Close implements program.Compiler.
func (c *Compiler) Close() error { return errors.Join(c.Session.Close(), c.Builder.Close()) }

// Forget implements program.Modules.
func (c *Compiler) Forget() {
	c.Session.Forget()
	c.Builder.Forget()
}
