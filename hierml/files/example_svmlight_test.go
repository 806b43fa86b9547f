package files_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func ExampleReadSVMLight() {
	t, err := taxonomy.Read(strings.NewReader("fruit\tapple\nfruit\tpear\n"), "fruit.hier.tsv")
	if err != nil {
		log.Fatal(err)
	}
	d, err := files.ReadSVMLight(strings.NewReader("apple 1:0.5 3:2\npear 2:1\n"), "fruit.svm", t)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.X)
	_, err = files.ReadSVMLight(strings.NewReader("apple 1:0.5\npear 2:one\n"), "fruit.svm", t)
	fmt.Println(err)
	// Output:
	// sparse matrix, 2 x 3, 3 entries (1.5 a row)
	// fruit.svm:2:8: "one" is not a value; expected a finite decimal number within the range of a float32
}
