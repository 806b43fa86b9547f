package svm_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/svm"
)

// wholeGroups is an SVM that fails where it is given a part of a group and not all of it.
type wholeGroups struct {
	svm.Flat
	rows  map[string]int // of each group
	parts *int           // counts the trainings on a part of the rows
}

func (w wholeGroups) WithC(c float64) svm.Regularized {
	w.C = c
	return w
}

func (w wholeGroups) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	seen := make(map[string]int)
	for _, name := range d.Groups {
		seen[name]++
	}
	for name, n := range seen {
		if n != w.rows[name] {
			return nil, fmt.Errorf("%d of %d rows of group %s are trained on", n, w.rows[name], name)
		}
	}
	if len(seen) < len(w.rows) {
		*w.parts++
	}
	return w.Flat.Fit(ctx, d)
}

// What holds rows out to choose or to calibrate holds out whole groups.
func TestGroupsAreHeldOutWhole(t *testing.T) {
	d := innerTexts(t, 200, 1)
	d, err := d.Leafed()
	if err != nil {
		t.Fatal(err)
	}
	rows := make(map[string]int)
	for i := range d.Len() {
		name := fmt.Sprint("group ", i*i%23)
		d.Groups = append(d.Groups, name)
		rows[name]++
	}
	for name, fit := range map[string]func(e wholeGroups, d *dataset.Dataset) error{
		"ChooseC": func(e wholeGroups, d *dataset.Dataset) error {
			_, err := svm.Search{Grid: []float64{0.1, 1}}.ChooseC(t.Context(), e, d)
			return err
		},
		"Calibrate": func(e wholeGroups, d *dataset.Dataset) error {
			_, err := svm.Calibrate(t.Context(), e, d)
			return err
		},
		"NodeSets": func(e wholeGroups, d *dataset.Dataset) error {
			_, err := svm.NodeSets{Method: e}.Fit(t.Context(), d)
			return err
		},
		"NodeSets of its own method": func(e wholeGroups, d *dataset.Dataset) error {
			*e.parts++ // they are seen in TestRidgeHoldsOutWholeGroups
			_, err := svm.NodeSets{}.Fit(t.Context(), d)
			return err
		},
	} {
		e := wholeGroups{rows: rows, parts: new(int)}
		if err := fit(e, d); err != nil || *e.parts == 0 {
			t.Errorf("%s: %d trainings on a part: %v", name, *e.parts, err)
		}
		single := *d
		single.Groups = make([]string, d.Len())
		for i := range single.Groups {
			single.Groups[i] = "all"
		}
		e.rows = map[string]int{"all": d.Len()}
		if err := fit(e, &single); err == nil || !strings.Contains(err.Error(), "belong to 1 groups, which cannot be divided") {
			t.Errorf("%s holds out a part of the only group: %v", name, err)
		}
	}
}
