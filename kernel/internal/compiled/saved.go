package compiled

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/hierml/notebook/kernel/internal/carry"
	"github.com/hierml/notebook/kernel/internal/program"
)

// Save writes variables of units, and values of cells, to a file for another process.
func (r *Runner) Save(file string, moved []program.Moved, cells []int) (program.LeftBehind, error) {
	r.loading.Lock()
	defer r.loading.Unlock()
	var kept []carry.Named
	r.mu.Lock()
	for _, number := range cells {
		values := r.kept[number]
		kept = append(kept, shown(number, &values))
	}
	r.mu.Unlock()
	lost, err := carry.SaveFile(file, moved, kept...)
	return behind(lost, cells), err
}

// Load is Adopt in another process: the variables, and the values of cells, come from a file of
// Save, where their names are those of Variable.
func (r *Runner) Load(file string, a *program.Adoption) (program.LeftBehind, error) {
	r.note(a.Cell, a.Title)
	r.loading.Lock()
	defer r.loading.Unlock()
	if err := r.register(&a.Units); err != nil {
		return program.LeftBehind{}, err
	}
	moved := slices.Clone(a.Moved)
	for i := range moved {
		m := &moved[i]
		m.FromUnit, m.FromVariable = "", m.Variable
	}
	var kept []carry.Named
	all := map[int]*[]any{}
	for _, number := range a.Shown {
		all[number] = new([]any)
		kept = append(kept, shown(number, all[number]))
	}
	lost, err := carry.LoadFile(file, moved, kept...)
	if err != nil {
		return program.LeftBehind{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for number, values := range all {
		r.kept[number] = *values
	}
	return behind(lost, a.Shown), nil
}

// shown is the value of a cell as a variable, with a name that no user variable has.
func shown(cell int, values *[]any) carry.Named {
	return carry.Named{Name: shownName(cell), Value: reflect.ValueOf(values).Elem()}
}

func shownName(cell int) string { return fmt.Sprintf("Out[%d]", cell) }

// behind lists the lost variables and values of cells.
func behind(lost []carry.Lost, cells []int) program.LeftBehind {
	keys := map[string]string{}
	for _, number := range cells {
		keys[shownName(number)] = program.ShownKey(number)
	}
	for i, l := range lost {
		if l.Key == "" {
			lost[i].Key = keys[l.Name]
		}
	}
	return carry.Behind(lost)
}
