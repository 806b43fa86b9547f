package program

import (
	"context"
	"go/types"

	"github.com/hierml/notebook/internal/toolchain"
)

// A Compiler builds units into a plugin for the executor's process.
type Compiler interface {
	// Build builds units in order and returns the file of the plugin. It keeps what later units
	// need. It stops when ctx is done.
	Build(ctx context.Context, units []toolchain.Unit) (plugin string, err error)
	// Close removes the compiler's files.
	Close() error
}

// Modules finds packages outside this program: those of other modules, and of the module or
// workspace that contains the cells' folder. Only compiled cells can use them. A Compiler that
// supports them also implements Modules.
type Modules interface {
	// Import returns a resolved package. Its path is the one to compile cells with. It differs from
	// the import path if the package has changed since cells were compiled with it.
	types.Importer

	// Resolve finds the packages with these import paths for cells that work in the folder. It
	// downloads and compiles what they need, reports that to progress line by line, and registers
	// them with the session's compiler. It checks packages again that were found before and may
	// have changed.
	//
	// It returns why paths cannot be imported. The error is only that of ctx.
	Resolve(ctx context.Context, folder string, paths []string, progress func(line string)) (failed map[string]error, err error)

	// List returns the modules of packages that cells have imported, and those that were required.
	List() []Module

	// Require makes the session use a version of a module from now on, and returns that version.
	// The version may also be a query of the go command, such as v1 or the name of a branch; empty
	// means the latest. With the version none, others decide about the version again, and the
	// result is empty.
	Require(ctx context.Context, folder, module, version string, progress func(line string)) (string, error)

	// SetFlags adds build flags for the go command from now on. -tags affects packages of other
	// modules that are not loaded yet; all flags affect tests.
	SetFlags(flags []string)

	// BuildTests builds a test package for cells that work in the folder, from files by their
	// names, and returns the program that runs the tests. The program is the only file in a folder
	// of package temporary.
	BuildTests(ctx context.Context, folder string, files map[string]string, progress func(line string)) (binary string, err error)

	// Doc returns the documentation of an exported name in a found package, as in Library.
	Doc(path, name string) string

	// Paths returns the import paths of packages that are known without network access: those of
	// the folder's module or workspace, and of the modules that the session uses.
	Paths() []string

	// Forget records that the process that has loaded packages is gone, and that nothing declared
	// is needed any more.
	Forget()
}

// A Module is a module that the session uses.
type Module struct {
	// Version is empty for a module in a folder.
	Path, Version string
	// From says in a few words why it has this version.
	From string
	// Used says that cells have imported packages of it.
	Used bool
}

// A Library is an importer that knows more about its packages than their types.
type Library interface {
	types.Importer
	// Paths returns the import paths of all packages.
	Paths() []string
	// Doc returns the documentation of an exported name of a package, "Name", "Type.Method" or
	// "Type.Field", or of the package itself for "". Package builtin documents the predeclared
	// names, with the declarations of its functions under "name()".
	Doc(path, name string) string
}
