package features

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
)

// TestNormalization has characters of several scripts, as the Unicode Standard and scikit-learn's
// strip_accents_unicode give them.
func TestNormalization(t *testing.T) {
	for _, test := range []struct{ text, nfc, nfkc, none string }{
		{"plain text 1", "plain text 1", "plain text 1", "plain text 1"},
		{"cafe\u0301 café", "café café", "café café", "cafe cafe"},
		{"ﬁx ² ½ Ⅷ ｱ", "ﬁx ² ½ Ⅷ ｱ", "fix 2 1⁄2 VIII ア", "fix 2 1⁄2 VIII ア"},
		{"Å\u0327 \u212b", "Å\u0327 Å", "Å\u0327 Å", "A A"},
		{"각 \u1100\u1161\u11a8", "각 각", "각 각", "각 각"},
		{"Ελλη\u0301νικά ёж", "Ελλήνικά ёж", "Ελλήνικά ёж", "Ελληνικα еж"},
		{"\u0301a", "\u0301a", "\u0301a", "a"},
		{"ş\u0323 \u0958", "ş\u0323 \u0915\u093c", "ş\u0323 \u0915\u093c", "s \u0915"},
		{"a\xffe\u0301\xc3", "a\xffé\xc3", "a\xffé\xc3", "a\xffe\xc3"},
		{"o" + strings.Repeat("\u0308", 40), "ö" + strings.Repeat("\u0308", 9), "ö" + strings.Repeat("\u0308", 9), "o"},
	} {
		for form, want := range map[Normalization]string{AsWritten: test.text, NFC: test.nfc, NFKC: test.nfkc, NoAccents: test.none} {
			if got := form.of(test.text); got != want {
				t.Errorf("%v of %+q is %+q, want %+q", form, test.text, got, want)
			}
		}
	}
}

// TestNormalizedTerms holds texts in both forms to one vector, stop words among them, also after a
// way through JSON.
func TestNormalizedTerms(t *testing.T) {
	c := example.Fruits("cafe\u0301 noir", "thé vert, thé noir")
	v, err := Text{Normalize: NoAccents, StopWords: []string{"vért"}, Weight: Counts, Norm: NoNorm}.Fit(c)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(v.Vocabulary(), " "); got != "cafe noir the" {
		t.Errorf("vocabulary %q", got)
	}
	data, err := json.Marshal(v)
	if err != nil || !strings.Contains(string(data), `"Normalize":"no accents"`) {
		t.Fatalf("%s, %v", data, err)
	}
	again := new(Vectorizer)
	if err := json.Unmarshal(data, again); err != nil {
		t.Fatal(err)
	}
	a, b := again.Vectors("CAFÉ the\u0301"), v.Vectors("cafe the")
	if a.Len() != 1 || len(a.Indices) != 2 || a.Indices[0] != b.Indices[0] || a.Indices[1] != b.Indices[1] {
		t.Errorf("%v, %v", a, b)
	}
	if _, err := (Text{Normalize: 4}).Fit(c); err == nil || !strings.Contains(err.Error(), "Normalize is 4") {
		t.Error(err)
	}
}
