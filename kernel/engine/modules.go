package engine

import (
	"context"
	"go/types"
)

// Modules finds packages that this program does not consist of: those of other
// modules, and of the module or workspace that the cells' folder is in. Only
// compiled cells can use them.
type Modules interface {
	// Import returns a package that was resolved. Its path is the one that cells
	// are to be compiled with: where the package has changed since cells were
	// compiled with it, that is not the path by which it is imported.
	types.Importer

	// Resolve finds the packages with these import paths for cells that work in
	// the folder. It downloads and compiles what they need, says so to progress
	// line by line, and has the session's compiler know them. Packages that were
	// found before are looked at again where they may have changed.
	//
	// It returns why paths cannot be imported. The error is that of the end of
	// ctx.
	Resolve(ctx context.Context, folder string, paths []string, progress func(line string)) (failed map[string]error, err error)

	// List returns the modules that the session uses, and those that its
	// packages would be taken from.
	List(ctx context.Context, folder string) ([]Module, error)

	// Require has the session take a module in a version from now on, and
	// returns that version. The version is one, or what the go command makes
	// one of, as latest and v1; empty stands for latest, and none for that the
	// session does not care.
	Require(ctx context.Context, folder, module, version string, progress func(line string)) (string, error)

	// Doc returns the documentation of what a package that was found exports,
	// as a Library has it.
	Doc(path, name string) string

	// Paths returns the import paths of packages that are known without
	// asking the network: those of the folder's module or workspace, and of the
	// modules that the session uses.
	Paths(folder string) []string

	// Forget begins anew, for a new process.
	Forget()
}

// A Module is one that the session uses.
type Module struct {
	Path, Version string
	// From says in a few words why it is this version.
	From string
}
