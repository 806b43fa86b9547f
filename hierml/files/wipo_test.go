package files

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hierml/notebook/hierml/internal/example"
)

const (
	patentA = `<?xml version="1.0" encoding="iso-8859-1"?>
<!DOCTYPE record SYSTEM "../ipctraining.dtd">
<record cy="WO" an="EP9901234" pn="WO9912345" dnum="9912345" kind="A1">
<ipcs ed="7" mc="A01B00102"><ipc ic="A01B00104"></ipc><ipc ic="C07D23902"></ipc></ipcs>
<pas><pa>SOMEONE</pa></pas>
<tis><ti xml:lang="EN">A spade</ti><ti xml:lang="FR">Une b` + "\xea" + `che</ti></tis>
<abs><ab xml:lang="EN">It digs &amp; &mu;oves.</ab></abs>
<cls><cl xml:lang="EN">What is <b>claimed</b></cl></cls><txts><txt xml:lang="EN">All of it.</txt></txts></record>`
	patentB = `<record pn="WO2"><ipcs mc="H04L 12/56"/><txts><txt>A net.</txt></txts></record>`
)

func TestWIPO(t *testing.T) {
	files := map[string]string{"Train/A/1.xml": patentA, "Test/H/2.XML": patentB, "Train/A/ipctraining.dtd": "no", "readme.txt": "no"}
	archive := example.Tar(files, "Train/A/ipctraining.dtd", "readme.txt", "Train/A/1.xml", "Test/H/2.XML")
	var packed bytes.Buffer
	g := gzip.NewWriter(&packed)
	if _, err := g.Write(archive); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := WIPO{}.Read(t.Context(), &packed, "wipo", nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = `WO9912345|train|A01B 1/00|"A spade\nUne bêche\nIt digs & μoves.\nWhat is claimed\nAll of it."
WO2|test|H04L 12/00|"A net."
`
	if got := documentsOf(c); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := strings.Join(c.Taxonomy.Names(), ", "); got != "A, A01, A01B, A01B 1/00, H, H04, H04L, H04L 12/00" || len(c.Taxonomy.Edges()) != 6 {
		t.Errorf("nodes %s", got)
	}
	fsys := fstest.MapFS{}
	for name, content := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(content)}
	}
	s := WIPO{Level: 5, Secondary: true, Elements: []string{"ti", "cl"}, Language: "en"}
	if c, err = s.ReadFS(t.Context(), fsys, "wipo", nil); err != nil {
		t.Fatal(err)
	}
	const english = `WO2|test|H04L 12/56|""
WO9912345|train|A01B 1/02, A01B 1/04, C07D 239/02|"A spade\nWhat is claimed"
`
	if got := documentsOf(c); got != english {
		t.Errorf("got\n%swant\n%s", got, english)
	}
	if n, ok := c.Taxonomy.Node("A01B 1/04"); !ok || c.Taxonomy.Name(c.Taxonomy.Parents(n)[0]) != "A01B 1/00" {
		t.Errorf("a subgroup is not below its group:\n%v", c.Taxonomy)
	}
	var b bytes.Buffer
	if err := s.Write(t.Context(), &b, c); err != nil {
		t.Fatal(err)
	}
	written := b.String()
	s.Elements = nil
	again, err := s.Read(t.Context(), &b, "again.xml", c.Taxonomy)
	if err != nil {
		t.Fatalf("%v\n%s", err, written)
	}
	if got := documentsOf(again); got != strings.NewReplacer("|test|", "||", "|train|", "||").Replace(english) {
		t.Errorf("written and read again:\n%s", got)
	}
	n := 0
	for d, err := range s.Documents(t.Context(), strings.NewReader(written), "again.xml", c.Taxonomy) {
		if n++; err != nil || d.ID != "WO2" {
			t.Error(d, err)
		}
		break
	}
	if n != 1 {
		t.Errorf("%d documents", n)
	}
}

