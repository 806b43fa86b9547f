package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

//go:generate go test -run TestManualPage -update .

// manualPage returns a page for the program man that shows the help of all commands and topics as
// it is.
func manualPage() string {
	escape := strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`)
	var b strings.Builder
	b.WriteString(`.\" Made of what hierml help prints, by go generate ./kernel.` + "\n" + `.TH HIERML 1 "" "hierml" "User Commands"` + "\n")
	b.WriteString(".SH NAME\nhierml \\- " + escape.Replace(command().Short) + "\n")
	for _, cmd := range all(command()) {
		if cmd.Hidden {
			continue
		}
		cmd.InitDefaultHelpFlag()
		cmd.InitDefaultVersionFlag()
		b.WriteString(`.SH "` + strings.ToUpper(cmd.CommandPath()) + "\"\n.nf\n")
		_, text, _ := strings.Cut(helpText(cmd), "\n\n") // without the name
		for line := range strings.Lines(text) {
			b.WriteString(`\&` + escape.Replace(line))
		}
		b.WriteString(".fi\n")
	}
	return b.String()
}

// TestManualPage checks that the page for man is what help prints now, and that the formatters of
// man find no fault with it.
func TestManualPage(t *testing.T) {
	const file = "hierml.1"
	page := manualPage()
	if *update {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if stored, err := os.ReadFile(file); err != nil || string(stored) != page {
		t.Fatalf("%s is not what help prints now: go generate ./kernel writes it again; %v", file, err)
	}
	for _, reader := range [][]string{{"mandoc", "-T", "lint", "-W", "error", file}, {"groff", "-man", "-ww", "-T", "utf8", "-z", file}} {
		if _, err := exec.LookPath(reader[0]); err != nil {
			t.Logf("not checked by %s, which is missing", reader[0])
			continue
		}
		if out, err := exec.CommandContext(t.Context(), reader[0], reader[1:]...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", reader[0], err, out)
		}
	}
}
