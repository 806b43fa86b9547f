// Package machine tells what the machine has that a process may use, and which of its folders other machines may see.
package machine
