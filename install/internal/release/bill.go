package release

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"net/url"
	"runtime/debug"
	"strings"
	"time"
)

// A bill is a bill of materials in the format CycloneDX 1.6, with the fields for a Go program.
type bill struct {
	Format     string      `json:"bomFormat"`
	Version    string      `json:"specVersion"`
	Edition    int         `json:"version"`
	Metadata   metadataOf  `json:"metadata"`
	Components []component `json:"components"`
	Dependency []dependsOn `json:"dependencies"`
}

type metadataOf struct {
	Time      string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Address string `json:"purl"`
}

type dependsOn struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

// Bill makes the bill of materials of the program: the modules that it was built from, as it says
// itself, and Go's standard library.
func (p Parts) Bill() (Artifact, error) {
	info, err := buildinfo.Read(bytes.NewReader(p.Program))
	if err != nil {
		return Artifact{}, fmt.Errorf("the program does not say what it was built from: %w", err)
	}
	program := component{Type: "application", Ref: "hierml", Name: info.Main.Path, Version: p.Version.Go, Address: address(info.Main.Path, p.Version.Go)}
	goVersion, _, _ := strings.Cut(strings.TrimPrefix(info.GoVersion, "go"), " ")
	parts := []component{library("std", goVersion)}
	for _, m := range info.Deps {
		parts = append(parts, library(replaced(m).Path, replaced(m).Version))
	}
	refs := make([]string, len(parts))
	for i, c := range parts {
		refs[i] = c.Ref
	}
	text, err := json.MarshalIndent(bill{
		Format: "CycloneDX", Version: "1.6", Edition: 1,
		Metadata:   metadataOf{p.Version.Time.Format(time.RFC3339), program},
		Components: parts,
		Dependency: []dependsOn{{program.Ref, refs}},
	}, "", "  ")
	name := "hierml-" + strings.TrimPrefix(p.Version.Go, "v") + "-" + p.System.OS + "-" + p.System.Arch + ".cdx.json"
	return Artifact{name, append(text, '\n')}, err
}

func library(path, version string) component {
	return component{Type: "library", Ref: path + "@" + version, Name: path, Version: version, Address: address(path, version)}
}

func replaced(m *debug.Module) *debug.Module {
	if m.Replace != nil {
		return m.Replace
	}
	return m
}

// address is the name of a Go module as a package URL.
func address(path, version string) string {
	names := strings.Split(path, "/")
	for i, name := range names {
		names[i] = url.PathEscape(name)
	}
	return "pkg:golang/" + strings.Join(names, "/") + "@" + url.PathEscape(version)
}
