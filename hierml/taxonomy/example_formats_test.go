package taxonomy_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/hierml/notebook/hierml/taxonomy"
)

func ExampleEdges() {
	const file = "animal cat\nanimal dog\ncat animal\nanimal cat\n"
	_, err := taxonomy.Edges{Separator: " "}.Read(context.Background(), strings.NewReader(file), "zoo.txt")
	fmt.Println(err)

	var faults taxonomy.Faults
	t, err := taxonomy.Edges{Separator: " ", Repair: &faults}.Read(context.Background(), strings.NewReader(file), "zoo.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(&faults)
	fmt.Print(t)
	// Output:
	// zoo.txt:4:1: the edge from "animal" to "cat" is already in line 1; give it once
	// 1 × duplicate edge, left out; first zoo.txt:4:1: the edge from "animal" to "cat" is already in line 1; give it once
	// 1 × cycle, edge left out; first zoo.txt:3:1: the edge from "cat" to "animal" closes a cycle
	// tree: 3 nodes, 2 leaves, depth 1
	// animal
	// ├── cat
	// └── dog
}

func ExamplePaths() {
	t, err := taxonomy.Paths{}.Read(context.Background(), strings.NewReader("animal/cat\nanimal/dog\n"), "zoo.paths")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(t)
	// Output:
	// tree: 3 nodes, 2 leaves, depth 1
	// animal
	// ├── animal/cat
	// └── animal/dog
}

func ExampleNewick() {
	t, err := taxonomy.Newick{}.Read(context.Background(), strings.NewReader("((cat:1.5,'big cat')feline,dog)animal;"), "zoo.nwk")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(t)
	// Output:
	// tree: 5 nodes, 3 leaves, depth 2
	// animal
	// ├── feline
	// │   ├── cat
	// │   └── big cat
	// └── dog
}

func ExampleOBO() {
	const file = `[Term]
id: GO:0005575
name: cellular_component

[Term]
id: GO:0005634
name: nucleus
is_a: GO:0005575 ! cellular_component

[Term]
id: GO:0005730
name: nucleolus
relationship: part_of GO:0005634 ! nucleus
`
	t, err := taxonomy.OBO{Names: true, Relations: []string{"part_of"}}.Read(context.Background(), strings.NewReader(file), "small.obo")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(t)
	// Output:
	// tree: 3 nodes, 1 leaf, depth 2
	// cellular_component
	// └── nucleus
	//     └── nucleolus
}

func ExampleJSON() {
	t, err := taxonomy.JSON{}.Read(context.Background(), strings.NewReader(`{"name": "animal", "children": [{"name": "cat"}, {"name": "dog"}]}`), "zoo.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := (taxonomy.DOT{}).Write(os.Stdout, t); err != nil {
		fmt.Println(err)
	}
	// Output:
	// digraph {
	// "animal";
	// "cat";
	// "dog";
	// "animal" -> "cat";
	// "animal" -> "dog";
	// }
}

func ExampleDOT() {
	t, err := taxonomy.DOT{}.Read(context.Background(), strings.NewReader("digraph { animal -> {cat dog} -> pet }"), "zoo.dot")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(t)
	// Output:
	// directed acyclic graph: 4 nodes, 1 leaf, depth 2
	// animal
	// ├── cat
	// │   └── pet
	// └── dog
	//     └── pet
}
