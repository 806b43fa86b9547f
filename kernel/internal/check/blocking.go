package check

// Blocking are methods of compiled types that may wait forever for something outside the program.
// The value says whether they go on working after an interrupt has abandoned them; the user is told
// so.
var Blocking = map[string]bool{
	// They wait for a peer that may never answer.
	"(*net/http.Client).Do":        false,
	"(*net/http.Client).Get":       false,
	"(*net/http.Client).Head":      false,
	"(*net/http.Client).Post":      false,
	"(*net/http.Client).PostForm":  false,
	"(*net.Dialer).Dial":           false,
	"(*net.Dialer).DialContext":    false,
	"(net.Listener).Accept":        false,
	"(*net.TCPListener).Accept":    false,
	"(*net.UnixListener).Accept":   false,
	"(*net.TCPListener).AcceptTCP": false,
	"(net.Conn).Read":              false,
	"(net.Conn).Write":             false,
	"(*net.conn).Read":             false,
	"(*net.conn).Write":            false,
	"(net.PacketConn).ReadFrom":    false,
	"(*net.UDPConn).ReadFrom":      false,
	"(*net.UDPConn).ReadFromUDP":   false,
	// They read everything from such a peer. Methods that read a little, such as those of bufio,
	// are not listed: they are called for every line of a file, and another goroutine would cost
	// more than the reading.
	"(io.ReaderFrom).ReadFrom":       false,
	"(io.WriterTo).WriteTo":          false,
	"(*bytes.Buffer).ReadFrom":       false,
	"(*encoding/csv.Reader).ReadAll": false,
	// They wait for another process, which receives the interrupt itself.
	"(*os/exec.Cmd).Run":            false,
	"(*os/exec.Cmd).Wait":           false,
	"(*os/exec.Cmd).Output":         false,
	"(*os/exec.Cmd).CombinedOutput": false,
	"(*os.Process).Wait":            false,
	// They serve until they are closed.
	"(*net/http.Server).ListenAndServe":    true,
	"(*net/http.Server).ListenAndServeTLS": true,
	"(*net/http.Server).Serve":             true,
	"(*net/http.Server).ServeTLS":          true,
	"(*net/rpc.Server).Accept":             true,
	"(*net/rpc.Client).Call":               false,
}

// BlockingFunctions are such functions, and such methods of packages that the interpreter does not
// have, for compiled cells.
var BlockingFunctions = map[string]bool{
	// It waits for its own goroutines, which end in the cell's functions that they call.
	"gonum.org/v1/gonum/optimize.Minimize": false,
	"net/http.Get":                         false,
	"net/http.Head":                        false,
	"net/http.Post":                        false,
	"net/http.PostForm":                    false,
	"net/http.ReadRequest":                 false,
	"net/http.ReadResponse":                false,
	"net/http.ListenAndServe":              true,
	"net/http.ListenAndServeTLS":           true,
	"net/http.Serve":                       true,
	"net/http.ServeTLS":                    true,
	"net/rpc.Accept":                       true,
	"net/rpc.ServeConn":                    true,
	"net.Dial":                             false,
	"net.DialTimeout":                      false,
	"net.DialTCP":                          false,
	"net.DialUDP":                          false,
	"net.DialUnix":                         false,
	"net.DialIP":                           false,
	"net.LookupAddr":                       false,
	"net.LookupCNAME":                      false,
	"net.LookupHost":                       false,
	"net.LookupIP":                         false,
	"net.LookupMX":                         false,
	"net.LookupNS":                         false,
	"net.LookupPort":                       false,
	"net.LookupSRV":                        false,
	"net.LookupTXT":                        false,
	"crypto/tls.Dial":                      false,
	"crypto/tls.DialWithDialer":            false,
	"net/smtp.Dial":                        false,
	"net/smtp.NewClient":                   false,
	"net/smtp.SendMail":                    false,
	// It waits for goroutines.
	"(*golang.org/x/sync/errgroup.Group).Wait": false,
	// They read until an end that the other side determines.
	"io.Copy":            false,
	"io.CopyBuffer":      false,
	"io.CopyN":           false,
	"io.ReadAll":         false,
	"io.ReadAtLeast":     false,
	"io.ReadFull":        false,
	"io/ioutil.ReadAll":  false,
	"io/ioutil.ReadFile": false,
	// Opening and reading a pipe waits for its other end.
	"os.Open":      false,
	"os.OpenFile":  false,
	"os.ReadFile":  false,
	"os.WriteFile": false,
}
