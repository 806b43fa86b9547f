package inspect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/stdlib"
)

var universe = Universe{Preloaded: stdlib.Preloaded, Known: func(path string) bool {
	_, err := stdlib.Importer.Import(path)
	return err == nil
}}

// of returns what is found of a subject in a notebook.
func of(nb *notebook.Notebook, subject Subject) []string {
	var texts []string
	for _, f := range universe.Notebook(nb) {
		if f.Subject == subject {
			texts = append(texts, f.Text)
		}
	}
	return texts
}

// TestCode finds in the code of a cell what it names, however that is written.
func TestCode(t *testing.T) {
	for _, c := range []struct {
		cell    string
		subject Subject
		want    string // all, with | between
	}{
		{"!curl https://a.b/c | sh", Commands, "!curl https://a.b/c | sh"},
		{"!curl https://a.b/c | sh", Addresses, "https://a.b/c"},
		{"x := 1\nfiles := !ls /\n!rm -r {x}", Commands, "!ls /|!rm -r {x}"},
		{"%%bash\nrm -r ~\n", Commands, "%%bash\nrm -r ~"},
		{"%time !make\n%time exec.Command(\"true\").Run()", Commands, "!make|os/exec.Command true"},
		{"%run ../other.go a\n%load x.go\n%cd /tmp\n%mod a.b/c@latest\n%env PATH=.", Commands, "%run ../other.go a|%load x.go|%cd /tmp|%mod a.b/c@latest|%env PATH=."},
		{"%%writefile ~/.bashrc\ntouch x", Commands, "%%writefile ~/.bashrc\ntouch x"},
		{"%%script perl\nunlink 'a'", Commands, "%%script perl\nunlink 'a'"},
		{"%who\nf?\n%timeit 1 + 1", Commands, ""},
		{"exec.CommandContext(ctx, \"sh\", \"-c\",\n\t\"a \"+\"b\").Run()", Commands, "os/exec.CommandContext sh -c a b"},
		{"import x \"os/exec\"\nx.Command(\"\\x73h\", fmt.Sprint(\"b\"))", Commands, "os/exec.Command sh b"},
		{"os.StartProcess(\"/bin/sh\", nil, nil); syscall.Exec(`/bin/ls`, nil, nil)", Commands, "os.StartProcess /bin/sh|syscall.Exec /bin/ls"},
		{"// #include <stdlib.h>\n// void f() { system(\"a\"); }\nimport \"C\"", Commands, "// #include <stdlib.h>\n// void f() { system(\"a\"); }"},
		{"/*\nint f();\n*/\nimport \"C\"", Packages, "C"},
		{"s := \"!curl | sh\"", Commands, ""},
		{"import (\n\t\"os/exec\"\n\t. \"net\"\n\t_ \"evil.org/x/y\"\n)\nimport z \"own/b\"", Packages, "os/exec|net|evil.org/x/y|own/b"},
		{"func f() error { return os.RemoveAll(dir) }", Packages, "os"},
		{"x.os.Remove()", Packages, ""},
		{"os.Open(\"passwords\"); os.ReadFile(\"/etc/\" + \"passwd\")", Files, "passwords|/etc/passwd"},
		{"f(\"~/.ssh/id\", \"../a\", `C:\\a`, \"data.csv\", \"$HOME/x\", \"a b.c\", \"text/html\", \"%d.%d\", \"1.5\", \"Hello. World\")", Files, "~/.ssh/id|../a|C:\\a|data.csv|$HOME/x"},
		{"files.CSV{}.Open(\"d\", nil); os.Getenv(\"HOME\")", Files, "d"},
		{"//go:embed key.pem\nvar s string", Files, "key.pem"},
		{"net.Dial(\"tcp\", \"a.b:80\"); http.ListenAndServe(\":8080\", nil)", Addresses, "a.b:80|:8080"},
		{"f(\"\\x68ttp://a.b\", \"HTTPS\"+\"://c.d/e?f\") // see ftp://g.h.", Addresses, "ftp://g.h|http://a.b|HTTPS://c.d/e?f"},
		{"nb.JavaScript(\"alert(1)\")", Page, "JavaScript that the cell shows"},
		{"%%javascript\nalert(1)", Page, "%%javascript\nalert(1)"},
		{"nb.HTML(`<img src=x onerror=alert(1)>`)", Page, "code in a string or a magic of the cell"},
		{"x := `unclosed\nexec.Command(\"sh\")", Packages, ""},
		{"func f( {\n\texec.Command(\"sh\")\n}}", Commands, "os/exec.Command sh"},
	} {
		nb := &notebook.Notebook{Cells: []*notebook.Cell{{Kind: notebook.Code, Source: c.cell}}}
		if got := strings.Join(of(nb, c.subject), "|"); got != c.want {
			t.Errorf("%s\nin %q:\ngot  %q\nwant %q", c.subject, c.cell, got, c.want)
		}
	}
}

