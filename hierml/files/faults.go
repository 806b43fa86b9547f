package files

import (
	"errors"

	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Faults counts the repaired faults of files by kind, with the first of each.
type Faults = taxonomy.Faults

// Fault is one kind of fault with its repair.
type Fault = taxonomy.Fault

// faultKind is a kind of fault that the readers of this package can repair. The documentation of
// the package lists them all.
type faultKind struct {
	name, repair string
	leavesOut    bool // the instance that has the fault
}

var (
	faultUnknownLabel = faultKind{name: "unknown label", repair: "label left out"}
	faultEmptyLabel   = faultKind{name: "empty label", repair: "label left out"}
	faultLabelTwice   = faultKind{name: "label given twice", repair: "taken once"}
	faultNoLabel      = faultKind{name: "no known label", repair: "instance left out", leavesOut: true}
	faultIndex        = faultKind{name: "feature index out of range", repair: "feature left out"}
	faultFeatureTwice = faultKind{name: "feature given twice", repair: "values added"}
	faultOrder        = faultKind{name: "features out of order", repair: "sorted"}
	faultNotFinite    = faultKind{name: "value not finite", repair: "taken as zero"}
	faultMissing      = faultKind{name: "missing number", repair: "taken as zero"}
	faultUnknownValue = faultKind{name: "unknown value", repair: "value left out"}
	faultUnreadable   = faultKind{name: "unreadable instance", repair: "instance left out", leavesOut: true}
	faultEmptyRow     = faultKind{name: "instance without features", repair: "kept, all zeros"}
	faultEmptyText    = faultKind{name: "document without text", repair: "kept, empty"}
	faultCount        = faultKind{name: "wrong count", repair: "the number in the file taken"}
	faultEncoding     = faultKind{name: "text that is not UTF-8", repair: "wrong bytes replaced by U+FFFD"}
	faultTwice        = faultKind{name: "number given twice", repair: "the first taken"}
	faultEdgeTwice    = faultKind{name: "edge given twice", repair: "taken once"}
	faultCut          = faultKind{name: "damaged compression", repair: "the part before it taken"}
)

// errLeftOut means that the current instance is left out as a repair.
var errLeftOut = errors.New("instance left out")

// report returns the error of a fault. Where faults are repaired, it counts the fault and returns
// nil, or errLeftOut if that is the repair.
func report(repair *Faults, kind faultKind, err error) error {
	if repair == nil {
		return err
	}
	var at *SyntaxError
	errors.As(err, &at)
	repair.Add(kind.name, kind.repair, at)
	if kind.leavesOut {
		return errLeftOut
	}
	return nil
}

// isCut reports whether the error is that a compressed file cannot be read further.
func isCut(err error) bool {
	var damaged *textfile.DamagedError
	return errors.As(err, &damaged)
}
