package files

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
)

func TestRCV1(t *testing.T) {
	tax := example.Fruit()
	const qrels = "food 2286 1\nfruit 2286 1\napple 2286 1\ntool 2287 1\nbread 2288 1\npear 2288 1\n"
	topics, err := RCV1{}.ReadTopics(t.Context(), strings.NewReader(qrels), "topics.qrels", tax)
	if err != nil {
		t.Fatal(err)
	}
	s := RCV1{Topics: topics, Columns: 20}
	d, err := s.Read(t.Context(), strings.NewReader("2286  1:0.5 7:1\n2288  3:2\n2287  20:1\n"), "vectors.dat", tax)
	if err != nil {
		t.Fatal(err)
	}
	if got := example.Printed(d); got != "apple [0 6] [0.5 1]\nbread pear [2] [2]\ntool [19] [1]\n" || d.X.Cols != 20 {
		t.Errorf("%d columns, got\n%s", d.X.Cols, got)
	}
	var vectors, written bytes.Buffer
	if err := s.Write(t.Context(), &vectors, d); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteTopics(t.Context(), &written, d); err != nil {
		t.Fatal(err)
	}
	if s.Topics, err = s.ReadTopics(t.Context(), &written, "again.qrels", tax); err != nil {
		t.Fatal(err)
	}
	again, err := s.Read(t.Context(), &vectors, "again.dat", tax)
	if err != nil {
		t.Fatal(err)
	}
	example.CheckSame(t, again, d)
	unlabelled, err := RCV1{}.Read(t.Context(), strings.NewReader("5  1:1\n"), "vectors.dat", tax)
	if err != nil || example.Printed(unlabelled) != "[0] [1]\n" {
		t.Errorf("without topics: %v, %v", unlabelled, err)
	}
	if _, err := (RCV1{Topics: map[int][]int{1: {77}}}).Read(t.Context(), strings.NewReader("1 1:1\n"), "vectors.dat", tax); err == nil || !strings.Contains(err.Error(), "another taxonomy") {
		t.Errorf("topics of another taxonomy: %v", err)
	}
}

func TestRCV1Faults(t *testing.T) {
	tax := example.Fruit()
	topics := map[int][]int{1: {example.Node(t, tax, "apple")}, 2: {example.Node(t, tax, "pear")}}
	for _, test := range []struct {
		name, text   string
		line, column int
		words        string
		rows, faults string
	}{
		{"no topics", "3  1:1\n1  1:1\n", 1, 1, "no topics", "apple [0] [1]\n", "1 no known label"},
		{"no number", "x  1:1\n1  1:1\n", 1, 1, "number of a document", "apple [0] [1]\n", "1 unreadable instance"},
		{"twice", "1  1:1\n1  2:1\n2  1:1\n", 2, 1, "already in line 1", "apple [0] [1]\npear [0] [1]\n", "1 number given twice"},
		{"term 0", "1  0:1 1:1\n", 1, 4, "count from 1", "apple [0] [1]\n", "1 feature index out of range"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := RCV1{Topics: topics}.Read(t.Context(), strings.NewReader(test.text), "vectors", tax)
			wantPlace(t, err, test.line, test.column, test.words)
			var faults Faults
			d, err := RCV1{Topics: topics, Repair: &faults}.Read(t.Context(), strings.NewReader(test.text), "vectors", tax)
			if err != nil {
				t.Fatal(err)
			}
			if got := example.Printed(d); got != test.rows {
				t.Errorf("got\n%swant\n%s", got, test.rows)
			}
			wantFaults(t, &faults, test.faults)
		})
	}
	for _, test := range []struct {
		name, text   string
		line, column int
		words        string
	}{
		{"empty", "", 1, 0, "no topics"},
		{"unknown", "apple 1 1\nplum 1 1\n", 2, 1, "plum"},
		{"two fields", "apple 1\n", 1, 1, "expected TOPIC"},
		{"not relevant", "apple 1 0\n", 1, 1, "expected TOPIC"},
		{"no number", "apple one 1\n", 1, 7, "number of a document"},
		{"twice", "apple 1 1\napple 1 1\n", 2, 1, "twice"},
	} {
		t.Run("topics "+test.name, func(t *testing.T) {
			_, err := RCV1{}.ReadTopics(t.Context(), strings.NewReader(test.text), "qrels", tax)
			wantPlace(t, err, test.line, test.column, test.words)
		})
	}
	var faults Faults
	got, err := RCV1{Repair: &faults}.ReadTopics(t.Context(), strings.NewReader("plum 1 1\nx\napple 1 1\napple 1 1\n"), "qrels", tax)
	if err != nil || len(got) != 1 || len(got[1]) != 1 {
		t.Errorf("%v, %v", got, err)
	}
	wantFaults(t, &faults, "1 unknown label, 1 unreadable instance, 1 label given twice")
}

func TestRCV1Terms(t *testing.T) {
	terms, err := RCV1{}.ReadTerms(t.Context(), strings.NewReader("b 2 4.5\na 1 0.5\nd 4 1\n"), "terms")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(terms, "|"); got != "a|b||d" {
		t.Errorf("got %s", got)
	}
	var b bytes.Buffer
	if err := (RCV1{}).WriteTerms(&b, []string{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	if again, err := (RCV1{}).ReadTerms(t.Context(), &b, "again"); err != nil || strings.Join(again, "|") != "a|b" {
		t.Errorf("%v, %v", again, err)
	}
	if err := (RCV1{}).WriteTerms(&b, []string{"a b"}); err == nil {
		t.Error("writes a term with a blank")
	}
	for _, test := range []struct {
		text         string
		line, column int
		words        string
	}{
		{"", 1, 0, "0 terms"},
		{"a\n", 1, 1, "one field"},
		{"a x 1\n", 1, 3, "number of a term"},
		{"a 0 1\n", 1, 3, "number of a term"},
		{"a 2000000000 1\n", 1, 0, "2000000000"},
		{"a 1 1\nb 1 1\n", 2, 1, `already "a"`},
	} {
		_, err := RCV1{}.ReadTerms(t.Context(), strings.NewReader(test.text), "terms")
		wantPlace(t, err, test.line, test.column, test.words)
	}
}

func FuzzRCV1(f *testing.F) {
	for _, seed := range []string{"1  1:0.5 7:1\n2  3:2\n", "3 1:1", "1", "1 1:1\n1 1:1", "x 1:1"} {
		f.Add([]byte(seed), []byte("apple 1 1\nfood 1 1\npear 2 1\n"))
	}
	tax := example.Fruit()
	f.Fuzz(func(t *testing.T, text, qrels []byte) {
		var faults Faults
		s := RCV1{Repair: &faults}
		topics, err := s.ReadTopics(t.Context(), bytes.NewReader(qrels), "fuzz", tax)
		if err != nil {
			return
		}
		s.Topics = topics
		d, err := s.Read(t.Context(), bytes.NewReader(text), "fuzz", tax)
		if err != nil {
			return
		}
		example.CheckMatrix(t, d.X)
		var vectors, written bytes.Buffer
		if err := s.Write(t.Context(), &vectors, d); err != nil {
			t.Fatal(err)
		}
		if err := s.WriteTopics(t.Context(), &written, d); err != nil {
			t.Fatal(err)
		}
		if s.Topics, err = (RCV1{}).ReadTopics(t.Context(), &written, "again", tax); err != nil {
			t.Fatal(err)
		}
		again, err := RCV1{Topics: s.Topics}.Read(t.Context(), &vectors, "again", tax)
		if err != nil {
			t.Fatal(err)
		}
		example.CheckSame(t, again, d)
	})
}
