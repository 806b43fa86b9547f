package compiled

import (
	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/compiled/gobnames"
	"github.com/hierml/notebook/kernel/internal/compiled/standard"
)

// called are the functions of the packages that cells call. Because the program refers to them, the
// linker puts them into the program. Otherwise each plugin would contain those that it calls, with
// all that they call.
var called = []any{
	cell.Anew, cell.Bind, cell.Caught, cell.Check, cell.CheckApart, cell.Done, cell.Exit, cell.Failed,
	cell.Fatal, cell.Fatalf, cell.Fatalln, cell.FmtPrint, cell.FmtPrintf, cell.FmtPrintln,
	cell.FmtScan, cell.FmtScanf, cell.FmtScanln, cell.Guard, cell.Instances, cell.KeyOf, cell.Lock,
	cell.LockAny, cell.LockRW, cell.LoggerFatal, cell.LoggerFatalf, cell.LoggerFatalln, cell.Lookup,
	cell.Newest, cell.Open, cell.Print, cell.Println, cell.RLock, cell.Reached, cell.Register, cell.RegisterRun,
	cell.Renew, cell.SetHost, cell.Show, cell.Sleep, cell.Stop, cell.Stopping, cell.Strings,
	cell.Supersede, cell.TypeOf, cell.Variables, cell.Wait, cell.WaitCond,
	gobnames.Register, gobnames.RegisterName, standard.AfterFunc, standard.DoLabelled, standard.EndsWithCell, standard.FlagParser,
	standard.IgnoreSignals, standard.Notify, standard.NotifyContext, standard.Of, standard.ParseCommandLine, standard.ParseFlags,
	standard.Read, standard.ResetSignals, standard.SetHost, standard.SetLabels, standard.StopSignals, standard.Write,
	standard.WriteString,
}
