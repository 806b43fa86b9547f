// The worker that the kernel runs in: a Web Worker of the page, which sends it messages of clients
// and answers to questions about files, and hears what the kernel says. What is hierml here the
// command kernel/page describes.
'use strict';
importScripts('files.js', 'wasm_exec.js');

let ready;
const waiting = new Promise(resolve => { ready = resolve; });

globalThis.hierml = {
  send(channel, header, parent, metadata, content, buffers) {
    postMessage({ kind: 'message', channel, header, parent, metadata, content, buffers }, buffers.map(b => b.buffer));
  },
  ready() {
    ready();
    postMessage({ kind: 'ready' });
  },
  kill() { ended('it was interrupted and did not heed it'); },
};

// What ends the program ends this worker; the page begins another.
const ended = reason => postMessage({ kind: 'ended', reason: /call stack/.test(reason) ? 'calls were nested too deep' : reason });
onunhandledrejection = e => ended(String(e.reason));
onerror = e => ended(String(e));

onmessage = async ({ data: m }) => {
  switch (m.kind) {
    case 'files':
      files.answer(m);
      break;
    case 'message':
      await waiting;
      hierml.receive(m.channel, m.session, m.header, m.parent, m.metadata, m.content, m.buffers);
      break;
    case 'start': {
      files.folder(m.folder);
      hierml.before = m.before;
      const go = new Go();
      // The collector works harder before the memory of 2 GiB, to which the build limits the program, is full.
      go.env = { HOME: '/tmp', TMPDIR: '/tmp', GOMEMLIMIT: '1800MiB' };
      // Notebooks that find no folder of data sets draw theirs.
      if (await new Promise(there => fs.stat('/drive/data', error => there(!error)))) go.env.HIERML_DATA = '/drive/data';
      go.exit = status => ended(/out of memory/.test(files.said())
        ? 'out of memory: in a browser, a kernel may use 2 GB'
        : 'the program ended with status ' + status + (files.said() ? ': ' + files.said() : ''));
      await go.run(await WebAssembly.instantiate(m.module, go.importObject));
      break;
    }
  }
};
