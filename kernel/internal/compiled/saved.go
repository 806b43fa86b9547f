package compiled

import (
	"fmt"
	"os"
	"reflect"

	"github.com/hierml/notebook/kernel/internal/carry"
	"github.com/hierml/notebook/kernel/internal/program"
)

// save writes variables, and what cells have shown, to a file for another
// process, and tells what it cannot write and what the environment is.
func (r *Runner) save(c *program.Compiled) (*program.Bundle, error) {
	r.loading.Lock()
	defer r.loading.Unlock()
	var kept []carry.Named
	r.mu.Lock()
	for _, number := range c.Shown {
		values := r.kept[number]
		if values == nil && r.config.Kept != nil {
			values = r.config.Kept(number)
		}
		kept = append(kept, shown(number, &values))
	}
	r.mu.Unlock()
	lost, err := carry.SaveFile(c.Save, c.Moved, kept...)
	if err != nil {
		return nil, err
	}
	bundle := lostBundle(lost, c.Shown)
	var environment []any
	for _, entry := range os.Environ() {
		environment = append(environment, entry)
	}
	bundle.Data[program.Environment] = environment
	return bundle, nil
}

// restore reads what save has written.
func (r *Runner) restore(c *program.Compiled) (*program.Bundle, error) {
	var kept []carry.Named
	all := map[int]*[]any{}
	for _, number := range c.Shown {
		all[number] = new([]any)
		kept = append(kept, shown(number, all[number]))
	}
	lost, err := carry.LoadFile(c.Load, c.Moved, kept...)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for number, values := range all {
		r.kept[number] = *values
	}
	return lostBundle(lost, c.Shown), nil
}

// shown is what a cell has shown as a variable. No variable of a user has such a
// name.
func shown(cell int, values *[]any) carry.Named {
	return carry.Named{Name: shownName(cell), Value: reflect.ValueOf(values).Elem()}
}

func shownName(cell int) string { return fmt.Sprintf("Out[%d]", cell) }

// lostBundle tells which variables were lost, and what of the cells has shown.
func lostBundle(lost []carry.Lost, cells []int) *program.Bundle {
	keys := map[string]string{}
	for _, number := range cells {
		keys[shownName(number)] = program.ShownKey(number)
	}
	for i, l := range lost {
		if l.Key == "" {
			lost[i].Key = keys[l.Name]
		}
	}
	if bundle := carry.Bundle(lost); bundle != nil {
		return bundle
	}
	return &program.Bundle{Data: map[string]any{}}
}
