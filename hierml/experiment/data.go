package experiment

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/hierml/notebook/hierml/collection"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/files"
)

// Data is a data set of a study. Exactly one of Open, Texts, File, Set, Collection, Corpus, Table,
// Generator and Generate is set.
type Data struct {
	// Name is the name in tables. The default value is taken from the data.
	Name string
	// Open is the name of a data set for collection.Open, and Texts one for collection.OpenTexts.
	Open, Texts string
	// File is the path of a table, CSV, TSV, JSON, Parquet or Arrow, below Study.DataFolder. Reader
	// says how it is read. In a study in JSON a Comma is a text of one character, and a Repair {}
	// asks for repairs, which a note counts.
	File   string
	Reader files.Table
	// Set has no given split. Collection has one, as has a Corpus whose documents have a Part, or a
	// Table or File with a column of the role Part with the values "train" and "test". Rows of a
	// table without a label are left out.
	Set        *dataset.Dataset
	Collection *dataset.Collection
	Corpus     *dataset.Corpus
	Table      *dataset.Table
	// Generator makes new data for every repeat: synthetic.LinearTree, synthetic.TextLike, or
	// another struct with a method Generate(context.Context) that returns a *dataset.Dataset or a
	// *dataset.Collection and an error, and a field Seed. Seed is set for each repeat unless it is
	// already set.
	Generator any
	// Generate is a function that makes new data for every repeat; see Version.
	Generate func(ctx context.Context, seed uint64) (*dataset.Dataset, error)
	// Text has the settings for turning texts into vectors. In every split, words and their
	// frequencies come from the training part alone.
	Text features.Text
	// Columns has the settings for turning the columns of a table into vectors. In every split it
	// measures the training part alone.
	Columns features.Columns
	// Vectors, if not nil, replaces Text: it learns from the training texts how to turn texts into
	// vectors. See Version.
	Vectors func(train *dataset.Corpus) (transform func(*dataset.Corpus) (*dataset.Dataset, error), err error)
	// Steps transform the vectors one after the other. Each is fitted on the training instances
	// alone: features.Scaling, features.ChiSquare, features.DocumentFrequency, features.Weighing,
	// their names as Named, or any value with a method Fit(train *dataset.Dataset) (T, error) whose
	// T has Transform(d *dataset.Dataset) (*dataset.Dataset, error).
	Steps []any
	// Prepare, if not nil, is a function that transforms the vectors after the Steps. See Version.
	Prepare func(train *dataset.Dataset) (transform func(*dataset.Dataset) (*dataset.Dataset, error), err error)
	// Leafed moves labels at inner nodes to added leaves; see dataset.Dataset.Leafed.
	Leafed bool
	// Version identifies the functions Generate, Vectors and Prepare. Change it when they change,
	// so that saved cells of the old versions are not used.
	Version string
}

func (d *Data) check() error {
	set := 0
	for _, is := range []bool{d.Open != "", d.Texts != "", d.File != "", d.Set != nil, d.Collection != nil, d.Corpus != nil, d.Table != nil, d.Generator != nil, d.Generate != nil} {
		if is {
			set++
		}
	}
	if set != 1 {
		return fmt.Errorf("experiment: data set %q has %d of Open, Texts, File, Set, Collection, Corpus, Table, Generator and Generate; set exactly one", d.Name, set)
	}
	if d.Generator != nil {
		if _, err := generatorOf(d.Generator, 0); err != nil {
			return err
		}
	}
	if (d.Vectors != nil || !reflect.ValueOf(d.Text).IsZero()) && d.Texts == "" && d.Corpus == nil {
		return fmt.Errorf("experiment: data set %q has Text or Vectors but no texts to make vectors from; set Texts or Corpus, or for the texts of a table Columns.Text", d.Name)
	}
	if !reflect.ValueOf(d.Columns).IsZero() && !d.tabular() {
		return fmt.Errorf("experiment: data set %q has Columns but no table to make vectors from; set File or Table", d.Name)
	}
	if !reflect.ValueOf(d.Reader).IsZero() && d.File == "" {
		return fmt.Errorf("experiment: data set %q has a Reader but no File to read", d.Name)
	}
	for _, s := range d.Steps {
		if _, err := stepOf(s); err != nil {
			return err
		}
	}
	return nil
}

// gridFields are the fields of Data that grids may set: what is learned of the data that are
// trained on.
var gridFields = []string{"Text", "Columns", "Steps"}

