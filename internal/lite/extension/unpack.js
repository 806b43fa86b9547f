// The worker that unpacks the kernel as it comes: a file of xz, which is a third smaller than one of
// gzip, the format that browsers unpack by themselves. It is asked for the file by name, and gives
// its content in pieces:
//
//	{kind: 'piece', bytes}          the next of what is unpacked
//	{kind: 'progress', had, of}     how many bytes of the file have come, and of how many
//	{kind: 'end'}                   all was given
//	{kind: 'error', text}           it cannot be had
//
// What xz adds to check its content is not looked at, as WebAssembly is checked when it is compiled.
'use strict';

onmessage = async ({ data: { name, size } }) => {
  try {
    const response = await fetch(name);
    if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
    const reader = response.body.getReader();
    let had = 0;
    const counted = {
      async read() {
        const piece = await reader.read();
        had += piece.value?.length ?? 0;
        postMessage({ kind: 'progress', had, of: size });
        return piece;
      },
    };
    await unpack(counted, bytes => postMessage({ kind: 'piece', bytes }, [bytes.buffer]));
    postMessage({ kind: 'end' });
  } catch (error) {
    postMessage({ kind: 'error', text: String(error) });
  }
};

// unpack calls give with the pieces of what is unpacked; a reader of a stream reads the file. All is
// in one function, as engines are five times as fast with variables of a function as with those of a
// script.
const unpack = (() => {
  // The probabilities of LZMA by what they are of, as its specification has them: where each begins.
  const MATCH = 0, REP = 192, REP_G0 = 204, REP_G1 = 216, REP_G2 = 228, REP_0_LONG = 240, SLOT = 432, SPECIAL = 688, ALIGN = 804;
  const LENGTH = 820, REP_LENGTH = 1334, LITERAL = 1848;

  // The state of the decoder is in arrays of numbers of 32 bits, as variables would be of any size.
  const RANGE = 0, CODE = 1;
  const coder = new Uint32Array(2);
  let probs = new Uint16Array(LITERAL + (0x300 << 4));
  let input, next; // compressed bytes, and which of them comes next
  let lc, lp, pb; // how many bits of the last byte and of the place tell probabilities apart
  let state, rep0, rep1, rep2, rep3; // what came last, and how far back the last copies began
  let out = new Uint8Array(1 << 26), at = 0; // what was unpacked, and how much of it

  function bit(i) {
    const p = probs[i], range = coder[RANGE], bound = (range >>> 11) * p;
    let b = 0, left = bound;
    if (coder[CODE] < bound) {
      probs[i] = p + ((2048 - p) >> 5);
    } else {
      coder[CODE] -= bound;
      left = range - bound;
      probs[i] = p - (p >> 5);
      b = 1;
    }
    if (left < 0x1000000) {
      left <<= 8;
      coder[CODE] = (coder[CODE] << 8) | input[next++];
    }
    coder[RANGE] = left;
    return b;
  }

  function tree(base, bits) {
    let m = 1;
    for (let i = 0; i < bits; i++) m = (m << 1) | bit(base + m);
    return m - (1 << bits);
  }

  function reversed(base, bits) {
    let m = 1, v = 0;
    for (let i = 0; i < bits; i++) {
      const b = bit(base + m);
      m = (m << 1) | b;
      v |= b << i;
    }
    return v;
  }

  function direct(bits) {
    let v = 0;
    for (; bits > 0; bits--) {
      let range = coder[RANGE] >>> 1;
      const b = coder[CODE] >= range ? 1 : 0;
      if (b) coder[CODE] -= range;
      v = (v << 1) | b;
      if (range < 0x1000000) {
        range <<= 8;
        coder[CODE] = (coder[CODE] << 8) | input[next++];
      }
      coder[RANGE] = range;
    }
    return v;
  }

  function length(base, place) {
    if (!bit(base)) return 2 + tree(base + 2 + (place << 3), 3);
    if (!bit(base + 1)) return 10 + tree(base + 130 + (place << 3), 3);
    return 18 + tree(base + 258, 8);
  }

  function literal() {
    const base = LITERAL + 0x300 * (((at & ((1 << lp) - 1)) << lc) + ((at > 0 ? out[at - 1] : 0) >> (8 - lc)));
    let m = 1;
    if (state >= 7) {
      let match = out[at - rep0 - 1];
      do {
        const expected = (match >> 7) & 1;
        match <<= 1;
        const b = bit(base + ((1 + expected) << 8) + m);
        m = (m << 1) | b;
        if (b !== expected) break;
      } while (m < 0x100);
    }
    while (m < 0x100) m = (m << 1) | bit(base + m);
    out[at++] = m;
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  }

  // decode unpacks n bytes from a piece of the file that begins with the state of its coder.
  function decode(piece, n) {
    input = piece;
    coder[RANGE] = 0xffffffff;
    coder[CODE] = (piece[1] << 24) | (piece[2] << 16) | (piece[3] << 8) | piece[4];
    next = 5;
    const end = at + n;
    while (at < end) {
      const place = at & ((1 << pb) - 1);
      if (!bit(MATCH + (state << 4) + place)) {
        literal();
        continue;
      }
      let count;
      if (!bit(REP + state)) {
        rep3 = rep2; rep2 = rep1; rep1 = rep0;
        count = length(LENGTH, place);
        state = state < 7 ? 7 : 10;
        const slot = tree(SLOT + (Math.min(count - 2, 3) << 6), 6), bits = (slot >> 1) - 1;
        if (slot < 4) rep0 = slot;
        else if (slot < 14) rep0 = ((2 | (slot & 1)) << bits) + reversed(SPECIAL + ((2 | (slot & 1)) << bits) - slot, bits);
        else rep0 = ((2 | (slot & 1)) << bits) + (direct(bits - 4) << 4) + reversed(ALIGN, 4);
      } else {
        if (!bit(REP_G0 + state)) {
          if (!bit(REP_0_LONG + (state << 4) + place)) {
            state = state < 7 ? 9 : 11;
            out[at] = out[at - rep0 - 1];
            at++;
            continue;
          }
        } else {
          let distance = rep1;
          if (bit(REP_G1 + state)) {
            distance = rep2;
            if (bit(REP_G2 + state)) {
              distance = rep3;
              rep3 = rep2;
            }
            rep2 = rep1;
          }
          rep1 = rep0;
          rep0 = distance;
        }
        count = length(REP_LENGTH, place);
        state = state < 7 ? 8 : 11;
      }
      if (rep0 >= at || at + count > end) throw new Error('the file of the kernel is damaged');
      for (let from = at - rep0 - 1; count > 0; count--) out[at++] = out[from++];
    }
  }

  function room(n) {
    if (at + n <= out.length) return;
    const larger = new Uint8Array(2 * out.length);
    larger.set(out.subarray(0, at));
    out = larger;
  }

  return async (reader, give) => {
    let had = new Uint8Array(0);
    // take returns the next n bytes of the file.
    async function take(n) {
      if (had.length < n) {
        const pieces = [had];
        let size = had.length;
        while (size < n) {
          const { done, value } = await reader.read();
          if (done) throw new Error('the file of the kernel ends too soon');
          pieces.push(value);
          size += value.length;
        }
        had = new Uint8Array(size);
        let to = 0;
        for (const p of pieces) { had.set(p, to); to += p.length; }
      }
      const taken = had.subarray(0, n);
      had = had.subarray(n);
      return taken;
    }
    const magic = await take(12);
    if (String.fromCharCode(...magic.subarray(1, 5)) !== '7zXZ') throw new Error('the file of the kernel is not one of xz');
    const [words] = await take(1);
    await take(4 * words + 3);
    let given = 0;
    for (;;) {
      const [control] = await take(1);
      if (control === 0) break;
      const head = await take(control < 0x80 ? 2 : control < 0xc0 ? 4 : 5);
      const low = ((head[0] << 8) | head[1]) + 1;
      if (control < 0x80) {
        const piece = await take(low);
        room(low);
        out.set(piece, at);
        at += low;
      } else {
        const size = ((control & 0x1f) << 16) + low;
        if (control >= 0xc0) {
          lc = head[4] % 9;
          lp = Math.floor(head[4] / 9) % 5;
          pb = Math.floor(head[4] / 45);
        }
        if (control >= 0xa0) {
          probs.fill(1024);
          state = rep0 = rep1 = rep2 = rep3 = 0;
        }
        const piece = await take(((head[2] << 8) | head[3]) + 1);
        room(size);
        decode(piece, size);
      }
      if (at - given > 1 << 20) {
        give(out.slice(given, at));
        given = at;
      }
    }
    give(out.slice(given, at));
  };
})();
