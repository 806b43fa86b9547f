package program

import (
	"context"
	"go/types"

	"github.com/hierml/notebook/internal/toolchain"
)

// A Compiler builds units into a plugin for the executor's process.
type Compiler interface {
	// Build builds units in their order and returns the file of the plugin. It keeps what later
	// units need. The end of ctx ends it.
	Build(ctx context.Context, units []toolchain.Unit) (plugin string, err error)
	// Close removes what is kept.
	Close() error
}

// Modules finds packages that this program does not consist of: those of other modules, and of the
// module or workspace that the cells' folder is in. Only compiled cells can use them. A Compiler
// that has them is a Modules, too.
type Modules interface {
	// Import returns a package that was resolved. Its path is the one that cells are to be compiled
	// with: where the package has changed since cells were compiled with it, that is not the path
	// by which it is imported.
	types.Importer

	// Resolve finds the packages with these import paths for cells that work in the folder. It
	// downloads and compiles what they need, says so to progress line by line, and has the
	// session's compiler know them. Packages that were found before are looked at again where they
	// may have changed.
	//
	// It returns why paths cannot be imported. The error is that of the end of ctx.
	Resolve(ctx context.Context, folder string, paths []string, progress func(line string)) (failed map[string]error, err error)

	// List returns the modules that cells have imported packages of, and those that were required.
	List() []Module

	// Require has the session take a module in a version from now on, and returns that version. The
	// version is one, or what the go command makes one of, as v1 or the name of a branch; empty
	// stands for the latest. By none the session leaves the version to others, and nothing is
	// returned.
	Require(ctx context.Context, folder, module, version string, progress func(line string)) (string, error)

	// SetFlags has the go command build with more flags from now on: with -tags packages of other
	// modules that are not loaded yet, with all of them tests.
	SetFlags(flags []string)

	// BuildTests builds a package of tests for cells that work in the folder, from files by their
	// names, and returns the program that runs them, alone in a folder of package temporary.
	BuildTests(ctx context.Context, folder string, files map[string]string, progress func(line string)) (binary string, err error)

	// Doc returns the documentation of what a package that was found exports, as a Library has it.
	Doc(path, name string) string

	// Paths returns the import paths of packages that are known without asking the network: those
	// of the folder's module or workspace, and of the modules that the session uses.
	Paths() []string

	// Forget says that the process is gone which has loaded packages, and that nothing that was
	// declared is of use any more.
	Forget()
}

// A Module is one that the session uses.
type Module struct {
	// Version is empty for one that stands in a folder.
	Path, Version string
	// From says in a few words why it is this version.
	From string
	// Used says that cells have imported packages of it.
	Used bool
}

// A Library is an importer that knows more of its packages than their types.
type Library interface {
	types.Importer
	// Paths returns the import paths of all packages.
	Paths() []string
	// Doc returns the documentation of what a package exports, by the names "Name", "Type.Method"
	// and "Type.Field", or of the package, by "". Package builtin is that of the predeclared names,
	// with the declarations of its functions by "name()".
	Doc(path, name string) string
}
