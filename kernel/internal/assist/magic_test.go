package assist_test

import (
	"os"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
)

func TestMagicsAreCompleted(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("folder", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"folder/notes 1.txt", "fold.txt"} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	e := newAssistant(t, "value := 1")
	t.Setenv("MAGIC_TEST", "1")
	for _, c := range []struct{ cell, want string }{
		{"%tim|", "%time %timeit %%time %%timeit"},
		{"x := 1\n%tim|", "%time %timeit"},
		{"%w|", "%who %%writefile"},
		{"%%w|", "%%writefile"},
		{"x := 1\n%%w|", ""},
		{"%cd f|", "folder/"},
		{"%cd folder/|", ""},
		{"%load f|", "folder/ fold.txt"},
		{"%load folder/n|", "notes 1.txt"},
		{"%%writefile -a fo|", "folder/ fold.txt"},
		{"!cat fold.|", "fold.txt"},
		{"!ls '😀' folder/|", "notes 1.txt"},
		{"%%bash\ncat fold.|", "fold.txt"},
		{"%env MAGIC_TES|", "MAGIC_TEST"},
		{"%strict o|", "off on"},
		{"%engine |", "auto interpreted compiled"},
		{"%engine c|", "compiled"},
		{"%time valu|", "value"},
		{"%timeit -n 3 valu|", "value"},
		{"!ls '\n%time valu|\n!x", "value"},
		{"%%time\nvalu|", "value"},
		{"%nope valu|", ""},
	} {
		source, cursor := enginetest.Cursor(t, c.cell)
		found := e.Complete(source, cursor)
		var texts []string
		for _, candidate := range found.Candidates {
			texts = append(texts, candidate.Text)
		}
		if got := strings.Join(texts, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.cell, got, c.want)
		}
	}
	found := e.Complete("!echo '😀'\n!cat folder/no", 24)
	if found.Start != 22 || found.End != 24 {
		t.Errorf("replaces %d to %d", found.Start, found.End)
	}
}

func TestMagicsAreInspected(t *testing.T) {
	e := newAssistant(t)
	for _, c := range []struct {
		cell   string
		cursor int
		want   string
	}{
		{"%timeit x", 3, "%timeit [-n"},
		{"%timeit x", 0, "%timeit [-n"},
		{"%%bash\nls", 4, "%%bash"},
		{"%time strings.Cut", 16, "func strings.Cut"},
		{"!ls '\nstrings.Cut", 16, "func strings.Cut"},
		{"!strings.Cut", 5, ""},
		{"%nope", 3, ""},
	} {
		text := ""
		if found := e.Inspect(c.cell, c.cursor, 0); found != nil {
			text, _ = found.Data["text/plain"].(string)
		}
		if !strings.HasPrefix(text, c.want) || c.want == "" && text != "" {
			t.Errorf("%s: %q, want %q", c.cell, text, c.want)
		}
	}
}
