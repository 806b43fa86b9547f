package release

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// Notes returns the announcement of a release: the section of the change log for the version of its
// tag, or the section "Unreleased" if there is none.
func Notes(changes string, v Version) (Artifact, error) {
	heading := "Unreleased"
	if v.tagged() {
		heading = strings.TrimPrefix(v.Go, "v")
	}
	_, text, found := strings.Cut("\n"+changes, "\n## "+heading+"\n")
	if !found {
		return Artifact{}, fmt.Errorf("CHANGELOG.md has no heading %q; add it, with the notes of %s", "## "+heading, v.Go)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return Artifact{"NOTES.md", []byte("# hierml " + v.String() + "\n\n" + strings.TrimSpace(text) + "\n")}, nil
}

// Sums lists the SHA-256 sums of artifacts, as `sha256sum --check SHA256SUMS` reads them.
func Sums(artifacts []Artifact) Artifact {
	var lines []string
	for _, a := range artifacts {
		lines = append(lines, fmt.Sprintf("%x  %s\n", sha256.Sum256(a.Content), a.Name))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return Artifact{"SHA256SUMS", []byte(strings.Join(lines, ""))}
}
