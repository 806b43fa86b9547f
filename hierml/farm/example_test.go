package farm_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/hierml/notebook/hierml/farm"
)

// Three parts add to what a directory has, and a fourth that comes after them reads it. On a
// cluster it would be farm.Slurm, with options such as --mem=4G.
func Example() {
	directory, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	var f farm.Farm = farm.Local{Processes: 2}
	ctx := context.Background()
	parts, err := f.Submit(ctx, farm.Job{
		Name: "parts", Directory: directory, Log: directory, Parts: 3,
		Command: []string{"/bin/sh", "-c", "echo part $HIERML_PART of $HIERML_PARTS > $HIERML_PART.part"},
	})
	if err != nil {
		log.Fatal(err)
	}
	all, err := f.Submit(ctx, farm.Job{
		Name: "all", Directory: directory, Log: directory, Parts: 1, After: parts,
		Command: []string{"/bin/sh", "-c", "cat *.part"},
	})
	if err != nil {
		log.Fatal(err)
	}
	for over := false; !over; {
		state, err := f.State(ctx, all)
		if err != nil {
			log.Fatal(err)
		}
		over = state.Over
	}
	text, err := os.ReadFile(filepath.Join(directory, "all_0.txt"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(text))
	// Output:
	// part 0 of 3
	// part 1 of 3
	// part 2 of 3
}
