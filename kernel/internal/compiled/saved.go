package compiled

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/hierml/notebook/kernel/internal/carry"
	"github.com/hierml/notebook/kernel/internal/program"
)

// Save writes variables of units, and what cells have shown, to a file that another process loads.
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

// Load is Adopt in another process: the variables, and what cells have shown, come from a file that
// Save has made, where each is called by its Variable.
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

// shown is what a cell has shown as a variable. No variable of a user has such a name.
func shown(cell int, values *[]any) carry.Named {
	return carry.Named{Name: shownName(cell), Value: reflect.ValueOf(values).Elem()}
}

func shownName(cell int) string { return fmt.Sprintf("Out[%d]", cell) }

// behind tells which variables were lost, and what of the cells has shown.
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
