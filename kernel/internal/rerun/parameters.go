package rerun

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/internal/notebook"

	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A Parameter is a value for a run of a notebook, as written on a command line.
type Parameter struct{ Name, Value string }

// Parameters parses parameters of the form NAME=VALUE. If two have the same name, the later one
// counts.
func Parameters(written []string) ([]Parameter, error) {
	var list []Parameter
	for _, w := range written {
		name, value, ok := strings.Cut(w, "=")
		if name = strings.TrimSpace(name); !ok || !token.IsIdentifier(name) {
			return nil, fmt.Errorf("the parameter %q is not of the form NAME=VALUE", w)
		}
		list = slices.DeleteFunc(list, func(p Parameter) bool { return p.Name == name })
		list = append(list, Parameter{name, value})
	}
	return list, nil
}

// Inject inserts a cell that sets parameters after the cell with the tag [notebook.Parameters], and
// removes one from an earlier run. The parameters have the types of the declared variables. It
// returns an error for a parameter that does not exist, or whose value does not fit its type.
func Inject(nb *notebook.Notebook, parameters []Parameter) error {
	at := slices.IndexFunc(nb.Cells, func(c *notebook.Cell) bool { return c.Kind == notebook.Code && c.Tagged(notebook.Parameters) })
	if at < 0 {
		return fmt.Errorf("no cell of the notebook has the tag %s. Add the tag to the cell that declares the parameters", notebook.Parameters)
	}
	declared, names, err := declaredIn(nb.Cells[at].Source)
	if err != nil {
		return err
	}
	source := "// Parameters"
	for _, p := range parameters {
		d, ok := declared[p.Name]
		if !ok {
			return fmt.Errorf("there is no parameter %s: the cell with the tag %s declares %s", p.Name, notebook.Parameters, listed(names))
		}
		text, err := d.literal(p.Value)
		if err != nil {
			return fmt.Errorf("the parameter %s: %w", p.Name, err)
		}
		source += "\n" + p.Name + " = " + text
	}
	nb.Cells = slices.DeleteFunc(nb.Cells, func(c *notebook.Cell) bool { return c.Tagged(notebook.InjectedParameters) })
	at = slices.IndexFunc(nb.Cells, func(c *notebook.Cell) bool { return c.Kind == notebook.Code && c.Tagged(notebook.Parameters) })
	cell := &notebook.Cell{Kind: notebook.Code, Source: source, Metadata: map[string]any{"tags": []any{notebook.InjectedParameters}}}
	nb.Cells = slices.Insert(nb.Cells, at+1, cell)
	return nil
}

func listed(names []string) string {
	if len(names) == 0 {
		return "no variable"
	}
	return strings.Join(names, ", ")
}

// A parameterType is the declared type of a variable. Element is the name of a Go type, or empty if
// it is not a possible type of a parameter.
type parameterType struct {
	element  string
	slice    bool
	constant bool
}

// declaredIn returns the types of the variables that a cell declares, and their names in order.
func declaredIn(source string) (declared map[string]parameterType, names []string, err error) {
	list, at, complaint := syntax.Statements(magics.Without(source, nil))
	if at >= 0 {
		line := strings.Count(source[:at], "\n") + 1
		if complaint == "" {
			complaint = "it must not contain functions or imports"
		}
		return nil, nil, fmt.Errorf("the cell with the tag %s, line %d: %s", notebook.Parameters, line, complaint)
	}
	declared = map[string]parameterType{}
	declare := func(id *ast.Ident, t parameterType) {
		if _, again := declared[id.Name]; !again && id.Name != "_" {
			names = append(names, id.Name)
			declared[id.Name] = t
		}
	}
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			for i, left := range s.Lhs {
				if id, ok := left.(*ast.Ident); ok && s.Tok == token.DEFINE {
					t := parameterType{}
					if len(s.Rhs) == len(s.Lhs) {
						t = typeOf(s.Rhs[i], declared)
					}
					declare(id, t)
				}
			}
		case *ast.DeclStmt:
			d := s.Decl.(*ast.GenDecl)
			for _, spec := range d.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok {
					continue
				}
				for i, id := range v.Names {
					t := parameterType{}
					switch {
					case v.Type != nil:
						t = namedType(v.Type)
					case len(v.Values) == len(v.Names):
						t = typeOf(v.Values[i], declared)
					}
					t.constant = d.Tok == token.CONST
					declare(id, t)
				}
			}
		}
	}
	return declared, names, nil
}

// elements are the possible types of parameters, and of the elements of slices.
var elements = []string{
	"string", "bool", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "byte", "rune", "float32", "float64",
}

