package assist

import (
	"go/token"
)

// keywordSense explains each keyword in a sentence or two.
var keywordSense = map[token.Token]string{
	token.BREAK:       "break ends the innermost for, switch or select statement around it, or the one with the label that it names.",
	token.CASE:        "case begins a clause of a switch or select statement: the values, types or communication for which its statements run.",
	token.CHAN:        "chan begins the type of a channel, through which goroutines send and receive values: chan T both, <-chan T only receives, chan<- T only sends.",
	token.CONST:       "const declares constants, whose values are known at compile time. In a group, iota counts the lines.",
	token.CONTINUE:    "continue begins the next iteration of the innermost for loop around it, or of the one with the label that it names.",
	token.DEFAULT:     "default begins the clause of a switch or select statement that runs if no other does.",
	token.DEFER:       "defer calls a function when the surrounding function returns or panics. The arguments are evaluated at once; several such calls run in reverse order.",
	token.ELSE:        "else begins the block that runs if the condition of the if statement is false.",
	token.FALLTHROUGH: "fallthrough, as the last statement of a case, continues with the statements of the next.",
	token.FOR:         "for begins a loop: over a condition, over an initial statement, a condition and a statement after each iteration, or over the values of a range.",
	token.FUNC:        "func declares a function or method, and begins a function literal or the type of functions.",
	token.GO:          "go calls a function in a new goroutine and does not wait for it.",
	token.GOTO:        "goto jumps to a label of the same function, not past declarations of variables and not into a block.",
	token.IF:          "if runs a block if a condition is true. A statement may precede the condition; its variables are in scope up to the end of the last else.",
	token.IMPORT:      "import makes a package available in the notebook under its name, or under a name written before its path.",
	token.INTERFACE:   "interface begins the type of values that have certain methods, or as a constraint a set of types.",
	token.MAP:         "map begins the type of maps: map[K]V has a value of type V for keys of type K, which must be comparable.",
	token.PACKAGE:     "package names the package of a file. A cell needs none: all cells are one package.",
	token.RANGE:       "range makes a for loop iterate over a slice, an array, a string, a map, a channel, the integers below a number, or what an iterator function yields.",
	token.RETURN:      "return ends a function, with values for its results.",
	token.SELECT:      "select waits until one of several sends and receives can proceed, and runs its clause; with a default clause it does not wait.",
	token.STRUCT:      "struct begins a type with fields.",
	token.SWITCH:      "switch runs the first clause with a case that equals a value, that is true if there is no value, or that is the type of an interface's value.",
	token.TYPE:        "type declares a new type, or with = another name for one.",
	token.VAR:         "var declares variables. Those without a value are zero.",
}

// keyword describes the keyword at source[start:end]; nil if there is none.
func (q *inspector) keyword(start, end int) *description {
	tok := token.Lookup(q.source[start:end])
	if !tok.IsKeyword() {
		return nil
	}
	return &description{declaration: "keyword " + tok.String(), documentation: keywordSense[tok]}
}
