package damaged

import (
	"context"
	"io"

	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// texts are the formats of texts and tables.
var texts = []*format{
	{
		name: "csv", file: "texts.csv",
		sound: "id,label,text\n1,apple,red and round\n2,\"pear,bread\",\"two\nlines, \"\"quoted\"\"\"\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			_, err := files.CSV{Repair: repair}.Read(ctx, r, name, fruit())
			return err
		},
		cases: []damagedFile{
			{"only titles", "", "id,label,text\n"},
			{"no column of texts", "", "id,label,words\n1,apple,red\n"},
			{"two columns of labels", "", "label,label,text\napple,pear,red\n"},
			{"unknown label", "", "label,text\nmoss,green\n"},
			{"a comma for a label", "", "label,text\n\",\",red\n"},
			{"a field too few", "", "id,label,text\n1,apple,red\n2,apple\n"},
			{"a field too many", "", "id,label,text\n1,apple,red,round\n"},
			{"a quote open", "", "label,text\napple,\"red\npear,green\n"},
			{"a quote within", "", "label,text\napple,re\"d\n"},
			{"something behind a quote", "", "label,text\napple,\"red\"x\n"},
			{"Latin-1", "latin1", "label,text\napple,grün\n"},
			{"a quote without end", "unquote, repeat 80000000, insert 0 6c6162656c2c746578740a6170706c652c22", many},
		},
	},
	{
		name: "table", file: "rows.csv",
		sound: "label,red,size,colour\napple,0.5,1,red\npear,,2,green\nbread,-1e3,3,\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			_, err := files.Table{Label: "label", Numbers: []string{"red"}, Repair: repair}.Read(ctx, r, name, fruit())
			return err
		},
		cases: []damagedFile{
			{"only titles", "", "label,red,size\n"},
			{"no titles", "", "apple,0.5,1\npear,1,2\n"},
			{"a word for a number", "", "label,red\napple,1\npear,very\n"},
			{"a date for a number", "", "label,red\napple,2026-11-28\n"},
			{"a number beyond all", "", "label,red\napple,1e999\n"},
			{"a list for a number", "", `{"label": "apple", "red": ["1", "2"]}` + "\n"},
			{"two columns alike", "", "label,red,red\napple,1,2\n"},
			{"no column of that name", "", "label;Red\napple;1\n"},
			{"unknown label", "", "label,red\nmoss,1\n"},
			{"a field too many", "", "label,red\napple,1,2\n"},
			{"a quote open", "", "label,red\napple,\"1\npear,2\n"},
			{"Latin-1", "latin1", "label,red,colour\napple,1,grün\n"},
			{"an object that is cut", "", `{"label": "apple", "red": 1}` + "\n" + `{"label": "pear", "re` + "\n"},
			{"a list of objects that is cut", "", `[{"label": "apple", "red": 1},` + "\n"},
		},
	},
	{
		name: "wipo", file: "patents.xml",
		sound: wipoRecord("A01B00102", "A plough", "It ploughs."),
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			_, err := files.WIPO{Repair: repair}.Read(ctx, r, name, nil)
			return err
		},
		cases: []damagedFile{
			{"no record", "", "<records></records>\n"},
			{"no XML", "", "A plough. It ploughs.\n"},
			{"no symbol", "", wipoRecord("", "A plough", "It ploughs.")},
			{"a symbol that is none", "", wipoRecord("plough", "A plough", "It ploughs.")},
			{"a symbol that is cut", "", wipoRecord("A0", "A plough", "It ploughs.")},
			{"an element open", "", "<record pn=\"1\"><ipcs mc=\"A01B00102\"></ipcs><tis><ti>A plough</tis></record>\n"},
			{"a record open", "", "<record pn=\"1\"><ipcs mc=\"A01B00102\"></ipcs>\n"},
			{"an attribute without quotes", "", "<record pn=1><ipcs mc=A01B00102></ipcs></record>\n"},
			{"an unknown entity", "", wipoRecord("A01B00102", "A &plough;", "It ploughs.")},
			{"an ampersand alone", "", wipoRecord("A01B00102", "Plough & Son", "It ploughs.")},
			{"a control character", "", wipoRecord("A01B00102", "A \x01plough", "It ploughs.")},
			{"Latin-1 that does not say so", "latin1", wipoRecord("A01B00102", "Ein Pflüg", "Er pflügt.")},
			{"an unknown encoding", "", "<?xml version=\"1.0\" encoding=\"klingon\"?>\n" + wipoRecord("A01B00102", "A plough", "It ploughs.")},
			{"entities of entities", "", "<!DOCTYPE record [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>\n" + wipoRecord("A01B00102", "&b;&b;", "It ploughs.")},
			{"elements without end", "unquote, repeat 100000, insert 0 3c7265636f72643e", "\"<a>\"\n"},
			{"a text without end", "unquote, repeat 5000000, insert 0 3c7265636f72643e3c7469733e3c74693e", many},
		},
	},
}

// wipoRecord is a file of one patent.
func wipoRecord(symbol, title, abstract string) string {
	return "<record pn=\"WO9912345\">\n <ipcs ed=\"7\" mc=\"" + symbol + "\"></ipcs>\n <tis><ti xml:lang=\"EN\">" + title +
		"</ti></tis>\n <abs><ab xml:lang=\"EN\">" + abstract + "</ab></abs>\n</record>\n"
}
