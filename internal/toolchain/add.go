package toolchain

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Add makes packages known that are no part of the program: archives by import path, which were
// compiled as [Kit.Packages] says. An archive stays where it is, and that of a path cannot change,
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

// archive returns the archive of a package that is no unit, and whether there is one.
func (b *Builder) archive(path string) (file string, ok bool) {
	if file, ok := b.others[path]; ok {
		return file, true
	}
	_, ok = b.kit.info.Archives[path]
	return b.kit.archive(path), ok
}

// Packages says what the program consists of and how packages are compiled that fit it.
type Packages struct {
	// Root is the folder of the module that the program was built from, and Module its path.
	Root, Module string
	// Archives are the files of the program's packages, by import path.
	Archives map[string]string
	// Go is the go command, Flags are those of go list -export, and Env is what it has to find in
	// its environment.
	Go         string
	Flags, Env []string
}

// Packages returns what packages have to fit that cells import.
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
