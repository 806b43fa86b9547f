package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestManualPage holds that the page for man is made of what help prints now, and is right by the
// program man, or by rules where that is not.
func TestManualPage(t *testing.T) {
	const file = "hierml.1"
	page := manualPageOf(command())
	if *update {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if stored, err := os.ReadFile(file); err != nil || string(stored) != page {
		t.Errorf("%s is not what help prints now: go generate ./kernel writes it anew; %v", file, err)
	}
	// The requests and escapes that it is written with; in blocks of lines that stay, no macros.
	request := regexp.MustCompile(`^\.(TH HIERML 1 .*|S[HS] ".+"|PP|nf|fi|TP|B ".+"|\\" .*)$`)
	escape := regexp.MustCompile(`\\(e|-|&|\(aq|\(ga|\(ha|\(ti|\(dq|" )`)
	block := false
	for i, line := range strings.Split(strings.TrimSuffix(page, "\n"), "\n") {
		if strings.HasPrefix(line, ".") && !request.MatchString(line) || strings.HasPrefix(line, "'") || strings.Contains(escape.ReplaceAllString(line, ""), `\`) {
			t.Errorf("%s:%d: roff takes %q for something else", file, i+1, line)
		}
		switch {
		case line == ".nf", line == ".fi":
			if block == (line == ".nf") {
				t.Errorf("%s:%d: %s within a block, or outside", file, i+1, line)
			}
			block = !block
		case block && strings.HasPrefix(line, "."), !block && line == "":
			t.Errorf("%s:%d: %q does not belong there", file, i+1, line)
		}
	}
	read := readManualPage(t, page)
	// All that help says is there, whatever the lines.
	blank := regexp.MustCompile(`\s+`)
	plain := func(text string) string { return blank.ReplaceAllString(text, " ") }
	read = plain(read)
	for _, cmd := range documented() {
		cmd.InitDefaultHelpFlag()
		cmd.InitDefaultVersionFlag()
		for _, p := range passages(cmd, 66) {
			texts := []string{strings.ReplaceAll(p.verbatim, "\t", "    ")}
			if p.heading == "NAME" { // which is the heading of its section
				p.prose = cmd.Short
			}
			texts = append(texts, strings.Split(p.prose, "\n")...)
			for _, item := range p.items {
				texts = append(texts, item[0], item[1])
			}
			for _, text := range texts {
				if want := strings.TrimSpace(plain(text)); !strings.Contains(read, want) {
					t.Errorf("%s: the page lacks %q of %s", cmd.CommandPath(), want, p.heading)
				}
			}
		}
	}
}

// readManualPage returns what man shows of a page, which it finds no fault with; where there is none,
// what the rules of its escapes make of it.
func readManualPage(t *testing.T, page string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "hierml.1")
	if err := os.WriteFile(name, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, reader := range [][]string{{"mandoc", "-T", "lint", "-W", "error", name}, {"groff", "-man", "-ww", "-T", "utf8", "-z", name}} {
		if _, err := exec.LookPath(reader[0]); err != nil {
			t.Logf("there is no %s: the rules above alone are held", reader[0])
			continue
		}
		if out, err := exec.CommandContext(t.Context(), reader[0], reader[1:]...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", reader[0], err, out)
		}
	}
	var b strings.Builder
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, `.B "`), strings.HasPrefix(line, `.SH "`), strings.HasPrefix(line, `.SS "`):
			_, line, _ = strings.Cut(strings.TrimSuffix(line, `"`), `"`)
		case strings.HasPrefix(line, "."):
			continue
		}
		b.WriteString(strings.NewReplacer(`\e`, `\`, `\-`, "-", `\&`, "", `\(aq`, "'", `\(ga`, "`", `\(ha`, "^", `\(ti`, "~", `\(dq`, `"`).Replace(line) + "\n")
	}
	return b.String()
}