// TestAround finds what stands around the code, and says where.
func TestAround(t *testing.T) {
	nb := &notebook.Notebook{
		Metadata: map[string]any{"a": []any{"https://meta.org", map[string]any{"b": "<script>"}}},
		Cells: []*notebook.Cell{
			{Kind: notebook.Markdown, Source: "[a](../b.csv) ![c](https://d.e/f.png) [g](#h)\n<img src='i.png' onload=\"j()\">", Attachments: map[string]any{"k": map[string]any{"image/svg+xml": "<svg onload='l()'/>"}}},
			{Kind: notebook.Code, Source: "import m \"os/exec\"", Outputs: []*notebook.Output{
				{Kind: notebook.Display, Data: map[string]any{"application/javascript": "n()", "text/html": "<script src='https://o.p'></script>", "text/plain": "q"}},
				{Kind: notebook.Stream, Text: "see http://r.s"},
			}},
			{Kind: notebook.Code, Source: "m.Command(\"t\")\nm.Command(\"t\")"},
			{Kind: notebook.Raw, Source: "<iframe>"},
		},
	}
	var got []string
	for _, f := range universe.Notebook(nb) {
		got = append(got, fmt.Sprintf("%s: %s (%s)", f.Subject, f.Text, strings.Join(f.Places, ", ")))
	}
	want := []string{
		"commands: os/exec.Command t (cell 2)",
		"packages: os/exec (cell 1, cell 2)",
		"files: ../b.csv (text before cell 1)",
		"files: i.png (text before cell 1)",
		"addresses: https://d.e/f.png (text before cell 1)",
		"addresses: https://o.p (cell 1)",
		"addresses: http://r.s (cell 1)",
		"addresses: https://meta.org (metadata)",
		"code for the page: code in the text (text before cell 1, text before cell 3)",
		"code for the page: code in metadata, an attachment or a value (text before cell 1, metadata)",
		"code for the page: stored output of type application/javascript (cell 1)",
		"code for the page: code in a stored output of type text/html (cell 1)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestOtherLanguages looks at a notebook in Python.
func TestOtherLanguages(t *testing.T) {
	nb := &notebook.Notebook{
		Metadata: map[string]any{"kernelspec": map[string]any{"language": "Python"}},
		Cells:    []*notebook.Cell{{Kind: notebook.Code, Source: "import os, sys\nfrom a.b import c\n!pip install x\nos.system('rm -r /')\nopen('~/.ssh/id')\nx = \"data.csv\" # https://d.e"}},
	}
	for subject, want := range map[Subject]string{
		Commands: "!pip install x|os.system('rm -r /')", Packages: "os|a.b", Files: "~/.ssh/id|data.csv", Addresses: "https://d.e",
	} {
		if got := strings.Join(of(nb, subject), "|"); got != want {
			t.Errorf("%s: got %q, want %q", subject, got, want)
		}
	}
}

// TestDamagedCode reads cells that were cut and mixed at random. Where a command stands in a line
// of its own behind them, it is found.
func TestDamagedCode(t *testing.T) {
	for cell := range enginetest.Spoiled(t, 3000, "../magics/testdata/magic/*.cells", "../interpreted/lower/testdata/lowering/*.cells") {
		nb := &notebook.Notebook{Cells: []*notebook.Cell{{Kind: notebook.Code, Source: cell}, {Kind: notebook.Code, Source: "!last"}}}
		if got := of(nb, Commands); len(got) == 0 || got[len(got)-1] != "!last" {
			t.Fatalf("in %q: %q", cell, got)
		}
	}
}
