package dataset_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func fruitTaxonomy() *taxonomy.Taxonomy {
	t, err := taxonomy.Read(strings.NewReader("fruit\tapple\nfruit\tpear\n"), "fruit.hier.tsv")
	if err != nil {
		log.Fatal(err)
	}
	return t
}

func ExampleMap() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "fruit.map")

	t := fruitTaxonomy()
	instances := files.SVMLight{}.Instances(ctx, strings.NewReader("apple 1:0.5 3:2\npear 2:1\n"), "fruit.svm", t)
	if err := dataset.SaveMap(ctx, file, "fruit", t, nil, instances); err != nil {
		log.Fatal(err)
	}
	m, err := dataset.Map(ctx, file)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	fmt.Println(m.Name, m.X) // any estimator fits m.Dataset
	// Output: fruit sparse matrix, 2 x 3, 3 entries (1.5 a row)
}
