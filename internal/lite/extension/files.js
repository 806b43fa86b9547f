// The files of the kernel: those of JupyterLite below /drive, which the page serves, and others in
// memory. Go waits for each call without holding up the rest, so that no call has to be synchronous.
// A file is read as a whole when it is opened, and written when it is closed or synchronized. Below
// /hierml are files beside this one, which are fetched when they are asked for.
'use strict';
{
  const O = { O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536, O_SYNC: 1052672 };
  const fail = (code, text) => Object.assign(new Error(text ?? code), { code });
  const memory = new Map([['/', null], ['/tmp', null], ['/hierml', null]]); // null is a folder
  const open = new Map();
  const waiting = new Map();
  let next = 10, calls = 0, cwd = '/drive';

  function ask(method, ...args) {
    return new Promise((resolve, reject) => {
      waiting.set(++calls, { resolve, reject });
      postMessage({ kind: 'files', id: calls, method, args });
    });
  }

  let last = '';
  globalThis.files = {
    // answer takes the page's answer to a question.
    answer(m) {
      const w = waiting.get(m.id);
      waiting.delete(m.id);
      m.error ? w.reject(fail(m.error, m.text)) : w.resolve(m.result);
    },
    // folder sets the working folder.
    folder(f) { cwd = clean(f); },
    // said returns the first line that Go's runtime has written.
    said: () => last,
  };

  function clean(p) {
    if (!p.startsWith('/')) p = cwd + '/' + p;
    const out = [];
    for (const s of p.split('/')) s === '..' ? out.pop() : s && s !== '.' && out.push(s);
    return '/' + out.join('/');
  }
  const inDrive = p => p === '/drive' || p.startsWith('/drive/');
  const rest = p => p.slice('/drive/'.length);

  async function stat(p) {
    if (inDrive(p)) return p === '/drive' ? { directory: true, size: 0, time: 0 } : await ask('stat', rest(p)).catch(() => { throw fail('ENOENT'); });
    if (p.startsWith('/hierml/') && !memory.has(p)) {
      const response = await fetch(p.slice('/hierml/'.length));
      if (response.ok) memory.set(p, new Uint8Array(await response.arrayBuffer()));
    }
    if (!memory.has(p)) throw fail('ENOENT');
    const f = memory.get(p);
    return { directory: !f, size: f ? f.length : 0, time: Date.now() };
  }
  const info = s => ({
    dev: 0, ino: 0, mode: s.directory ? 0o40755 : 0o100644, nlink: 1, uid: 0, gid: 0, rdev: 0, size: s.size, blksize: 4096, blocks: 0,
    atimeMs: s.time, mtimeMs: s.time, ctimeMs: s.time, isDirectory: () => s.directory,
  });
  async function list(p) {
    if (inDrive(p)) return ask('list', rest(p));
    const below = p === '/' ? '/' : p + '/';
    const names = [...memory.keys()].filter(k => k !== '/' && k.startsWith(below) && !k.slice(below.length).includes('/')).map(k => k.slice(below.length));
    return p === '/' ? [...names, 'drive'] : names;
  }
  async function flush(f) {
    if (!f.dirty) return;
    f.dirty = false;
    if (inDrive(f.path)) await ask('write', rest(f.path), f.data.slice(0, f.size));
    else memory.set(f.path, f.data.slice(0, f.size));
  }
  function grow(f, size) {
    if (size <= f.data.length) return;
    const data = new Uint8Array(Math.max(size, 2 * f.data.length));
    data.set(f.data.subarray(0, f.size));
    f.data = data;
  }
  const file = fd => { const f = open.get(fd); if (!f) throw fail('EBADF'); return f; };

  // print writes what Go's runtime has to say, which has ended then, or nearly so.
  const decoder = new TextDecoder();
  let text = '';
  function print(buf) {
    text += decoder.decode(buf);
    const end = text.lastIndexOf('\n');
    if (end >= 0) {
      last ||= text.slice(0, text.indexOf('\n'));
      console.log(text.slice(0, end));
      text = text.slice(end + 1);
    }
    return buf.length;
  }

  const methods = {
    async open(path, flags) {
      const p = clean(path);
      let s = null;
      try { s = await stat(p); } catch (e) { if (!(flags & O.O_CREAT)) throw e; }
      if (s && (flags & O.O_CREAT) && (flags & O.O_EXCL)) throw fail('EEXIST');
      if (s?.directory && (flags & 3)) throw fail('EISDIR');
      let data = new Uint8Array(0);
      if (s && !s.directory && !(flags & O.O_TRUNC)) data = inDrive(p) ? await ask('read', rest(p)) : memory.get(p);
      if (!s && !inDrive(p) && !memory.has(p.slice(0, p.lastIndexOf('/')) || '/')) throw fail('ENOENT');
      const f = { path: p, data, size: data.length, at: 0, append: !!(flags & O.O_APPEND), directory: !!s?.directory, dirty: !s || !!(flags & O.O_TRUNC), time: s?.time ?? Date.now() };
      open.set(++next, f);
      return next;
    },
    async close(fd) { const f = file(fd); open.delete(fd); await flush(f); },
    async fsync(fd) { await flush(file(fd)); },
    async fstat(fd) { if (fd < 3) return info({ directory: false, size: 0, time: 0 }); const f = file(fd); return info({ directory: f.directory, size: f.size, time: f.time }); },
    async stat(path) { return info(await stat(clean(path))); },
    async lstat(path) { return info(await stat(clean(path))); },
    async read(fd, buffer, offset, length, position) {
      const f = file(fd), at = position ?? f.at, n = Math.max(0, Math.min(length, f.size - at));
      buffer.set(f.data.subarray(at, at + n), offset);
      if (position === null || position === undefined) f.at += n;
      return n;
    },
    async write(fd, buffer, offset, length, position) {
      if (fd === 1 || fd === 2) { // os.Stdout and os.Stderr belong to the cells
        hierml.write?.(fd === 1 ? 'stdout' : 'stderr', buffer.slice(offset, offset + length));
        return length;
      }
      const f = file(fd), at = f.append ? f.size : position ?? f.at;
      grow(f, at + length);
      f.data.set(buffer.subarray(offset, offset + length), at);
      f.size = Math.max(f.size, at + length);
      if (position === null || position === undefined) f.at = at + length;
      f.dirty = true;
      return length;
    },
    async ftruncate(fd, n) { const f = file(fd); grow(f, n); if (n > f.size) f.data.fill(0, f.size, n); f.size = n; f.dirty = true; },
    async truncate(path, n) { const fd = await methods.open(path, 2); await methods.ftruncate(fd, n); await methods.close(fd); },
    async readdir(path) { const p = clean(path); if (!(await stat(p)).directory) throw fail('ENOTDIR'); return list(p); },
    async mkdir(path) {
      const p = clean(path);
      try { await stat(p); } catch { return inDrive(p) ? void await ask('mkdir', rest(p)) : void memory.set(p, null); }
      throw fail('EEXIST');
    },
    async unlink(path) { const p = clean(path); if ((await stat(p)).directory) throw fail('EISDIR'); inDrive(p) ? await ask('remove', rest(p)) : memory.delete(p); },
    async rmdir(path) { const p = clean(path); if (!(await stat(p)).directory) throw fail('ENOTDIR'); if ((await list(p)).length) throw fail('ENOTEMPTY'); inDrive(p) ? await ask('remove', rest(p)) : memory.delete(p); },
    async rename(from, to) {
      const a = clean(from), b = clean(to);
      await stat(a);
      if (inDrive(a) && inDrive(b)) { try { await stat(b); await ask('remove', rest(b)); } catch { /* nothing there */ } await ask('rename', rest(a), rest(b)); return; }
      const fd = await methods.open(a, 0), f = file(fd);
      f.path = b; f.dirty = true;
      await methods.close(fd);
      await methods.unlink(a);
    },
    async chmod() {}, async fchmod() {}, async utimes() {},
  };
  const fs = { constants: O, writeSync: (fd, buf) => print(buf) };
  for (const name of ['open', 'close', 'fsync', 'fstat', 'stat', 'lstat', 'read', 'write', 'ftruncate', 'truncate', 'readdir', 'mkdir', 'unlink', 'rmdir', 'rename', 'chmod', 'fchmod', 'utimes', 'chown', 'fchown', 'lchown', 'link', 'symlink', 'readlink']) {
    const m = methods[name];
    fs[name] = (...args) => {
      const callback = args.pop();
      m ? m(...args).then(v => callback(null, v), e => callback(e)) : callback(fail(name === 'readlink' ? 'EINVAL' : 'ENOSYS'));
    };
  }
  globalThis.fs = fs;
  globalThis.process = { getuid: () => -1, getgid: () => -1, geteuid: () => -1, getegid: () => -1, getgroups() { throw fail('ENOSYS'); }, pid: 1, ppid: -1, umask() { throw fail('ENOSYS'); }, cwd: () => cwd, chdir(p) { cwd = clean(p); } };
  globalThis.path = { resolve: (...p) => p.reduce((a, b) => b.startsWith('/') ? clean(b) : clean(a + '/' + b), '') };
}
