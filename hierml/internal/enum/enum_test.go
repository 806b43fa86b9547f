package enum_test

import (
	"encoding"
	"testing"

	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/svm"
)

func TestWords(t *testing.T) {
	for want, c := range map[string]struct {
		value encoding.TextMarshaler
		read  encoding.TextUnmarshaler
	}{
		"Margin":     {structured.Margin, new(structured.Rescaling)},
		"Slack":      {structured.Slack, new(structured.Rescaling)},
		"Single":     {clustering.Single, new(clustering.Linkage)},
		"Complete":   {clustering.Complete, new(clustering.Linkage)},
		"Ward":       {clustering.Ward, new(clustering.Linkage)},
		"Cosine":     {clustering.Cosine, new(clustering.Distance)},
		"GlobalMean": {svm.GlobalMean, new(svm.Mean)},
		"LocalMean":  {svm.LocalMean, new(svm.Mean)},
	} {
		text, err := c.value.MarshalText()
		if err != nil || string(text) != want {
			t.Errorf("%q, %v; want %q", text, err, want)
		}
		for _, word := range []string{want, "gLOBALmEAN"} {
			if err := c.read.UnmarshalText([]byte(word)); (err == nil) != (word == want || want == "GlobalMean" || want == "LocalMean") {
				t.Errorf("%s: %v", word, err)
			}
		}
		if err := c.read.UnmarshalText([]byte("nonsense")); err == nil {
			t.Errorf("%s: nonsense is read", want)
		}
	}
	if text, err := structured.Rescaling(7).MarshalText(); err == nil {
		t.Errorf("a value that is none is %q", text)
	}
}
