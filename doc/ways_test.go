package doc

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestWays holds that each command of ways.md says below it which test runs it, and that there is
// that test, or that it was not tried.
func TestWays(t *testing.T) {
	page, err := os.ReadFile("ways.md")
	if err != nil {
		t.Fatal(err)
	}
	ways := regexp.MustCompile("(?s)\n```sh\n(.*?)\n```\n\n([^\n]*)").FindAllStringSubmatch(string(page), -1)
	if len(ways) < 5 || len(ways) != strings.Count(string(page), "\n```sh\n") {
		t.Fatalf("%d commands have a line below them", len(ways))
	}
	for _, way := range ways {
		command, below := way[1], way[2]
		if strings.HasPrefix(below, "Not tried") {
			continue
		}
		names, ok := strings.CutPrefix(below, "Tested by ")
		if !ok {
			t.Errorf("%s\nis neither tested nor not tried: %s", command, below)
			continue
		}
		names, _, _ = strings.Cut(names, ":")
		tests := code.FindAllStringSubmatch(names, -1)
		if len(tests) == 0 {
			t.Errorf("%s\nnames no test: %s", command, below)
		}
		for _, name := range tests {
			if out, err := exec.Command("git", "-C", root, "grep", "-q", "-E", "^func "+name[1]+`\(t \*testing`).CombinedOutput(); err != nil {
				t.Errorf("%s\nthere is no test %s: %v%s", command, name[1], err, out)
			}
		}
	}
}
