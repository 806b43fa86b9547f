package perceptron_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/hierml/taxonomy"
)

const animals = `animal/cat 1:1 2:1
animal/dog 1:1 3:1
car 4:1
animal/cat 2:1
animal/dog 3:2
car 1:1 4:2
`

// small returns a taxonomy of three leaves and six instances.
func small() (*taxonomy.Taxonomy, *dataset.Dataset) {
	t, err := taxonomy.FromPaths([]string{"animal/cat", "animal/dog", "car"}, "/")
	if err != nil {
		panic(err)
	}
	d, err := files.ReadSVMLight(strings.NewReader(animals), "animals", t)
	if err != nil {
		panic(err)
	}
	return t, d
}

func ExampleHierarchical() {
	t, d := small()
	model, err := perceptron.Hierarchical{Averaged: true}.Fit(context.Background(), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range model.Predict(d.X)[:3] {
		fmt.Println(t.Name(n))
	}
	fmt.Println(model.Name, model.Training.Status)
	// Output:
	// animal/cat
	// animal/dog
	// car
	// averaged hierarchical perceptron converged
}

// ExampleFlat watches every update.
func ExampleFlat() {
	t, d := small()
	p := perceptron.Flat{Settings: perceptron.Settings{
		Observe: func(u perceptron.Update) {
			fmt.Printf("step %d: towards %s, away from %s\n", u.Step, t.Name(u.Label), t.Name(u.Other))
		},
	}}
	if _, err := p.Fit(context.Background(), d); err != nil {
		fmt.Println(err)
	}
	// Output:
	// step 1: towards animal/cat, away from animal/dog
	// step 2: towards animal/dog, away from animal/cat
	// step 3: towards car, away from animal/cat
}

// ExampleHieron compares the Hieron with and without the hierarchy.
func ExampleHieron() {
	_, d := small()
	for _, h := range []perceptron.Hieron{{Averaged: true}, {Averaged: true, Flat: true}} {
		model, err := h.Fit(context.Background(), d)
		if err != nil {
			fmt.Println(err)
			return
		}
		right := 0
		for i, n := range model.Predict(d.X) {
			if n == d.Labels[i][0] {
				right++
			}
		}
		fmt.Printf("%s: %d of %d\n", model.Name, right, d.Len())
	}
	// Output:
	// averaged Hieron: 6 of 6
	// averaged flat Hieron: 6 of 6
}

// ExampleLearner learns while instances come, and predicts in between.
func ExampleLearner() {
	t, d := small()
	l, err := perceptron.Hierarchical{Averaged: true}.Learner(t, d.X.Cols)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, labels := range d.Labels {
		columns, values := d.X.Row(i)
		mistake, err := l.Update(columns, values, labels)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(t.Name(labels[0]), mistake)
	}
	model, err := l.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Name(model.Predict(d.X)[0]))
	fmt.Println(l)
	// Output:
	// animal/cat true
	// animal/dog true
	// car true
	// animal/cat false
	// animal/dog false
	// car false
	// animal/cat
	// averaged hierarchical perceptron, learning
	//   leaves        3
	//   features      4
	//   instances     6
	//   mistakes      3
	//   updates       3
}

// ExampleLearner_Learn reads a file twice, one instance at a time.
func ExampleLearner_Learn() {
	t, _ := small()
	l, err := perceptron.Flat{Averaged: true}.Learner(t, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	file := strings.NewReader(animals) // or an *os.File, of any size
	if err := l.Learn(ctx, files.SVMLight{}.Instances(ctx, file, "animals", t), 2); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.Steps(), "instances,", l.Mistakes(), "mistakes")
	// Output:
	// 12 instances, 3 mistakes
}

// ExampleHierarchical_Bound holds the updates against the largest number that there can be.
func ExampleHierarchical_Bound() {
	_, d := small()
	updates := 0
	p := perceptron.Hierarchical{Settings: perceptron.Settings{Observe: func(perceptron.Update) { updates++ }}}
	model, err := p.Fit(context.Background(), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	gamma, err := perceptron.Margin(model, d) // a lower bound of the largest margin
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := p.Bound(d, gamma)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d updates, bound %.0f\n", updates, bound)
	// Output:
	// 3 updates, bound 968
}
