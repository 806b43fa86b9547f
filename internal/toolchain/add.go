package toolchain

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Add registers packages that are not part of the program: archives by import path, compiled as
// [Kit.Packages] describes. An archive must stay where it is, and that of a path must not change,
// because a worker loads a package once.
func (b *Builder) Add(packages map[string]string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		if b.kit.info.Archives[path] != "" || strings.HasPrefix(path, Prefix) {
			return fmt.Errorf("%s cannot be the path of a package that is added", path)
		}
		if file, ok := b.others[path]; ok && file != packages[path] {
			return fmt.Errorf("package %s is there already, in another form", path)
		}
	}
	maps.Copy(b.others, packages)
	return nil
}

// Forget makes packages unknown that were added: the worker is gone that has loaded them.
func (b *Builder) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.others)
}

// archive returns the archive of a package that is not a unit, and whether there is one.
func (b *Builder) archive(path string) (file string, ok bool) {
	if file, ok := b.others[path]; ok {
		return file, true
	}
	_, ok = b.kit.info.Archives[path]
	return b.kit.archive(path), ok
}

// Packages describes the packages of the program, and how to compile packages that fit it.
type Packages struct {
	// Root is the folder of the module that the program was built from, and Module its path.
	Root, Module string
	// Archives are the files of the program's packages, by import path.
	Archives map[string]string
	// Go is the go command, Flags are its flags for go list -export, and Env are additions to its
	// environment.
	Go         string
	Flags, Env []string
}

// Packages returns the description that imported packages must fit.
func (k *Kit) Packages() Packages {
	p := Packages{
		Root: k.info.Root, Module: module, Archives: map[string]string{},
		Go: filepath.Join(k.info.GOROOT, "bin", "go"), Flags: k.info.Flags, Env: k.info.Settings,
	}
	for path := range k.info.Archives {
		p.Archives[path] = k.archive(path)
	}
	return p
}
