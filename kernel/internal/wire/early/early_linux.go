//go:build cgo

package early

/*
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHANNELS 5

static int ports[CHANNELS], sockets[CHANNELS], count, parent;

static int port(int i) { return ports[i]; }
static int file(int i) { return sockets[i]; }
static int number(void) { return count; }
static int starter(void) { return parent; }

// value returns what stands behind a key.
static const char *value(const char *text, const char *key) {
	const char *at = strstr(text, key);
	if (at == NULL) {
		return "";
	}
	at += strlen(key);
	return at + strspn(at, " \t\r\n:");
}

static int starts(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static void listen_on(int port) {
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int on = 1, s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s < 0) {
		return;
	}
	if (setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
		bind(s, (struct sockaddr *)&address, sizeof address) != 0 || listen(s, SOMAXCONN) != 0) {
		close(s);
		return;
	}
	ports[count] = port;
	sockets[count++] = s;
}

// begin runs before Go's runtime, with the arguments of main.
__attribute__((constructor)) static void begin(int argc, char **argv) {
	static const char *const keys[CHANNELS] = {"\"shell_port\"", "\"iopub_port\"", "\"control_port\"", "\"stdin_port\"", "\"hb_port\""};
	char text[4096];
	struct stat status;
	ssize_t size = -1;
	parent = getppid();
	if (argc != 3 || strcmp(argv[1], "kernel") != 0) {
		return;
	}
	int f = open(argv[2], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (f < 0) {
		return;
	}
	if (fstat(f, &status) == 0 && S_ISREG(status.st_mode)) {
		size = read(f, text, sizeof text - 1);
	}
	close(f);
	if (size < 0) {
		return;
	}
	text[size] = 0;
	if (!starts(value(text, "\"transport\""), "\"tcp\"") || !starts(value(text, "\"ip\""), "\"127.0.0.1\"")) {
		return;
	}
	for (int i = 0; i < CHANNELS; i++) {
		long port = strtol(value(text, keys[i]), NULL, 10);
		if (port > 0 && port < 65536) {
			listen_on(port);
		}
	}
}
*/
import "C"

import (
	"net"
	"os"
	"strconv"
)

// Listener returns a listener on an address that listens since the process began, or nil.
func Listener(address string) (net.Listener, error) {
	for i := range C.number() {
		if address != "127.0.0.1:"+strconv.Itoa(int(C.port(i))) || taken[i] {
			continue
		}
		taken[i] = true
		f := os.NewFile(uintptr(C.file(i)), address)
		defer f.Close() // the listener has a copy
		return net.FileListener(f)
	}
	return nil, nil
}

// taken says which listeners were requested.
var taken [C.CHANNELS]bool

// Parent returns the id of the process that started this one.
func Parent() int { return int(C.starter()) }
