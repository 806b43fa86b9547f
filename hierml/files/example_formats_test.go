package files_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"testing/fstest"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
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

func ExampleSVMLight() {
	const rows = "apple 1:0.5 3:2\nplum 2:1\npear 3:1 1:NaN\n"
	var faults files.Faults
	d, err := files.SVMLight{Repair: &faults}.Read(context.Background(), strings.NewReader(rows), "fruit.svm", fruitTaxonomy())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(&faults)
	if err := (files.SVMLight{}).Write(context.Background(), os.Stdout, d); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1 × unknown label, label left out; first fruit.svm:2:1: label "plum" is not a node of the taxonomy; expected one of its names, such as "apple"
	// 1 × no known label, instance left out; first fruit.svm:2:1: no label of the instance is a node of the taxonomy
	// 1 × features out of order, sorted; first fruit.svm:3:10: feature 1 comes after feature 3; expected ascending indices
	// 1 × value not finite, taken as zero; first fruit.svm:3:12: "NaN" is not a value; expected a finite decimal number within the range of a float32
	// apple 1:0.5 3:2
	// pear 3:1
}

// A file is read one instance after the other, as often as the loop is run.
func ExampleSVMLight_Instances() {
	file := strings.NewReader("apple 1:0.5 3:2\npear 2:1\n")
	instances := files.SVMLight{}.Instances(context.Background(), file, "fruit.svm", fruitTaxonomy())
	for epoch := range 2 {
		for instance, err := range instances {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(epoch, instance.Labels, instance.Columns, instance.Values)
		}
	}
	// Output:
	// 0 [1] [0 2] [0.5 2]
	// 0 [2] [1] [1]
	// 1 [1] [0 2] [0.5 2]
	// 1 [2] [1] [1]
}

func ExampleLSHTC() {
	t, err := taxonomy.New([]string{"2", "31", "32"}, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		log.Fatal(err)
	}
	d, err := files.LSHTC{}.Read(context.Background(), strings.NewReader("Data\n31, 32 18:2 8:1\n32 9:1\n"), "train.csv", t)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Labels, d.X.Cols)
	if err := (files.LSHTC{}).Write(context.Background(), os.Stdout, d); err != nil {
		log.Fatal(err)
	}
	// Output:
	// [[1 2] [2]] 19
	// 31,32 8:1 18:2
	// 32 9:1
}

func ExampleRCV1() {
	ctx := context.Background()
	t, err := taxonomy.New([]string{"CCAT", "C15", "C151"}, [][2]int{{0, 1}, {1, 2}})
	if err != nil {
		log.Fatal(err)
	}
	var s files.RCV1
	if s.Topics, err = s.ReadTopics(ctx, strings.NewReader("C15 2286 1\nC151 2286 1\nCCAT 2286 1\n"), "rcv1-v2.topics.qrels", t); err != nil {
		log.Fatal(err)
	}
	d, err := s.Read(ctx, strings.NewReader("2286  864:0.05 1523:0.04\n"), "lyrl2004_vectors_train.dat", t)
	if err != nil {
		log.Fatal(err)
	}
	columns, values := d.X.Row(0)
	fmt.Println(t.Name(d.Labels[0][0]), columns, values)
	// Output: C151 [863 1522] [0.05 0.04]
}

