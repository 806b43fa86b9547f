package lower

import (
	"go/types"

	"github.com/hierml/notebook/kernel/internal/check"
)

func (l *lowering) tree(info *types.Info) check.Tree {
	return check.Tree{Info: info, Natural: l.natural}
}
