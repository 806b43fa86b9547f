package checks

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/install/internal/modules"
	"github.com/hierml/notebook/internal/testrun"
)

// vulnerabilityDatabase is the module of the database that govulncheck reads. knownVersion is the
// version that changes are tested against, so that an entry added later fails no change. The long
// form takes the latest version.
const vulnerabilityDatabase, knownVersion = "golang.org/x/vulndb", "v0.0.0-20261105234957-e22db6528018"

// TestVulnerabilities fails if the program or the installer calls a function of a module that is
// known to be vulnerable. It only logs those of Go's standard library: a newer Go fixes them.
func TestVulnerabilities(t *testing.T) {
	version := knownVersion
	if testrun.Long() {
		version = "latest"
	}
	dir, err := modules.Fetch(t.Context(), "", vulnerabilityDatabase+"@"+version)
	testrun.Need(t, "network", err)
	database := "file://" + filepath.ToSlash(filepath.Join(dir, "data", "osv"))
	cmd := exec.CommandContext(t.Context(), "go", "tool", "govulncheck", "-format=json", "-db", database, "./kernel", "./install/...")
	cmd.Dir = root
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("govulncheck: %v\n%s", err, &stderr)
	}
	started := false
	for messages := json.NewDecoder(strings.NewReader(string(out))); ; {
		var m struct {
			Config  *struct{}
			Finding *struct {
				OSV   string
				Fixed string `json:"fixed_version"`
				Trace []struct{ Module, Version, Package, Function string }
			}
		}
		if err := messages.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		started = started || m.Config != nil
		f := m.Finding
		// The trace begins at the vulnerable function. Without a function, nothing is known to call
		// it.
		if f == nil || len(f.Trace) == 0 || f.Trace[0].Function == "" {
			continue
		}
		report := t.Errorf
		if f.Trace[0].Module == "stdlib" {
			report = t.Logf
		}
		report("%s: %s.%s@%s is called (fixed in %q)", f.OSV, f.Trace[0].Package, f.Trace[0].Function, f.Trace[0].Version, f.Fixed)
	}
	if !started {
		t.Fatal("govulncheck wrote nothing")
	}
}