func TestWIPOFaults(t *testing.T) {
	for _, test := range []struct {
		name, text   string
		line, column int
		words        string
		documents    string
		faults       string
	}{
		{"empty", "", 1, 1, "no patents", "", ""},
		{"not XML", "hello", 1, 6, "no patents", "", ""},
		{"another element", "<a></a>", 1, 8, "no patents", "", ""},
		{"cut", "<records>\n" + patentB + "\n<record pn=\"3\"><ipcs mc=\"H04L01\n", 4, 0, "not XML", "WO2||H04L 12/00|\"A net.\"\n", "1 unreadable instance"},
		{"wrong end", "<records>" + patentB + "<record></b></record></records>", 1, 0, "not XML", "WO2||H04L 12/00|\"A net.\"\n1", ""},
		{"no symbol", "<r>" + patentB + "\n<record pn=\"3\"></record></r>", 2, 25, "no <ipcs", "WO2||H04L 12/00|\"A net.\"\n", "1 document without text, 1 no known label"},
		{"no level", "<r>" + patentB + "\n<record pn=\"3\"><ipcs mc=\"H04L\"/><ti>x</ti></record></r>", 2, 52, "down to level 4", "WO2||H04L 12/00|\"A net.\"\n", "1 unknown label, 1 no known label"},
		{"no such symbol", "<r>" + patentB + "\n<record pn=\"3\"><ipcs mc=\"4HL\"/><ti>x</ti></record></r>", 2, 51, `"4HL" is not a symbol`, "WO2||H04L 12/00|\"A net.\"\n", "1 unknown label, 1 no known label"},
		{"encoding", `<?xml version="1.0" encoding="klingon"?>` + patentB, 1, 41, "not known", "", ""},
		{"not UTF-8", "<r>" + patentB + "\n<record>\xff</record></r>", 2, 0, "UTF-8", "WO2||H04L 12/00|\"A net.\"\n", "1 unreadable instance"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := WIPO{}.Read(t.Context(), strings.NewReader(test.text), "x.xml", nil)
			if c != nil {
				t.Error("returns a part of a bad file")
			}
			wantPlace(t, err, test.line, test.column, test.words)
			var faults Faults
			c, err = WIPO{Repair: &faults}.Read(t.Context(), strings.NewReader(test.text), "x.xml", nil)
			if test.faults == "" {
				if err != nil {
					wantSyntaxError(t, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := documentsOf(c); got != test.documents {
				t.Errorf("got\n%swant\n%s", got, test.documents)
			}
			wantFaults(t, &faults, test.faults)
		})
	}
	var packed bytes.Buffer
	g := gzip.NewWriter(&packed)
	if _, err := io.WriteString(g, "<r>"+strings.Repeat(patentB+"\n", 1000)); err != nil {
		t.Fatal(err)
	}
	if err := g.Flush(); err != nil {
		t.Fatal(err)
	}
	_, err := WIPO{}.Read(t.Context(), bytes.NewReader(packed.Bytes()), "x.xml.gz", nil)
	wantPlace(t, err, 1001, 1, "it is not complete")
	var faults Faults
	c, err := WIPO{Repair: &faults}.Read(t.Context(), &packed, "x.xml.gz", nil)
	if err != nil || c.Len() != 1000 {
		t.Fatalf("%v, %v", c, err)
	}
	wantFaults(t, &faults, "1 damaged compression")
	if _, err := (WIPO{Level: 6}).Read(t.Context(), strings.NewReader(patentB), "x.xml", nil); err == nil {
		t.Error("takes level 6")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (WIPO{}).Read(ctx, strings.NewReader(patentB), "x.xml", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}

func TestSymbolLevels(t *testing.T) {
	for symbol, want := range map[string]string{
		"A":              "A",
		"a01":            "A, A01",
		"A01B":           "A, A01, A01B",
		"A01B001":        "A, A01, A01B, A01B 1/00",
		"A01B00100":      "A, A01, A01B, A01B 1/00, A01B 1/00",
		" A01B00102 ":    "A, A01, A01B, A01B 1/00, A01B 1/02",
		"C07D2390234":    "C, C07, C07D, C07D 239/00, C07D 239/0234",
		"A01B0001020000": "A, A01, A01B, A01B 1/00, A01B 1/02",
		"G06F2203048050": "",
		"G06F 2203/0480": "G, G06, G06F, G06F 2203/00, G06F 2203/0480",
		"A01B 1/02":      "A, A01, A01B, A01B 1/00, A01B 1/02",
		"":               "", "1": "", "A0": "", "A011": "", "A01B1": "", "A01B000": "", "A01B0010": "", "A01B/": "", "A01B x/02": "", "A01B 1/2/3": "",
	} {
		levels, ok := symbolLevels(symbol)
		if symbol == "G06F2203048050" {
			want = "G, G06, G06F, G06F 2203/00, G06F 2203/04805"
		}
		if got := strings.Join(levels, ", "); ok != (want != "") || ok && got != want {
			t.Errorf("%q: got %q, %v, want %q", symbol, got, ok, want)
		}
	}
}

func FuzzWIPO(f *testing.F) {
	f.Add([]byte(patentA))
	f.Add([]byte("<r>" + patentB + "<record></b></record></r>"))
	f.Fuzz(func(t *testing.T, text []byte) {
		strict, err := WIPO{}.Read(t.Context(), bytes.NewReader(text), "fuzz", nil)
		if err != nil {
			wantSyntaxError(t, err)
		}
		repaired, repairedErr := WIPO{Repair: new(Faults)}.Read(t.Context(), bytes.NewReader(text), "fuzz", nil)
		if err == nil && (repairedErr != nil || documentsOf(strict) != documentsOf(repaired)) {
			t.Fatalf("repairs change a file without fault: %v", repairedErr)
		}
		if repairedErr != nil {
			wantSyntaxError(t, repairedErr)
			return
		}
		var b bytes.Buffer
		if err := (WIPO{}).Write(t.Context(), &b, repaired); err != nil {
			return
		}
		again, err := WIPO{}.Read(t.Context(), &b, "again", repaired.Taxonomy)
		if err != nil {
			t.Fatal(err)
		}
		if again.Len() != repaired.Len() {
			t.Fatalf("written and read again, %d are %d", repaired.Len(), again.Len())
		}
	})
}
