package features_test

import (
	"fmt"
	"log"

	"github.com/hierml/notebook/hierml/features"
)

func ExampleChiSquare() {
	train := corpusOf("A red apple is sweet.", "The bread is hard.", "This apple, a green one, is sour!", "Sour rye bread and a hard crust.")
	words, err := features.Text{Weight: features.Binary}.Fit(train)
	if err != nil {
		log.Fatal(err)
	}
	best, err := features.ChiSquare{Features: 3}.Fit(words.Transform(train))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(best)
	few, err := words.Keep(best.Columns) // makes vectors of the chosen words alone
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(few.Vocabulary())
	// Output:
	// 3 of 15 features by chi-square max; best: apple 4 (food/apple), bread 4 (food/bread), hard 4 (food/bread)
	// [apple bread hard]
}
