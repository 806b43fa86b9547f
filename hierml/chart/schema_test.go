package chart

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dlclark/regexp2/v2"
	"github.com/mikelolasagasti/xz"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema compiles one of the schemas in testdata.
func schema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name+".json.xz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := xz.NewReader(file, 0)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(plain)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) {
		compiled, err := regexp2.Compile(pattern, regexp2.ECMAScript)
		return (*lookingAhead)(compiled), err
	})
	if err := c.AddResource("testdata:"+name, document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("testdata:" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// lookingAhead is a regular expression with what JSON schemas may have and package regexp has not.
type lookingAhead regexp2.Regexp

func (r *lookingAhead) MatchString(s string) bool {
	matches, err := (*regexp2.Regexp)(r).MatchString(s)
	return err == nil && matches
}

func (r *lookingAhead) String() string { return (*regexp2.Regexp)(r).String() }

// Every figure is what Vega and Vega-Lite say a specification is, interactive and as it is drawn,
// those of unusual inputs too.
func TestSpecifications(t *testing.T) {
	schemas := map[string]*jsonschema.Schema{vegaType: schema(t, "vega-5.33.0"), vegaLiteType: schema(t, "vega-lite-5.6.1")}
	all := figures(t)
	for name, f := range unusual(t) {
		all[name] = f
	}
	for name, f := range all {
		drawn, err := f.drawn()
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(drawn)
		if err != nil {
			t.Fatal(err)
		}
		valid(t, schemas[vegaType], name+" as it is drawn", string(text))
		if f.twin != nil {
			valid(t, schemas[f.twin.mime], name, spec(t, f))
		}
	}
	// The schemas refuse what is not right.
	for mime, wrong := range map[string]string{vegaType: `{"scales": [{"type": "linear"}]}`, vegaLiteType: `{"mark": "symbol"}`} {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(wrong))
		if err != nil {
			t.Fatal(err)
		}
		if schemas[mime].Validate(document) == nil {
			t.Errorf("%s: %s is valid", mime, wrong)
		}
	}
}

func valid(t *testing.T, schema *jsonschema.Schema, name, text string) {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := schema.Validate(document); err != nil {
		t.Errorf("%s: %.2000s", name, fmt.Sprintf("%#v", err))
	}
}
