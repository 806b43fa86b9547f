package syntax

// columns is what a line is multiplied by in a note, before the column is
// added. The interpreter takes them apart again.
const Columns = 1000