func ExampleFolders() {
	tree := fstest.MapFS{
		"20news-bydate-train/comp.graphics/37261": {Data: []byte("From: a\n\nIn article <1> b writes:\n> Which format?\nUse PNG.\n")},
		"20news-bydate-test/rec.autos/101551":     {Data: []byte("From: c\n\nMy car is blue.\n\n--\nC.\n")},
	}
	news := files.Folders{Separator: ".", Latin1: true, Remove: files.PlainNewsgroup()}
	c, err := news.ReadFS(context.Background(), tree, "20news", nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range c.Documents {
		fmt.Printf("%s %s %q\n", d.Part, c.Taxonomy.Name(d.Labels[0]), d.Text)
	}
	fmt.Print(c.Taxonomy)
	// Output:
	// test rec.autos "My car is blue.\n"
	// train comp.graphics "Use PNG.\n"
	// forest of 2 trees: 4 nodes, 2 leaves, depth 1
	// rec
	// └── rec.autos
	// comp
	// └── comp.graphics
}

func ExampleJSONLines() {
	const texts = `{"id": "1", "labels": ["apple"], "text": "Red and round.", "split": "train"}` + "\n"
	c, err := files.JSONLines{}.Read(context.Background(), strings.NewReader(texts), "fruit.jsonl", fruitTaxonomy())
	if err != nil {
		log.Fatal(err)
	}
	c.Documents[0].Part = "test"
	if err := (files.JSONLines{}).Write(context.Background(), os.Stdout, c); err != nil {
		log.Fatal(err)
	}
	// Output: {"id":"1","labels":["apple"],"text":"Red and round.","split":"test"}
}

func ExampleARFF() {
	const yeast = `@relation yeast
@attribute expression numeric
@attribute phase {G1, S, 'G2/M'}
@attribute class hierarchical 01/01,01/02,02
@data
0.5, 'G2/M', 01/02@02
?, G1, 01
`
	d, err := files.ARFF{Missing: "mean"}.Read(context.Background(), strings.NewReader(yeast), "yeast.arff", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Vocabulary, d.Taxonomy.Names())
	if err := (files.SVMLight{}).Write(context.Background(), os.Stdout, d); err != nil {
		log.Fatal(err)
	}
	// Output:
	// [expression phase=G1 phase=S phase=G2/M] [01 01/01 01/02 02]
	// 01/02,02 1:0.5 4:1
	// 01 1:0.5 2:1
}

func ExampleCSV() {
	const shop = "id,title,top,middle\n7,Red apples,food,fruit\n8,Hammer,tools,\n"
	s := files.CSV{Text: []string{"title"}, Levels: []string{"top", "middle"}}
	c, err := s.Read(context.Background(), strings.NewReader(shop), "shop.csv", nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range c.Documents {
		fmt.Println(d.ID, c.Taxonomy.Name(d.Labels[0]), d.Text)
	}
	// Output:
	// 7 food/fruit Red apples
	// 8 tools Hammer
}

func ExampleTable() {
	ctx := context.Background()
	const train = "weight,color,label\n150,red,apple\n170,green,pear\n"
	fruit, err := files.Table{Nominal: []string{"color"}}.Read(ctx, strings.NewReader(train), "train.csv", fruitTaxonomy())
	if err != nil {
		log.Fatal(err)
	}
	columns, err := features.Columns{Number: features.Number{Scale: features.Unscaled}}.Fit(ctx, fruit)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(columns.Vocabulary())
	fresh, err := files.Table{Like: columns.Fields()}.Read(ctx, strings.NewReader("color,weight\ngreen,160\n"), "new.csv", nil)
	if err != nil {
		log.Fatal(err)
	}
	x, err := columns.Matrix(ctx, fresh) // with the columns of the training rows
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x.Row(0))
	// Output:
	// [weight color=green color=red]
	// [0 1] [160 1]
}

func ExampleCSV_WriteDataset() {
	ctx, t := context.Background(), fruitTaxonomy()
	d, err := dataset.FromDense("words", t, mat.NewDense(1, 2, []float64{0.5, 2}), [][]int{t.Leaves()[:1]})
	if err != nil {
		log.Fatal(err)
	}
	d.Vocabulary = []string{"ripe", "split"}
	var b strings.Builder
	if err := (files.CSV{}).WriteDataset(ctx, &b, d); err != nil {
		log.Fatal(err)
	}
	fmt.Print(b.String())
	read, err := files.Table{Numbers: d.Vocabulary}.Read(ctx, strings.NewReader(b.String()), "words.csv", t)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(read.Columns[2].Name, read.Columns[2].Numbers)
	// Output:
	// labels,ripe,split
	// apple,0.5,2
	// split [2]
}

func ExampleWIPO() {
	const patent = `<record pn="WO9912345"><ipcs mc="A01B00102"/>
<tis><ti xml:lang="EN">A spade</ti></tis><abs><ab xml:lang="EN">It digs.</ab></abs></record>`
	c, err := files.WIPO{}.Read(context.Background(), strings.NewReader(patent), "9912345.xml", nil)
	if err != nil {
		log.Fatal(err)
	}
	d := c.Documents[0]
	fmt.Printf("%s %s %q\n", d.ID, c.Taxonomy.Name(d.Labels[0]), d.Text)
	fmt.Println(strings.Join(c.Taxonomy.Names(), " > "))
	// Output:
	// WO9912345 A01B 1/00 "A spade\nIt digs."
	// A > A01 > A01B > A01B 1/00
}

func ExampleWithProgress() {
	file := strings.NewReader("apple 1:0.5 3:2\npear 2:1\n")
	watched := files.WithProgress(file, func(done float64, state string) error {
		fmt.Printf("%.0f %%\n", 100*done) // in a notebook: nb.Bar("reading")
		return nil
	})
	d, err := files.SVMLight{}.Read(context.Background(), watched, "fruit.svm", fruitTaxonomy())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Len(), "instances")
	// Output:
	// 100 %
	// 2 instances
}

func ExampleVectors() {
	ctx := context.Background()
	train, err := files.Vectors{Labels: "testdata/vectors/y.npy"}.Open(ctx, "testdata/vectors/f4.npy", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(train.X.Rows, train.X.Cols, train.Taxonomy.Names(), train.Labels)
	fresh, err := files.Vectors{}.Open(ctx, "testdata/vectors/csr.npz", train.Taxonomy) // without labels
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(fresh.X.Rows, fresh.X.Cols, fresh.Labels)
	// Output:
	// 4 3 [7 -1 10] [[0] [1] [0] [2]]
	// 4 3 [[] [] [] []]
}
