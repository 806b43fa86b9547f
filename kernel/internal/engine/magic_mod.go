package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hierml/notebook/kernel/internal/assist"
	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
	"github.com/hierml/notebook/stdlib/host"
)

// mod carries out %mod: it lists the modules that the session uses, or adds one in a version.
func (e *Engine) mod(ctx context.Context, src *syntax.Source, m *magics.Use, argument string, out program.Output) error {
	e.declaring.Lock() // a cell may be loading modules
	defer e.declaring.Unlock()
	failed := func(err error) error {
		if ctx.Err() != nil {
			return err
		}
		return syntax.ProblemsError("error", []syntax.Problem{{Source: src, Offset: m.Argument, Msg: err.Error()}})
	}
	modules, err := e.modules(ctx, argument != "", out)
	if err != nil {
		return failed(err)
	}
	if argument == "" {
		return e.listModules(modules, out)
	}
	path, version, _ := strings.Cut(argument, "@")
	before := ""
	for _, m := range modules.List() {
		if m.Path == path && m.Used {
			before = m.Version
		}
	}
	chosen, err := modules.Require(ctx, e.folder(), path, version, func(line string) { out.Stream(host.Notes, line+"\n") })
	if err != nil {
		return failed(err)
	}
	text := path + " " + chosen
	switch {
	case chosen == "":
		text = path + " has the version that other modules require"
	case before != "" && before != chosen:
		text += "; packages that cells have imported stay at " + before + " until they are imported again"
	}
	out.Stream("stdout", text+"\n")
	return nil
}

// modules returns the source of the session's modules. It is nil if there is none yet and needed is
// false.
func (e *Engine) modules(ctx context.Context, needed bool, out program.Output) (program.Modules, error) {
	if needed {
		compiled, err := e.choose(ctx, out)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, err
		case e.cannot != nil:
			return nil, fmt.Errorf("only compiled cells import packages of other modules, and cells cannot be compiled: %w", e.cannot)
		case !compiled:
			return nil, errors.New("only compiled cells import packages of other modules (%engine compiled)")
		}
	}
	modules, ok := e.compiler.(program.Modules)
	if needed && !ok {
		return nil, errors.New("cells can import only packages that are part of this program")
	}
	return modules, nil
}

// listModules shows the modules that the session uses.
func (e *Engine) listModules(modules program.Modules, out program.Output) error {
	var rows [][]string
	if modules != nil {
		for _, m := range modules.List() {
			rows = append(rows, []string{m.Path, m.Version, m.From})
		}
	}
	if len(rows) == 0 {
		out.Stream("stdout", "No cell has imported a package of another module.\n")
		return nil
	}
	text, page := magics.Table([]string{"module", "version", "by"}, rows, 0, 1)
	out.Display(&program.Bundle{Data: map[string]any{"text/plain": text, "text/html": page}}, "", false)
	return nil
}

// moduleNames returns the known modules whose paths begin with a text.
func (e *Engine) moduleNames(text string) []assist.Candidate {
	var out []assist.Candidate
	if modules, ok := e.compiler.(program.Modules); ok {
		for _, m := range modules.List() {
			if strings.HasPrefix(m.Path, text) {
				out = append(out, assist.Candidate{Text: m.Path, Kind: "module"})
			}
		}
	}
	return out
}