// at returns the data with settings of a grid.
func (d *Data) at(settings point) (*Data, error) {
	if len(settings) == 0 {
		return d, nil
	}
	set := *d
	for _, s := range settings {
		path := strings.TrimPrefix(s.path, dataPrefix)
		field, _, _ := strings.Cut(path, ".")
		if !slices.Contains(gridFields, field) {
			return nil, fmt.Errorf("experiment: a grid cannot set %s; in Data it can set only fields of %s", s.path, strings.Join(gridFields, ", "))
		}
		if field == "Text" && d.Vectors != nil {
			return nil, fmt.Errorf("experiment: a grid sets %s, but data set %q does not use that field, because its Vectors make the vectors", s.path, d.Name)
		}
		if err := (setter{}).path(reflect.ValueOf(&set).Elem(), path, s.value, "Data"); err != nil {
			return nil, err
		}
	}
	return &set, set.check()
}

func (d *Data) defaultName(i int) string {
	name := d.Open + d.Texts
	switch {
	case d.File != "":
		name = strings.TrimSuffix(filepath.Base(d.File), filepath.Ext(d.File))
	case d.Table != nil:
		name = d.Table.Name
	case d.Set != nil:
		name = d.Set.Name
	case d.Collection != nil:
		name = d.Collection.Name
	case d.Corpus != nil:
		name = d.Corpus.Name
	case d.Generator != nil:
		if named, ok := d.Generator.(Named); ok {
			name, _ = named.Fields["Name"].(string)
			if name == "" {
				name = strings.TrimPrefix(named.Type, "dataset.")
			}
		} else if v := reflect.Indirect(reflect.ValueOf(d.Generator)); v.Kind() == reflect.Struct {
			if f := v.FieldByName("Name"); f.IsValid() && f.Kind() == reflect.String {
				name = f.String()
			}
			if name == "" {
				name = strings.TrimPrefix(v.Type().String(), "dataset.")
			}
		}
	}
	if name == "" {
		name = fmt.Sprintf("data %d", i+1)
	}
	return name
}

// drawn tells whether every repeat has data of its own.
func (d *Data) drawn() bool { return d.Generator != nil || d.Generate != nil }

// tabular tells whether the data are a table.
func (d *Data) tabular() bool { return d.File != "" || d.Table != nil }

// instances are the data of a repeat: vectors, texts or a table, and of what is given for training
// the number. Where there is a given division the first rows are the training part.
type instances struct {
	vectors *dataset.Dataset
	texts   *dataset.Corpus
	table   *dataset.Table
	given   int // rows of the given training part, 0 where there is none
	// parts of a collection, which are joined only if another division of it is asked for.
	parts *dataset.Collection

	printing sync.Once
	prints   dataset.Prints // of the rows
	taken    []string       // of a table, the columns that become features
}

func (in *instances) len() int {
	switch {
	case in.parts != nil:
		return in.parts.Train.Len() + in.parts.Test.Len()
	case in.texts != nil:
		return in.texts.Len()
	case in.table != nil:
		return in.table.Len()
	}
	return in.vectors.Len()
}

