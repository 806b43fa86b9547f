package damaged

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// format is a reader, a sound file of it, and damages that only its files can have.
type format struct {
	name    string
	file    string // how the file is called in errors
	sound   string
	archive bool // the sound text is packed by the reader's own steps
	steps   string
	cases   []damagedFile
	read    func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error
}

// damagedFile is made of a text by steps.
type damagedFile struct {
	name, steps, text string
}

// fruit is the taxonomy of the labels in all files of instances.
func fruit() *taxonomy.Taxonomy {
	t, err := taxonomy.Read(strings.NewReader("food\tfruit\nfruit\tapple\nfruit\tpear\nfood\tbread\n1\t2\n1\t3\n"), "fruit")
	if err != nil {
		panic(err)
	}
	return t
}

const arffHead = "@relation food\n@attribute red numeric\n@attribute size {small,large}\n@attribute class hierarchical food/fruit,food/bread,stone\n"

const many = "\"9\"\n" // to be repeated

// instances are the formats of instances and texts.
var instances = []*format{
	{
		name: "svmlight", file: "rows.svm",
		sound: "apple 1:1 3:0.5\npear,bread 2:1e-3 4:7 # two labels\nfruit 1:-2.5\nbread 3:4\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			_, err := files.SVMLight{Repair: repair}.Read(ctx, r, name, fruit())
			return err
		},
		cases: []damagedFile{
			{"unknown label", "", "apple 1:1\nmoss 2:1\n"},
			{"empty label", "", "apple 1:1\napple, 2:1\n"},
			{"label twice", "", "apple,apple 1:1\n"},
			{"label in Latin-1", "latin1", "äpfel 1:1\n"},
			{"NaN", "", "apple 1:NaN\n"},
			{"infinity", "", "apple 1:1\napple 2:inf\n"},
			{"beyond a float32", "", "apple 1:1e39\n"},
			{"a value with letters", "", "apple 1:1 2:0x10\n"},
			{"a value in German", "", "apple 1:1,5\n"},
			{"no value", "", "apple 1:\n"},
			{"no index", "", "apple :1\n"},
			{"no colon", "", "apple 1\n"},
			{"index zero", "", "apple 0:1\n"},
			{"negative index", "", "apple -1:1\n"},
			{"index out of order", "", "apple 3:1 2:1\n"},
			{"index twice", "", "apple 3:1 3:1\n"},
			{"index beyond 32 bits", "", "apple 4294967297:1\n"},
			{"index beyond 64 bits", "", "apple 99999999999999999999999999:1\n"},
			{"only comments", "", "# nothing\n\n# at all\n"},
			{"a long line without end", "unquote, repeat 80000000", many},
			{"a bomb of zeros", "unquote, repeat 80000000, gzip", "\"\\x00\"\n"},
		},
	},
	{
		name: "svmlight-header", file: "rows.txt",
		sound: "3 5 7\nfruit 0:1 4:2\npear 1:1\nbread 2:3\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			_, err := files.SVMLight{Header: true, ZeroBased: true, Repair: repair}.Read(ctx, r, name, fruit())
			return err
		},
		cases: []damagedFile{
			{"too many instances promised", "", "4 5 7\nfruit 0:1\n"},
			{"a trillion instances promised", "", "1000000000000 5 7\nfruit 0:1\n"},
			{"too few instances promised", "", "1 5 7\nfruit 0:1\npear 1:1\n"},
			{"an index beyond the columns", "", "1 5 7\nfruit 5:1\n"},
			{"two numbers", "", "1 5\nfruit 0:1\n"},
			{"a number with letters", "", "1 five 7\nfruit 0:1\n"},
			{"a negative number", "", "-1 5 7\nfruit 0:1\n"},
			{"no header", "", "fruit 0:1\n"},
		},
	},
	{
		name: "lshtc", file: "train.txt",
		sound: "2,3 1:1 0:2\n2 5:1\n3 7:2 6:1\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			_, err := files.LSHTC{Repair: repair}.Read(ctx, r, name, fruit())
			return err
		},
		cases: []damagedFile{
			{"unknown category", "", "2 1:1\n9 1:1\n"},
			{"empty category", "", "2,,3 1:1\n"},
			{"a feature twice", "", "2 1:1 0:1 1:1\n"},
			{"a value that is none", "", "2 1:x\n"},
			{"NaN", "", "2 1:nan\n"},
			{"a huge feature", "", "2 99999999999:1\n"},
		},
	},
	{
		name: "arff", file: "rows.arff",
		sound: "@relation food\n@attribute red numeric\n@attribute size {small,large}\n@attribute class hierarchical food/fruit,food/bread,stone\n@data\n0.5,small,food/fruit@stone\n1,large,food/bread\n{0 2, 2 stone}\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			_, err := files.ARFF{Repair: repair}.Read(ctx, r, name, nil)
			return err
		},
		cases: []damagedFile{
			{"no data", "", arffHead},
			{"missing values", "", arffHead + "@data\n0.5,?,food/bread\n?,?,food/fruit\n"},
			{"a weight below zero", "", arffHead + "@data\n0.5,small,food/fruit,{-5}\n"},
			{"labels of MEKA that are not there", "", "@relation 'food: -C 9'\n@attribute red numeric\n@data\n1\n"},
			{"an unknown class", "", arffHead + "@data\n0.5,small,moss\n"},
			{"an unknown value", "", arffHead + "@data\n0.5,medium,food/fruit\n"},
			{"a value that is no number", "", arffHead + "@data\nhalf,small,food/fruit\n"},
			{"NaN", "", arffHead + "@data\nNaN,small,food/fruit\n"},
			{"a field too few", "", arffHead + "@data\n0.5,food/fruit\n"},
			{"a field too many", "", arffHead + "@data\n0.5,small,1,food/fruit\n"},
			{"a quote open", "", arffHead + "@data\n0.5,'small,food/fruit\n"},
			{"a brace open", "", arffHead + "@data\n{0 0.5, 2 food/fruit\n"},
			{"an attribute beyond the last", "", arffHead + "@data\n{0 0.5, 9 1, 2 food/fruit}\n"},
			{"an attribute of a billion", "", arffHead + "@data\n{2000000000 0.5, 2 food/fruit}\n"},
			{"an attribute twice", "", arffHead + "@data\n{0 0.5, 0 1, 2 food/fruit}\n"},
			{"attributes out of order", "", arffHead + "@data\n{2 food/fruit, 0 0.5}\n"},
			{"no classes", "", "@relation food\n@attribute red numeric\n@data\n1\n"},
			{"classes twice", "", "@relation food\n@attribute class hierarchical a,b\n@attribute class hierarchical a,b\n@data\na,b\n"},
			{"classes in a cycle", "", "@relation food\n@attribute red numeric\n@attribute class hierarchical root/a,a/b,b/a\n@data\n1,a\n"},
			{"an empty part of a class", "", "@relation food\n@attribute red numeric\n@attribute class hierarchical a//b,c\n@data\n1,c\n"},
			{"an unknown type", "", "@relation food\n@attribute red colour\n@attribute class hierarchical a,b\n@data\n1,a\n"},
			{"nominal values open", "", "@relation food\n@attribute red {small,large\n@attribute class hierarchical a,b\n@data\n1,a\n"},
			{"an unknown declaration", "", "@relation food\n@attrib red numeric\n@attribute class hierarchical a,b\n@data\n1,a\n"},
		},
	},
	{
		name: "rcv1-vectors", file: "vectors.dat",
		sound: "2286  1:0.1 3:0.25\n2287  2:1.5\n2288  1:0.5\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			t := fruit()
			apple, _ := t.Node("apple")
			pear, _ := t.Node("pear")
			topics := map[int][]int{2286: {apple}, 2287: {pear}, 2288: {apple}}
			_, err := files.RCV1{Topics: topics, Columns: 47236, Repair: repair}.Read(ctx, r, name, t)
			return err
		},
		cases: []damagedFile{
			{"a document without topics", "", "2286 1:1\n99 1:1\n"},
			{"a document that is no number", "", "x 1:1\n"},
			{"a term beyond the columns", "", "2286 47237:1\n"},
			{"terms out of order", "", "2286 3:1 2:1\n"},
			{"NaN", "", "2286 3:NaN\n"},
		},
	},
	{
		name: "rcv1-topics", file: "topics.qrels",
		sound: "apple 2286 1\npear 2286 1\nbread 2287 1\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			_, err := files.RCV1{Repair: repair}.ReadTopics(ctx, r, name, fruit())
			return err
		},
		cases: []damagedFile{
			{"an unknown topic", "", "apple 2286 1\nmoss 2286 1\n"},
			{"two fields", "", "apple 2286\n"},
			{"a document that is no number", "", "apple 22x86 1\n"},
			{"a huge document", "", "apple 99999999999999999999 1\n"},
		},
	},
	{
		name: "rcv1-terms", file: "terms.map",
		sound: "appl 1 3.5\npear 2 1.25\nbread 3 2.5\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			_, err := files.RCV1{Repair: repair}.ReadTerms(ctx, r, name)
			return err
		},
		cases: []damagedFile{
			{"a term twice", "", "appl 1 3.5\npear 1 1\n"},
			{"a huge term", "", "appl 2000000000 3.5\n"},
			{"a term that is no number", "", "appl one 3.5\n"},
			{"one field", "", "appl\n"},
		},
	},
	{
		name: "jsonlines", file: "texts.jsonl",
		sound: `{"id": "a", "labels": ["apple"], "text": "red and round"}` + "\n" + `{"id": "b", "labels": ["pear", "bread"], "text": "two lines\nhere", "split": "test"}` + "\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			_, err := files.JSONLines{Repair: repair}.Read(ctx, r, name, fruit())
			return err
		},
		cases: []damagedFile{
			{"unknown label", "", `{"labels": ["moss"], "text": "x"}` + "\n"},
			{"no text", "", `{"labels": ["apple"]}` + "\n"},
			{"labels that are an object", "", `{"labels": {"0": "apple"}, "text": "x"}` + "\n"},
			{"labels that are lists", "", `{"labels": [["apple"]], "text": "x"}` + "\n"},
			{"a text that is a list", "", `{"labels": ["apple"], "text": ["x"]}` + "\n"},
			{"two objects in a line", "", `{"labels": ["apple"], "text": "x"} {"labels": ["apple"], "text": "x"}` + "\n"},
			{"a list cut", "", `[{"labels": ["apple"], "text": "x"}, {"lab`},
			{"a list of lists", "", `[["apple", "x"]]` + "\n"},
			{"two lists", "", `[{"labels": ["apple"], "text": "x"}]` + "\n" + `[{"labels": ["apple"], "text": "x"}]` + "\n"},
			{"single quotes", "", `{'labels': ['apple'], 'text': 'x'}` + "\n"},
			{"a comma too many", "", `{"labels": ["apple",], "text": "x"}` + "\n"},
			{"a line break in a string", "", "{\"labels\": [\"apple\"], \"text\": \"x\ny\"}\n"},
			{"an unknown escape", "", `{"labels": ["apple"], "text": "\x41"}` + "\n"},
			{"lists without end", "unquote, repeat 100000", "\"[\"\n"},
		},
	},
	{
		name: "folders-tar", file: "texts.tar", archive: true, steps: "tar train/apple/1",
		sound: "an apple is red\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			_, err := files.Folders{Repair: repair}.Read(ctx, r, name, fruit())
			return err
		},
		cases: []damagedFile{
			{"cut within the head", "tar train/apple/1, keep 300", "an apple is red\n"},
			{"cut within the text", "tar train/apple/1, keep 515", "an apple is red\n"},
			{"a damaged head", "tar train/apple/1, flip 100 4", "an apple is red\n"},
			{"a damaged size", "tar train/apple/1, flip 130 6", "an apple is red\n"},
			{"unknown label", "tar train/moss/1", "moss is green\n"},
			{"not in a folder", "tar apple", "an apple is red\n"},
			{"a way out", "tar ../../apple/1", "an apple is red\n"},
			{"Latin-1", "latin1, tar train/apple/1", "Äpfel\n"},
			{"a packed archive cut", "tar train/apple/1, gzip, cut 20", "an apple is red\n"},
			{"a packed archive damaged", "tar train/apple/1, gzip, flip 40 3", "an apple is red\n"},
			{"no archive", "", "an apple is red\n"},
			{"a bomb", "unquote, repeat 80000000, tar train/apple/1, gzip", "\" \"\n"},
		},
	},
	{
		name: "folders-zip", file: "texts.zip", archive: true, steps: "zip train/apple/1",
		sound: "an apple is red\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			data, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			_, err = files.Folders{Repair: repair}.Read(ctx, bytes.NewReader(data), name, fruit())
			return err
		},
		cases: []damagedFile{
			{"cut", "zip train/apple/1, cut 10", "an apple is red\n"},
			{"the text damaged", "zip train/apple/1, flip 50 2", "an apple is red\n"},
			{"the directory damaged", "zip train/apple/1, flip -70 2", "an apple is red\n"},
			{"unknown label", "zip train/moss/1", "moss is green\n"},
			{"not in a folder", "zip apple", "an apple is red\n"},
			{"a way out", "zip ../../apple/1", "an apple is red\n"},
			{"a bomb", "unquote, repeat 80000000, zip train/apple/1", "\" \"\n"},
		},
	},
	{
		name: "vectors-npy", file: "vectors.npy", archive: true, steps: "npy",
		sound: "an apple is red\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			data, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			_, err = files.Vectors{Repair: repair}.Read(ctx, bytes.NewReader(data), name, fruit())
			return err
		},
		cases: []damagedFile{
			{"pickled objects", "unquote", `"\x93NUMPY\x01\x00\x3a\x00{'descr': '|O', 'fortran_order': False, 'shape': (1, 1), }\x80\x04K\x01."` + "\n"},
			{"complex numbers", "unquote", `"\x93NUMPY\x01\x00\x3b\x00{'descr': '<c8', 'fortran_order': False, 'shape': (1, 1), }12345678"` + "\n"},
			{"more rows than there are", "unquote", `"\x93NUMPY\x01\x00\x44\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2000000000, 2), }12345678"` + "\n"},
			{"more columns than there are", "unquote", `"\x93NUMPY\x01\x00\x44\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2000000000), }12345678"` + "\n"},
			{"more columns than there are, by columns", "unquote", `"\x93NUMPY\x01\x00\x43\x00{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2000000000), }12345678"` + "\n"},
			{"more than there is", "unquote", `"\x93NUMPY\x01\x00\x4d\x00{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }12345678"` + "\n"},
			{"a trillion rows of nothing", "unquote", `"\x93NUMPY\x01\x00\x47\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 0), }"` + "\n"},
			{"one dimension", "unquote", `"\x93NUMPY\x01\x00\x39\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }12345678"` + "\n"},
			{"NaN", "unquote", `"\x93NUMPY\x01\x00\x3b\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }\x00\x00\xc0\x7f\x00\x00\x80\x3f"` + "\n"},
			{"strings", "unquote", `"\x93NUMPY\x01\x00\x3b\x00{'descr': '<U2', 'fortran_order': False, 'shape': (1, 1), }a\x00\x00\x00b\x00\x00\x00"` + "\n"},
			{"something behind", "unquote", `"\x93NUMPY\x01\x00\x3b\x00{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2), }123"` + "\n"},
			{"a header without end", "unquote", `"\x93NUMPY\x02\x00\xff\xff\xff\xff{"` + "\n"},
			{"version 9", "unquote", `"\x93NUMPY\x09\x00\x01\x00{"` + "\n"},
		},
	},
	{
		name: "vectors-npz", file: "vectors.npz", archive: true, steps: "npy, zip X.npy",
		sound: "an apple is red\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			data, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			_, err = files.Vectors{Repair: repair}.Read(ctx, bytes.NewReader(data), name, fruit())
			return err
		},
		cases: []damagedFile{
			{"no arrays", "zip X.txt", "an apple is red\n"},
			{"no array of numpy", "zip X.npy", "an apple is red\n"},
			{"a bomb behind the array", "npy, repeat 5000000, zip X.npy", "an apple is red\n"},
			{"the numbers damaged", "npy, zip X.npy, flip 60 2", "an apple is red\n"},
		},
	},
	{
		name: "vectors-safetensors", file: "vectors.safetensors", archive: true, steps: "safetensors",
		sound: "an apple is red\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			data, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			_, err = files.Vectors{Repair: repair}.Read(ctx, bytes.NewReader(data), name, fruit())
			return err
		},
		cases: []damagedFile{
			{"a short file", "safetensors, cut 4", "an apple is red\n"},
			{"a header of a trillion bytes", "unquote", `"\x00\x00\x00\x00\x01\x00\x00\x00{}"` + "\n"},
		},
	},
}
