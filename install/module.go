package main

import (
	"context"
	"runtime/debug"

	"github.com/hierml/notebook/install/internal/modules"
)

// sourceRoot returns the folder of the sources to build, and their version if it is known. The
// sources are those of the clone around the working directory, or else of the module from which
// this program was built, as with `go run github.com/hierml/notebook/install@latest`.
func sourceRoot(ctx context.Context) (root, version string, err error) {
	root, cloneErr := moduleRoot()
	if cloneErr == nil {
		return root, "", nil
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != module || info.Main.Sum == "" {
		return "", "", cloneErr // this program was built in a clone that is elsewhere
	}
	version = info.Main.Version
	root, err = modules.Fetch(ctx, "", module+"@"+version)
	return root, version, err
}
