package main

import (
	"context"
	"fmt"
	"go/types"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/module"
	"github.com/hierml/notebook/stdlib"
)

// A moduleImporter imports packages of other modules as well as those of this program, for a
// notebook in a folder of which nothing is run.
type moduleImporter struct {
	ctx     context.Context
	folder  string
	modules *module.Compiler // nil until it is needed
	cannot  error            // why there is none
}

// Import implements types.Importer.
func (m *moduleImporter) Import(path string) (*types.Package, error) {
	pkg, err := stdlib.Importer.Import(path)
	if err == nil || stdlib.Unavailable(path) != nil {
		return pkg, err
	}
	if m.modules == nil && m.cannot == nil {
		m.open()
	}
	if m.cannot != nil {
		return nil, fmt.Errorf("%w; only compiled cells import packages of other modules, and cells cannot be compiled: %w", err, m.cannot)
	}
	failed, err := m.modules.Resolve(m.ctx, m.folder, []string{path}, func(string) {})
	if err != nil {
		return nil, err
	}
	if failed[path] != nil {
		return nil, failed[path]
	}
	return m.modules.Import(path)
}

func (m *moduleImporter) open() {
	kit, err := toolchain.Open(m.ctx, toolchain.Settings{})
	if err == nil {
		m.modules, err = module.NewCompiler(kit)
	}
	m.cannot = err
}

// close removes what was kept.
func (m *moduleImporter) close() error {
	if m.modules == nil {
		return nil
	}
	return m.modules.Close()
}