// open opens or generates the data. Files are in the folder; the seed is for what is generated.
func (d *Data) open(ctx context.Context, folder dataFolder, seed uint64) (*instances, error) {
	var err error
	in := &instances{vectors: d.Set, texts: d.Corpus, parts: d.Collection, table: d.Table}
	switch {
	case d.Open != "":
		in.parts, err = collection.OpenContext(ctx, d.Open)
	case d.Texts != "":
		in.texts, err = collection.OpenTextsContext(ctx, d.Texts)
	case d.File != "":
		in.table, err = d.read(ctx, folder)
	case d.Generate != nil:
		in.vectors, err = d.Generate(ctx, seed)
	case d.Generator != nil:
		in, err = generate(ctx, d.Generator, seed)
	}
	if name := d.Open + d.Texts; err != nil && (strings.ContainsAny(name, `/\`) || filepath.Ext(name) != "") {
		return nil, fmt.Errorf("%w; give a table of your own as File, not as Open or Texts", err)
	}
	if err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, fmt.Errorf("experiment: data set %q: %w", d.Name, err)
	}
	switch {
	case in.texts != nil:
		in.texts, in.given = trainFirst(in.texts)
	case in.table != nil:
		in.tableTrainFirst(ctx)
	}
	if in.parts != nil {
		in.given = in.parts.Train.Len()
	}
	if d.Leafed {
		if err := in.leafed(); err != nil {
			return nil, err
		}
	}
	if in.table != nil {
		taken, err := d.Columns.Taken(in.table)
		if err != nil {
			return nil, fmt.Errorf("experiment: data set %q: %w", d.Name, err)
		}
		for _, c := range taken {
			in.taken = append(in.taken, c.Name)
		}
	}
	return in, nil
}

func (in *instances) check() error {
	whole := func(d *dataset.Dataset) bool {
		return d != nil && d.X != nil && d.Taxonomy != nil && d.X.Rows == len(d.Labels)
	}
	switch {
	case in.parts != nil && !(whole(in.parts.Train) && whole(in.parts.Test)), in.vectors != nil && !whole(in.vectors):
		return errors.New("it lacks instances, a taxonomy, or the labels of some instances")
	case in.parts != nil && in.parts.Train.Taxonomy != in.parts.Test.Taxonomy:
		return errors.New("its training and test part have different taxonomies; read both with one")
	case in.texts != nil && in.texts.Taxonomy == nil:
		return errors.New("the corpus has no taxonomy")
	case in.table != nil && (in.table.Taxonomy == nil || len(in.table.Labels) != in.table.Len()):
		return errors.New("the table has no labels; name their column with Reader.Label (in Go, with Table.WithLabels)")
	case in.parts == nil && in.vectors == nil && in.texts == nil && in.table == nil:
		return errors.New("the generator returned no data")
	}
	return nil
}

func (in *instances) leafed() (err error) {
	switch {
	case in.parts != nil:
		in.parts, err = in.parts.Leafed()
	case in.texts != nil:
		in.texts, err = in.texts.Leafed()
	case in.table != nil:
		in.table, err = in.table.Leafed()
	default:
		in.vectors, err = in.vectors.Leafed()
	}
	return err
}

// trainFirst puts the documents of the part "train" first and those of "test" after them, and drops
// others, if the corpus has both; it returns how many are of the first.
func trainFirst(c *dataset.Corpus) (*dataset.Corpus, int) {
	rows, train := rowsTrainFirst(c.Len(), func(i int) string { return c.Documents[i].Part })
	if train == 0 {
		return c, 0
	}
	return c.Subset(rows), train
}

// rowsTrainFirst returns the rows of the part "train" and behind them those of "test", and how many
// are of the first, which is 0 if there are not both.
func rowsTrainFirst(n int, part func(row int) string) (rows []int, trained int) {
	var train, test []int
	for i := range n {
		switch part(i) {
		case "train":
			train = append(train, i)
		case "test":
			test = append(test, i)
		}
	}
	if len(train) == 0 || len(test) == 0 {
		return nil, 0
	}
	return append(train, test...), len(train)
}

// generate calls the method Generate of a generator with the seed.
func generate(ctx context.Context, generator any, seed uint64) (*instances, error) {
	method, err := generatorOf(generator, seed)
	if err != nil {
		return nil, err
	}
	out := method.Call([]reflect.Value{reflect.ValueOf(ctx)})
	if err, ok := out[1].Interface().(error); ok && err != nil {
		return nil, err
	}
	in := &instances{}
	switch d := out[0].Interface().(type) {
	case *dataset.Dataset:
		in.vectors = d
	case *dataset.Collection:
		in.parts = d
	}
	return in, nil
}

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
)

// generatorOf returns the method Generate of a copy of the generator that has the seed.
func generatorOf(generator any, seed uint64) (reflect.Value, error) {
	if named, ok := generator.(Named); ok {
		built, err := named.build(nil, generatorTypes())
		if err != nil {
			return reflect.Value{}, err
		}
		generator = built
	}
	v := reflect.ValueOf(generator)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	copied := reflect.New(v.Type())
	copied.Elem().Set(v)
	if v.Kind() == reflect.Struct {
		if f := copied.Elem().FieldByName("Seed"); f.IsValid() && f.CanSet() && f.Kind() == reflect.Uint64 && f.Uint() == 0 {
			f.SetUint(seed)
		}
	}
	method := copied.MethodByName("Generate")
	if method.IsValid() {
		t := method.Type()
		if t.NumIn() == 1 && t.In(0) == contextType && t.NumOut() == 2 && t.Out(1) == errorType &&
			(t.Out(0) == reflect.TypeFor[*dataset.Dataset]() || t.Out(0) == reflect.TypeFor[*dataset.Collection]()) {
			return method, nil
		}
	}
	return reflect.Value{}, fmt.Errorf("experiment: %T is no generator: it needs a method Generate(context.Context) that returns a *dataset.Dataset or *dataset.Collection and an error", generator)
}
