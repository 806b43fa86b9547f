package main

import (
	"slices"
	"strings"
	"testing"
)

func TestReadFaults(t *testing.T) {
	const config = `{"config": {"protocol_version": "v1.0.0"}}`
	finding := func(module, function string) string {
		return `{"finding": {"osv": "GO-2026-1", "fixed_version": "v1.2.4", "trace": [{"module": "` + module + `", "version": "v1.2.3", "package": "` + module + `/p", "function": "` + function + `"}]}}`
	}
	const module, ofGo = "GO-2026-1: example.org/m/p@v1.2.3, mended in v1.2.4", "GO-2026-1: stdlib/p@v1.2.3, mended in v1.2.4"
	for _, test := range []struct {
		name, text    string
		modules, goes []string
		fails         bool
	}{
		{name: "none", text: config},
		{name: "one that nothing calls", text: config + finding("example.org/m", "")},
		{name: "of a module, on two ways", text: config + finding("example.org/m", "F") + finding("example.org/m", "G"), modules: []string{module}},
		{name: "of Go", text: config + finding("stdlib", "F"), goes: []string{ofGo}},
		{name: "nothing", fails: true},
		{name: "no JSON", text: config + "panic", fails: true},
	} {
		modules, goes, err := readFaults(strings.NewReader(test.text))
		if (err != nil) != test.fails || !slices.Equal(modules, test.modules) || !slices.Equal(goes, test.goes) {
			t.Errorf("%s: %q, %q, %v", test.name, modules, goes, err)
		}
	}
}
