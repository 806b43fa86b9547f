package lite

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

// Serve serves a site on the loopback device, on port 8000 if that is free, until ctx is done. It
// calls told with the address.
func Serve(ctx context.Context, site string, told func(address string)) error {
	if _, err := os.Stat(filepath.Join(site, settingsFile)); err != nil {
		return fmt.Errorf("%s has no site: %w", site, err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:8000")
	if err != nil {
		listener, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return err
	}
	told("http://" + listener.Addr().String() + "/")
	server := &http.Server{Handler: http.FileServer(http.Dir(site))}
	context.AfterFunc(ctx, func() { _ = server.Close() }) // the last requests do not matter
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}
