package damaged

import (
	"context"
	"io"

	"github.com/hierml/notebook/hierml/taxonomy"
)

func reads(f taxonomy.Format, ctx context.Context, r io.Reader, name string) error {
	_, err := f.Read(ctx, r, name)
	return err
}

// taxonomies are the formats of taxonomies.
var taxonomies = []*format{
	{
		name: "edges", file: "tree.tsv",
		sound: "food\tfruit\nfruit\tapple\nfruit\tpear\nfood\tbread\nalone\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			return reads(taxonomy.Edges{Repair: repair}, ctx, r, name)
		},
		cases: []damagedFile{
			{"a cycle", "", "food\tfruit\nfruit\tapple\napple\tfood\n"},
			{"a cycle of two apart", "", "food\tfruit\nmoss\ttree\ntree\tmoss\n"},
			{"two cycles", "", "a\tb\nb\ta\nc\td\nd\tc\n"},
			{"its own child", "", "food\tfruit\nfruit\tfruit\n"},
			{"an edge twice", "", "food\tfruit\nfruit\tapple\nfood\tfruit\n"},
			{"no parent", "", "food\tfruit\n\tapple\n"},
			{"no child", "", "food\tfruit\nfruit\t\n"},
			{"three names", "", "food\tfruit\tapple\n"},
			{"only blanks", "", "  \n\t\n"},
			{"Latin-1", "latin1", "Obst\tÄpfel\n"},
			{"a long name without end", "unquote, repeat 80000000", many},
			{"a bomb of one edge", "unquote, repeat 1000000, gzip", "\"food\\tfruit\\n\"\n"},
		},
	},
	{
		name: "edges-blanks", file: "cat_hier.txt",
		sound: "1 2\n1 3\n3 4\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			return reads(taxonomy.Edges{Separator: " ", Repair: repair}, ctx, r, name)
		},
		cases: []damagedFile{
			{"three numbers", "", "1 2\n1 3 4\n"},
			{"a cycle", "", "1 2\n2 3\n3 1\n"},
			{"an edge twice", "", "1 2\n 1  2 \n"},
		},
	},
	{
		name: "rules", file: "rules.tsv",
		sound: "food\tfruit\nfood\tbread\nfruit\tapple\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			rules := taxonomy.Rules{Tree: true, NoRedundant: true, NoLone: true, OneRoot: true}
			return reads(taxonomy.Edges{Rules: rules, Repair: repair}, ctx, r, name)
		},
		cases: []damagedFile{
			{"two roots", "", "food\tfruit\nstone\tmarble\n"},
			{"an orphan", "", "food\tfruit\nmoss\n"},
			{"two parents", "", "food\tfruit\nfood\tplant\nfruit\tapple\nplant\tapple\n"},
			{"a redundant edge", "", "food\tfruit\nfood\tapple\nfruit\tapple\n"},
		},
	},
	{
		name: "paths", file: "tree.paths",
		sound: "food/fruit/apple\nfood/fruit/pear\nfood/bread\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			return reads(taxonomy.Paths{Repair: repair}, ctx, r, name)
		},
		cases: []damagedFile{
			{"two slashes", "", "food/fruit\nfood//bread\n"},
			{"a slash first", "", "/food/fruit\n"},
			{"a slash last", "", "food/fruit/\n"},
			{"only slashes", "", "///\n"},
			{"too deep", "unquote, repeat 2000, cut 1", "\"a/\"\n"},
			{"too long", "unquote, repeat 70000", many},
		},
	},
	{
		name: "newick", file: "tree.nwk",
		sound: "((apple:0.1,'sweet pear':2)fruit:1e-2,[baked]bread)food;\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			return reads(taxonomy.Newick{Repair: repair}, ctx, r, name)
		},
		cases: []damagedFile{
			{"no semicolon", "", "(apple,pear)fruit\n"},
			{"a parenthesis open", "", "((apple,pear)fruit,bread;\n"},
			{"a parenthesis too many", "", "(apple,pear))fruit;\n"},
			{"a comma outside", "", "apple,pear;\n"},
			{"a quote open", "", "(apple,'pear)fruit;\n"},
			{"a comment open", "", "(apple,[pear)fruit;\n"},
			{"a blank in a name", "", "(sweet apple,pear)fruit;\n"},
			{"a length that is none", "", "(apple:x,pear)fruit;\n"},
			{"no length", "", "(apple:,pear)fruit;\n"},
			{"a name twice", "", "(apple,\napple)fruit;\n"},
			{"support that looks like names", "", "((a,b)95,(c,d)95)root;\n"},
			{"a leaf without name", "", "(apple,)fruit;\n"},
			{"parentheses without end", "unquote, repeat 1000000", "\"(\"\n"},
			{"a name without end", "unquote, repeat 2000000", many},
		},
	},
	{
		name: "obo", file: "terms.obo",
		sound: "format-version: 1.2\n\n[Term]\nid: F:1\nname: food\n\n[Term]\nid: F:2\nname: fruit\nis_a: F:1 ! food\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			return reads(taxonomy.OBO{Repair: repair, Relations: []string{"part_of"}}, ctx, r, name)
		},
		cases: []damagedFile{
			{"an unknown parent", "", "[Term]\nid: F:2\nis_a: F:1\n"},
			{"an obsolete parent", "", "[Term]\nid: F:1\nis_obsolete: true\n[Term]\nid: F:2\nis_a: F:1\n"},
			{"a relationship without target", "", "[Term]\nid: F:1\nrelationship: part_of\n"},
			{"a relationship to an unknown term", "", "[Term]\nid: F:1\nrelationship: part_of F:9 ! nothing\n"},
			{"a term twice", "", "[Term]\nid: F:1\n\n[Term]\nid: F:1\n"},
			{"a second id", "", "[Term]\nid: F:1\nid: F:2\n"},
			{"a term without id", "", "[Term]\nname: food\n"},
			{"an id without value", "", "[Term]\nid:\nname: food\n"},
			{"a stanza without end", "", "[Term\nid: F:1\n"},
			{"no tag", "", "[Term]\nid: F:1\nfood\n"},
			{"an unknown escape", "", "[Term]\nid: F:1\\q\n"},
			{"a cycle", "", "[Term]\nid: F:1\nis_a: F:2\n[Term]\nid: F:2\nis_a: F:1\n"},
			{"its own parent", "", "[Term]\nid: F:1\nis_a: F:1\n"},
			{"no terms", "", "format-version: 1.2\n[Typedef]\nid: part_of\n"},
			{"a line that is continued by nothing", "", "[Term]\nid: F:1 \\"},
			{"a line that is continued without end", "unquote, repeat 700000", "\"a\\\\\\n\"\n"},
		},
	},
	{
		name: "json", file: "tree.json",
		sound: "{\"name\": \"food\", \"children\": [\n {\"name\": \"fruit\", \"children\": [{\"name\": \"apple\"}, \"pear\"]},\n {\"name\": \"bread\", \"size\": 3}]}\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			return reads(taxonomy.JSON{Repair: repair}, ctx, r, name)
		},
		cases: []damagedFile{
			{"a string alone", "", "\"food\"\n"},
			{"an empty object", "", "{}\n"},
			{"an empty list", "", "[]\n"},
			{"no name", "", "{\"name\": \"food\", \"children\": [{\"size\": 3}]}\n"},
			{"a name that is a list", "", "{\"name\": [\"food\"]}\n"},
			{"two names", "", "{\"name\": \"food\", \"name\": \"fruit\"}\n"},
			{"children that are an object", "", "{\"name\": \"food\", \"children\": {\"name\": \"fruit\"}}\n"},
			{"a child that is a number", "", "{\"name\": \"food\", \"children\": [3]}\n"},
			{"a name twice", "", "{\"name\": \"food\", \"children\": [{\"name\": \"food\"}]}\n"},
			{"a comma too many", "", "{\"name\": \"food\", \"children\": [\"a\",]}\n"},
			{"a comma too few", "", "{\"name\": \"food\" \"children\": []}\n"},
			{"no colon", "", "{\"name\" \"food\"}\n"},
			{"a key without quotes", "", "{name: \"food\"}\n"},
			{"single quotes", "", "{'name': 'food'}\n"},
			{"a comment", "", "{\"name\": \"food\" /* all */}\n"},
			{"an unknown escape", "", "{\"name\": \"fo\\xod\"}\n"},
			{"a string without end", "", "{\"name\": \"food}\n"},
			{"a control character", "unquote", "\"{\\\"name\\\": \\\"fo\\x01od\\\"}\"\n"},
			{"an escaped NUL", "", "{\"name\": \"fo\\u0000od\"}\n"},
			{"a number that is none", "", "{\"name\": \"food\", \"size\": 01}\n"},
			{"a word that is none", "", "{\"name\": \"food\", \"size\": True}\n"},
			{"brackets that do not fit", "", "{\"name\": \"food\", \"size\": [1, 2}}\n"},
			{"a second tree", "", "{\"name\": \"food\"}\n{\"name\": \"fruit\"}\n"},
			{"a graph", "", "{\"nodes\": [\"food\"], \"edges\": [[\"food\", \"fruit\"]]}\n"},
			{"lists without end", "unquote, repeat 1000000", "\"[\"\n"},
			{"children without end", "unquote, repeat 200000", "\"{\\\"children\\\":[\"\n"},
			{"a value without end", "unquote, repeat 1000000", "\"{\\\"x\\\":\"\n"},
			{"a name without end", "unquote, repeat 2000000, insert 0 7b226e616d65223a22", many},
		},
	},
	{
		name: "dot", file: "tree.dot",
		sound: "digraph food {\n  node [shape=box]; // all\n  food -> {fruit bread};\n  fruit -> \"sweet apple\" -> core [color=red];\n}\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			return reads(taxonomy.DOT{Repair: repair}, ctx, r, name)
		},
		cases: []damagedFile{
			{"undirected", "", "graph { food -- fruit }\n"},
			{"an undirected edge", "", "digraph { food -- fruit }\n"},
			{"a brace open", "", "digraph {\n food -> {fruit\n}\n"},
			{"a brace too many", "", "digraph { food -> fruit }}\n"},
			{"a bracket open", "", "digraph { food [color=red }\n"},
			{"a quote open", "", "digraph { food -> \"fruit }\n"},
			{"a comment open", "", "digraph { food /* -> fruit }\n"},
			{"HTML open", "", "digraph { food [label=<<b>food</b>] }\n"},
			{"an arrow to nothing", "", "digraph { food -> }\n"},
			{"an arrow from nothing", "", "digraph { -> food }\n"},
			{"half an arrow", "", "digraph { food - fruit }\n"},
			{"a hyphen in a name", "", "digraph { sweet-apple }\n"},
			{"a slash in a name", "", "digraph { sweet/apple }\n"},
			{"an attribute without value", "", "digraph { food [color=] }\n"},
			{"an empty name", "", "digraph { \"\" -> food }\n"},
			{"a plus to nothing", "", "digraph { \"food\" + fruit }\n"},
			{"an edge twice", "", "digraph {\n food -> fruit\n food -> fruit\n}\n"},
			{"a cycle", "", "digraph { food -> fruit -> apple -> food }\n"},
			{"its own child", "", "digraph { food -> {fruit food} }\n"},
			{"two graphs", "", "digraph { a }\ndigraph { b }\n"},
			{"no graph", "", "food -> fruit\n"},
			{"no nodes", "", "digraph { }\n"},
			{"a subgraph that is not there", "", "digraph { subgraph fruit -> apple }\n"},
			{"subgraphs without end", "unquote, repeat 100000, insert 0 64696772617068", "\"{\"\n"},
			{"a name without end", "unquote, repeat 2000000, insert 0 64696772617068207b", many},
		},
	},
	{
		name: "rcv1-hierarchy", file: "topics.hier",
		sound: "parent: None  child: Root  child-description: Root\nparent: Root  child: C15  child-description: PERFORMANCE\nparent: C15  child: C151  child-description: ACCOUNTS\n",
		read: func(ctx context.Context, r io.Reader, name string, repair *taxonomy.Faults) error {
			return reads(taxonomy.RCV1{Repair: repair}, ctx, r, name)
		},
		cases: []damagedFile{
			{"no child", "", "parent: Root  child:\n"},
			{"a cycle", "", "parent: A child: B child-description: x\nparent: B child: A child-description: x\n"},
			{"an edge in another form", "", "Root C15\n"},
		},
	},
}
