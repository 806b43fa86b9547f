package carry

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/program"
)

// SaveFile creates a file with the variables at FromUnit and FromVariable, under their names in
// Variable, and with more variables that belong to no unit. The file must not exist.
func SaveFile(file string, moved []program.Moved, more ...Named) (lost []Lost, err error) {
	vars := slices.Clone(more)
	keys := map[string]program.Moved{}
	for _, v := range moved {
		from, err := variableOf(v.FromUnit, v.FromVariable)
		if err != nil {
			return nil, err
		}
		vars = append(vars, Named{v.Variable, from})
		keys[v.Variable] = v
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("saving variables: %w", err)
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(file))
		}
	}()
	if lost, err = Save(f, vars); err != nil {
		return nil, err
	}
	for i, l := range lost {
		if v, ok := keys[l.Name]; ok {
			lost[i] = l.of(v)
		}
	}
	return lost, nil
}

// LoadFile reads such a file into the variables at Unit and Variable, by the names in FromVariable,
// and into more. Variables that are not in the file are lost.
func LoadFile(file string, moved []program.Moved, more ...Named) (lost []Lost, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("loading variables: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("loading variables: %w", err)
	}
	vars := slices.Clone(more)
	keys := map[string]program.Moved{}
	for _, v := range moved {
		to, err := variableOf(v.Unit, v.Variable)
		if err != nil {
			return nil, err
		}
		vars = append(vars, Named{v.FromVariable, to})
		keys[v.FromVariable] = v
	}
	all, err := Load(f, info.Size(), vars)
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		v, ok := keys[l.Name]
		switch {
		case ok:
			lost = append(lost, l.of(v))
		case slices.ContainsFunc(more, func(n Named) bool { return n.Name == l.Name }):
			lost = append(lost, l)
		}
	}
	return lost, nil
}

// of returns the remark with the names of a variable.
func (l Lost) of(v program.Moved) Lost {
	if rest, ok := strings.CutPrefix(l.Path, l.Name); ok {
		l.Path = v.Name + rest
	}
	l.Name, l.Key = v.Name, v.Key()
	return l
}
