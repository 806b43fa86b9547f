// An extension of JupyterLite with the kernel hierml, which runs in a Web Worker. It is written by
// hand: the container that webpack would make of a module is init and get, so nothing has to be
// built.
(() => {
  'use strict';
  const NAME = '@hierml/lite-kernel';
  const base = new URL('.', document.currentScript.src).href;
  // How long a cell may take to heed an interrupt, in milliseconds, before its worker is ended.
  const PATIENCE = 3000;
  let scope;

  // shared returns a module that JupyterLite shares with its extensions.
  async function shared(name) {
    const versions = scope[name];
    if (!versions) throw new Error(`${NAME}: this JupyterLite does not share ${name}`);
    const loaded = Object.values(versions).find(v => v.loaded) ?? Object.values(versions)[0];
    return (await loaded.get())();
  }

  globalThis._JUPYTERLAB ??= {};
  globalThis._JUPYTERLAB[NAME] = {
    init(s) { scope = s; },
    async get(module) {
      if (module !== './extension') throw new Error(`${NAME} has no ${module}`);
      const [services, signaling, { SessionContext }, { IRenderMimeRegistry }] = await Promise.all(
        [shared('@jupyterlite/services'), shared('@lumino/signaling'), shared('@jupyterlab/apputils'), shared('@jupyterlab/rendermime')]);
      startOnce(SessionContext.prototype);
      return () => ({ __esModule: true, default: [plugin(services, signaling, IRenderMimeRegistry)] });
    },
  };

  function plugin({ IKernelSpecs, IKernelClient }, { Signal }, IRenderMimeRegistry) {
    return {
      id: NAME + ':kernel',
      description: 'Go (hierml) in a Web Worker',
      autoStart: true,
      requires: [IKernelSpecs, IRenderMimeRegistry],
      optional: [IKernelClient],
      async activate(app, specs, renderers, client) {
        loadVega = () => {
          const renderer = renderers.createRenderer(VEGA);
          return renderer.renderModel(renderers.createModel({ data: { [VEGA]: { $schema: 'https://vega.github.io/schema/vega/v5.json' } } }));
        };
        program().catch(() => {}); // who starts a kernel hears of it
        const kernels = new Map();
        specs.register({
          spec: {
            name: 'hierml', display_name: 'Go (hierml)', language: 'go', argv: [], metadata: {},
            resources: { 'logo-64x64': base + 'logo-64x64.png', 'logo-32x32': base + 'logo-32x32.png', 'logo-svg': base + 'logo-svg.svg' },
          },
          create: async options => {
            const kernel = new Kernel(options, app.serviceManager.contents, Signal);
            kernels.set(options.id, kernel);
            kernel.disposed.connect(() => kernels.delete(options.id));
            return kernel;
          },
        });
        // JupyterLite's own interrupt empties the queue in front of a kernel, and does not tell it.
        if (client) {
          const theirs = client.interrupt.bind(client);
          client.interrupt = async id => kernels.has(id) ? kernels.get(id).interrupt() : theirs(id);
        }
        // A notebook is opened when all extensions are active. Who opens it asks for a kernel in a dialog
        // if this one is not yet in the list, which is read anew some time after it has changed.
        await app.serviceManager.kernelspecs.refreshSpecs();
      },
    };
  }

  // startOnce makes a cell wait for its notebook's kernel if it is run while the notebook opens.
  // JupyterLab starts a second kernel for it, or asks for one in a dialog, and loses the run.
  function startOnce(sessions) {
    const { initialize, startKernel } = sessions;
    const states = new WeakMap();
    const state = session => {
      if (!states.has(session)) {
        const s = {};
        s.initialized = new Promise(resolve => { s.initialize = resolve; }); // the notebook's kernel is known
        states.set(session, s);
      }
      return states.get(session);
    };
    sessions.initialize = function () {
      state(this).initialize();
      return initialize.call(this);
    };
    sessions.startKernel = async function () {
      const s = state(this);
      await s.initialized;
      return s.starting ??= startKernel.call(this).finally(() => { s.starting = undefined; });
    };
  }

  // The program is compiled once, while JupyterLite begins, for all kernels of the page. The file is
  // compressed, so that this does not depend on whoever serves it; the browser keeps it unpacked.
  const CACHE = 'hierml-kernel';
  let compiled;
  function program() {
    return compiled ??= (async () => {
      const name = base + 'hierml.wasm';
      const cache = await globalThis.caches?.open(CACHE).catch(() => undefined);
      const kept = await cache?.match(name);
      if (kept) return WebAssembly.compileStreaming(kept);
      const pieces = [];
      const bar = progress();
      try {
        const module = await WebAssembly.compileStreaming(new Response(await unpacked(pieces, bar.set), WASM));
        // A browser may have no room for it, and unpacks it again then.
        keep(cache, name, new Response(new Blob(pieces), WASM)).catch(() => {});
        return module;
      } finally {
        bar.end();
      }
    })();
  }
  const WASM = { headers: { 'content-type': 'application/wasm' } };

  // unpacked returns a stream with the program, whose pieces are added to a list, too.
  async function unpacked(pieces, told) {
    const { size } = await description();
    const worker = new Worker(base + 'unpack.js');
    return new ReadableStream({
      start(stream) {
        worker.onmessage = ({ data: m }) => {
          switch (m.kind) {
            case 'piece':
              pieces.push(m.bytes);
              stream.enqueue(m.bytes);
              break;
            case 'progress':
              told(m.had, m.of);
              break;
            case 'end':
              worker.terminate();
              stream.close();
              break;
            case 'error':
              worker.terminate();
              stream.error(new Error(m.text));
              break;
          }
        };
        worker.onerror = e => stream.error(new Error(e.message));
        worker.postMessage({ name: base + 'hierml.wasm.xz', size });
      },
      cancel() { worker.terminate(); },
    });
  }

  // description returns what there is beside this file: the size of the kernel, in bytes, and the
  // names of the files that it asks for when it needs them.
  let described;
  function description() {
    return described ??= fetch(base + 'beside.json').then(response => {
      if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
      return response.json();
    }).catch(error => { described = undefined; throw error; });
  }

  // keep keeps the program of this version, and no other of this site.
  async function keep(cache, name, response) {
    if (!cache) return;
    const site = base.slice(0, base.lastIndexOf('/static-'));
    for (const request of await cache.keys()) if (request.url.startsWith(site)) await cache.delete(request);
    await cache.put(name, response);
  }

  // loadVega loads the part of JupyterLab that draws charts, by drawing an empty one. JupyterLab loads
  // it for the first chart, which may come when there is no network.
  const VEGA = 'application/vnd.vega.v5+json';
  let loadVega;

  // keepSite makes the service worker store the files that this page loaded before the worker started,
  // the part that draws charts, and the files that the kernel may request. Then the site works without
  // a network.
  let asked = false;
  async function keepSite() {
    if (asked || !navigator.serviceWorker) return;
    asked = true;
    const { files } = await description();
    await loadVega().catch(() => {}); // the rest is worth storing without it
    const site = await navigator.serviceWorker.ready;
    const had = performance.getEntriesByType('resource').map(e => e.name).filter(name => !name.endsWith('/hierml.wasm.xz'));
    site.active.postMessage({ kind: 'keep', urls: [site.scope, location.origin + location.pathname, ...had, ...files.map(name => base + name)] });
  }

  // progress shows a bar while the program comes.
  function progress() {
    const box = document.createElement('div'), text = document.createElement('div'), bar = document.createElement('progress');
    box.className = 'hierml-loading';
    box.setAttribute('role', 'status');
    box.style.cssText = 'position:fixed;right:16px;bottom:32px;z-index:10000;padding:8px 12px;font:13px sans-serif;color:#222;background:#fff;border:1px solid #bbb;border-radius:4px;box-shadow:0 1px 4px #0004';
    bar.style.width = '240px';
    text.textContent = 'Loading Go, once for this browser';
    box.append(text, bar);
    document.body.append(box);
    const megabytes = n => (n / 1e6).toFixed(1);
    return {
      set(had, of) {
        bar.max = of;
        bar.value = had;
        text.textContent = `Loading Go, once for this browser: ${megabytes(had)} of ${megabytes(of)} MB`;
      },
      end() { box.remove(); },
    };
  }

  // A Kernel is what JupyterLite takes for one: handleMessage takes what clients send, and
  // sendMessage, which it is given, what they are to hear.
  class Kernel {
    constructor({ id, name, location, sendMessage }, contents, Signal) {
      Object.assign(this, { id, name, location, isDisposed: false, _sendMessage: sendMessage, _contents: contents });
      this.disposed = new Signal(this);
      this._session = '';
      this._open = new Map(); // requests that were not answered, by their ids
      this._interrupts = new Map(); // what to call when the kernel has answered them, by the ids of requests
      this._ran = new Set(); // sources of cells, in the order in which they were run last
      this._start();
    }

    _start() {
      this._worker = new Worker(base + 'worker.js');
      this.ready = new Promise(resolve => { this._worker.onmessage = e => this._hear(e.data, resolve); });
      this._worker.onerror = e => this._end(e.message);
      const worker = this._worker;
      // A drive has a name and a colon before the path.
      const folder = '/drive/' + this.location.split(':').pop();
      program().then(
        module => worker.postMessage({ kind: 'start', folder, module, before: [...this._ran] }),
        error => {
          compiled = undefined;
          this._failed = `the kernel could not be loaded: ${error}; restart it to try again`;
          this._died(this._failed);
        });
    }

    // handleMessage returns at once: the kernel has queues of its own.
    async handleMessage(msg) {
      this._session = msg.header.session;
      if (msg.header.msg_type.endsWith('_request')) this._open.set(msg.header.msg_id, msg);
      if (this._failed) this._died(this._failed);
      else this._post(msg);
    }

    _post(msg) {
      const bytes = b => b instanceof ArrayBuffer ? new Uint8Array(b) : new Uint8Array(b.buffer, b.byteOffset, b.byteLength);
      this._worker.postMessage({
        kind: 'message', channel: msg.channel, session: msg.header.session, buffers: (msg.buffers ?? []).map(bytes),
        header: JSON.stringify(msg.header), parent: JSON.stringify(msg.parent_header ?? {}),
        metadata: JSON.stringify(msg.metadata ?? {}), content: JSON.stringify(msg.content ?? {}),
      });
    }

    _hear(m, ready) {
      switch (m.kind) {
        case 'ready':
          ready();
          break;
        case 'message': {
          const header = JSON.parse(m.header), parent = JSON.parse(m.parent);
          const interrupted = this._interrupts.get(parent.msg_id);
          if (interrupted) { // of which clients know nothing
            if (m.channel === 'control') interrupted(true);
            break;
          }
          if (header.msg_type === 'execute_reply') this._note(this._open.get(parent.msg_id)?.content.code, m.content);
          if (header.msg_type.endsWith('_reply')) this._open.delete(parent.msg_id);
          // Who has run a cell has waited for what that needs; the rest comes now.
          if (header.msg_type === 'execute_reply') keepSite().catch(() => {}); // nobody has asked for it
          header.session = parent.session ?? this._session; // by it JupyterLite finds the client
          this._sendMessage({
            channel: m.channel, header, parent_header: parent, metadata: JSON.parse(m.metadata), content: JSON.parse(m.content),
            buffers: m.buffers.map(b => b.buffer),
          });
          break;
        }
        case 'files': {
          const worker = this._worker;
          this._file(m.method, m.args).then(
            result => worker.postMessage({ kind: 'files', id: m.id, result }),
            error => worker.postMessage({ kind: 'files', id: m.id, error: error.code ?? 'ENOENT', text: String(error) }));
          break;
        }
        case 'ended':
          this._end('the kernel died, and the variables with it: ' + m.reason);
          break;
      }
    }

    // interrupt asks the kernel. One that does not answer is ended, and begins anew without its
    // variables.
    async interrupt() {
      const header = {
        msg_id: crypto.randomUUID(), session: this._session, username: '', date: new Date().toISOString(),
        msg_type: 'interrupt_request', version: '5.4',
      };
      const worker = this._worker;
      const answered = new Promise(resolve => this._interrupts.set(header.msg_id, resolve));
      this._post({ channel: 'control', header });
      const patience = new Promise(resolve => setTimeout(resolve, PATIENCE, false));
      if (!await Promise.race([answered, patience]) && worker === this._worker) this._end('interrupted: what ran did not heed it, so the kernel was ended, and the variables with it');
    }

    // _note keeps what was run, whose declarations the next kernel is to have.
    _note(code, reply) {
      if (!code || JSON.parse(reply).status !== 'ok') return;
      if (/^%reset\b/m.test(code)) this._ran.clear();
      this._ran.delete(code);
      this._ran.add(code);
    }

    _end(reason) {
      this._worker.terminate();
      this._died(reason + (this._ran.size ? '; imports, types, constants and functions are declared again, but for functions that use variables' : ''));
      this._start();
    }

    // _died answers what was not answered.
    _died(reason) {
      const content = { status: 'error', ename: 'WorkerDied', evalue: reason, traceback: ['\x1b[31m' + reason + '\x1b[0m'] };
      for (const msg of this._open.values()) {
        const send = (channel, msg_type, content) => this._sendMessage({
          channel, parent_header: msg.header, metadata: {}, content, buffers: [],
          header: { msg_id: crypto.randomUUID(), session: msg.header.session, username: 'kernel', date: new Date().toISOString(), msg_type, version: '5.4' },
        });
        if (msg.header.msg_type === 'execute_request') send('iopub', 'error', content);
        send(msg.channel, msg.header.msg_type.replace('_request', '_reply'), { ...content, execution_count: 0 });
        send('iopub', 'status', { execution_state: 'idle' });
      }
      this._open.clear();
    }

    // _file does to the files of JupyterLite what the worker asks.
    async _file(method, [path, more]) {
      const contents = this._contents;
      switch (method) {
        case 'stat': {
          const m = path === '' ? { type: 'directory' } : await contents.get(path, { content: false });
          return { directory: m.type === 'directory', size: m.size ?? 0, time: Date.parse(m.last_modified ?? '') || 0 };
        }
        case 'read': {
          const m = await contents.get(path, { content: true, type: 'file', format: 'base64' });
          switch (m.format) {
            case 'text': return new TextEncoder().encode(m.content);
            case 'json': return new TextEncoder().encode(JSON.stringify(m.content));
          }
          return Uint8Array.from(atob(m.content), c => c.charCodeAt(0));
        }
        case 'write': {
          let binary = '';
          const piece = 0x8000; // bytes: what may be arguments of one call
          for (let i = 0; i < more.length; i += piece) binary += String.fromCharCode(...more.subarray(i, i + piece));
          await contents.save(path, { type: 'file', format: 'base64', content: btoa(binary), name: path.split('/').pop(), path });
          return null;
        }
        case 'list':
          return (await contents.get(path, { content: true })).content.map(f => f.name);
        case 'mkdir':
          await contents.save(path, { type: 'directory', path, name: path.split('/').pop() });
          return null;
        case 'remove':
          await contents.delete(path);
          return null;
        case 'rename':
          await contents.rename(path, more);
          return null;
      }
    }

    dispose() {
      if (this.isDisposed) return;
      this.isDisposed = true;
      this._worker.terminate();
      this.disposed.emit();
    }
  }
})();
