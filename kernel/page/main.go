// Page is the kernel in a page of a browser: package page, built for js and wasm, whose messages
// are those of a Web Worker. What loads it and gives it files is written in JavaScript, in
// internal/lite/extension.
package main