// namedType returns the type that a Go expression names.
func namedType(e ast.Expr) parameterType {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if slices.Contains(elements, e.Name) {
			return parameterType{element: e.Name}
		}
	case *ast.ArrayType:
		if t := namedType(e.Elt); e.Len == nil && !t.slice {
			return parameterType{element: t.element, slice: t.element != ""}
		}
	}
	return parameterType{}
}

// typeOf returns the type of a value, if it is clear without the packages that the value uses.
func typeOf(e ast.Expr, declared map[string]parameterType) parameterType {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		return parameterType{element: map[token.Token]string{token.INT: "int", token.FLOAT: "float64", token.STRING: "string", token.CHAR: "rune"}[e.Kind]}
	case *ast.Ident:
		if e.Name == "true" || e.Name == "false" {
			return parameterType{element: "bool"}
		}
		t := declared[e.Name]
		t.constant = false
		return t
	case *ast.UnaryExpr:
		return typeOf(e.X, declared)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return parameterType{element: "bool"}
		case token.SHL, token.SHR:
			return typeOf(e.X, declared)
		}
		x, y := typeOf(e.X, declared), typeOf(e.Y, declared)
		if y.element == "float64" && x.element == "int" {
			return y
		}
		if x.element == "" || y.element == "" {
			return parameterType{}
		}
		return x
	case *ast.CompositeLit:
		return namedType(e.Type)
	case *ast.CallExpr: // a conversion
		if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok && id.Name == "make" && len(e.Args) > 0 {
			return namedType(e.Args[0])
		}
		return namedType(e.Fun)
	}
	return parameterType{}
}

// literal returns a value of the type as Go code.
func (t parameterType) literal(value string) (string, error) {
	switch {
	case t.constant:
		return "", errors.New("it is declared as a constant; a parameter is a variable")
	case t.element == "":
		return "", fmt.Errorf("its type is unknown or not supported on a command line (supported: %s and slices of them). Declare it with its type, as in var C float64 = 1",
			strings.Join(elements, ", "))
	case !t.slice:
		return t.one(value)
	}
	values, err := elementsOf(value)
	if err != nil {
		return "", err
	}
	for i, v := range values {
		if values[i], err = t.one(v); err != nil {
			return "", err
		}
	}
	return "[]" + t.element + "{" + strings.Join(values, ", ") + "}", nil
}

// elementsOf returns the values of a list: a JSON array, or text separated by commas.
func elementsOf(value string) ([]string, error) {
	if strings.TrimSpace(value) == "" {
		return nil, nil
	}
	if !strings.HasPrefix(strings.TrimSpace(value), "[") {
		values := strings.Split(value, ",")
		for i, v := range values {
			values[i] = strings.TrimSpace(v)
		}
		return values, nil
	}
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(value), &raw); err != nil {
		return nil, fmt.Errorf("%s is not a JSON array: %w", value, err)
	}
	values := make([]string, len(raw))
	for i, r := range raw {
		if json.Unmarshal(r, &values[i]) != nil {
			values[i] = string(r)
		}
	}
	return values, nil
}

// one returns a value of the type, or of the elements of a slice, as Go code.
func (t parameterType) one(value string) (string, error) {
	wrong := func(err error) error {
		var number *strconv.NumError
		if errors.As(err, &number) && errors.Is(number.Err, strconv.ErrRange) {
			return fmt.Errorf("%s is out of range for %s", value, t.element)
		}
		return fmt.Errorf("%q is not a value of type %s", value, t.element)
	}
	bits := func(kind string) int {
		n, _ := strconv.Atoi(strings.TrimLeft(t.element, kind)) // 0 means that of int and uint
		return n
	}
	switch t.element {
	case "string":
		return strconv.Quote(value), nil
	case "bool":
		if value != "true" && value != "false" {
			return "", wrong(nil)
		}
		return value, nil
	case "float32", "float64":
		x, err := strconv.ParseFloat(value, bits("float"))
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return "", wrong(err)
		}
		return strings.TrimPrefix(value, "+"), nil
	case "uint", "uint8", "uint16", "uint32", "uint64", "byte":
		size := bits("uint")
		if t.element == "byte" {
			size = 8
		}
		if _, err := strconv.ParseUint(value, 0, size); err != nil {
			return "", wrong(err)
		}
		return value, nil
	}
	size := bits("int")
	if t.element == "rune" {
		size = 32
	}
	if _, err := strconv.ParseInt(value, 0, size); err != nil {
		return "", wrong(err)
	}
	return strings.TrimPrefix(value, "+"), nil
}
