package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// seen answers looks with what they ask.
func seen(looks []program.Look) []string {
	var texts []string
	for _, l := range looks {
		text := fmt.Sprintf("<%s %s", l.Aspect, l.Variable)
		if l.Field != "" {
			text += "." + l.Field
		}
		if l.Plain {
			text += " plain"
		}
		texts = append(texts, text+">")
	}
	return texts
}

// TestCompiledLooks looks at variables of compiled cells, for which nothing is compiled.
func TestCompiledLooks(t *testing.T) {
	s := newStage(t, program.CompiledMode)
	if _, _, err := s.run("type level int\ntype pair struct { x int; of level }\nn := 1; list := []int{1}; p := pair{1, 2}; var q *pair"); err != nil {
		t.Fatal(err)
	}
	built := len(s.scribe.built)
	who, _ := s.runOn(t, "%who").shown[0].Data["text/plain"].(string)
	for _, want := range []string{"<brief n>", "len <length list>", "{x:<brief p.x> of:<brief p.of plain>}"} {
		if !strings.Contains(who, want) {
			t.Errorf("%%who shows\n%s\nwant %s", who, want)
		}
	}
	if plain, _ := s.engine.Inspect("list", 1, 0).Data["text/plain"].(string); !strings.Contains(plain, "length <length list>") {
		t.Errorf("inspection shows %s", plain)
	}
	if len(s.scribe.built) > built {
		t.Errorf("%d units were compiled for looks", len(s.scribe.built)-built)
	}
}
