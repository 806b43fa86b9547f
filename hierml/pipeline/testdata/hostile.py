"""Damages the files of a folder in every part, as one who means harm would, and loads them: hostile.py FOLDER COUNT SEED KEPT.

Each file is a model or a LoadError, and a model gives the features and the label of a hostile text. Both
execute nothing, and only read the file: Python tells of each call that would. What is not so is printed, and then a line that says how many files were loaded and refused, and the longest
time that one took. The first hundred files stay in the folder KEPT.
"""
import faulthandler, json, os, random, re, sys, time, warnings
import numpy as np
import hierml
from hierml._crc32c import crc32c

warnings.simplefilter("ignore", hierml.UnknownTextWarning)

folder, count, kept = sys.argv[1], int(sys.argv[2]), sys.argv[4]
rng = random.Random(int(sys.argv[3]))


raws = []


def raw(text):
    """Returns what written makes the text of, as it is."""
    raws.append(text)
    return f"@{len(raws) - 1}@"


def written(value):
    """Returns JSON, in which raw texts stand as they are."""
    return re.sub('"@([0-9]+)@"', lambda match: raws[int(match.group(1))], json.dumps(value, separators=(",", ":")))


NUMBERS = ["0", "-1", "1", "2", "7", "0.5", "-0", "1e400", "-1e400", "1e308", "5e-324", "NaN", "Infinity", "-Infinity", "1" + "0" * 400, "-" + "9" * 400,
           "1" * 5000, "0." + "3" * 5000, "1e99999999999999999999", str(1 << 31), str(1 << 53), str(1 << 62), str((1 << 63) - 1), str(1 << 64), "1.0", "true"]
OTHERS = ["null", "false", '""', '"a"', '"\\u001b]52;c;eA==\\u0007"', '"\\ud800"', '"\\u202e"', '"' + "x" * 100000 + '"', "[]", "{}", "[[]]", "[0]", "[1,2]", "[true]",
          "[null]", '["a"]', '{"a":1}', '{"format":1}', '{"a":1,"a":2}', "[" * 100000, "[" * 900 + "]" * 900, '{"a":' * 900 + "1" + "}" * 900,
          "[" + ",".join(["4611686018427387904"] * 20000) + "]", "[" + ",".join(["1"] * 20000) + "]", "[0,-1]", "[5,4]", "[1e400]", "[1" + "0" * 400 + "]",
          "]", "}", "", "\x00", "'a'", "/*"]
NAMES = ["", "a", "\x1b[31m", "\u202e", "\ud800", "x" * 5000, "format", "version", "Pattern", "crc32c", "__metadata__", "dtype"]
PIECES = ["a", "b", "aa", "(", ")", "(?:", "[", "]", "[^", "|", "*", "+", "?", "*?", "{", "}", "{2}", "{,2}", "{2,}", "{0,1000}", "{1000}", "{1001}", "{" + "9" * 400 + "}",
          "{01}", "\\", "\\p{", "\\p{Lu", "\\pL", "\\P", "\\x{", "\\x{41", "\\x4", "\\x{+41}", "\\x{4_1}", "\\x{" + "0" * 99 + "41}", "\\b", "\\B", "^", "$", "\\d", "\\w", ".", "-", "é",
          "(a+)+", "(?:a|a)+", "(?:a|aa)+", "(?:a?){30}a{30}", "(a*)*", "a*", "\\w+", "[ab]*a[ab]{50}", "[ab]{300}", "(?:a{1,30}){1,30}", "(" * 200, ")" * 200, "(?:" * 99, "(?P<x>", "(?i)", "[[:", "[\\pL\\pM]"]


def read(path):
    """Returns the header of a file and the bytes of its tensors."""
    with open(path, "rb") as file:
        data = file.read()
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    metadata = header.pop("__metadata__")
    metadata.pop("crc32c", None)
    tensors = []
    for name, info in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        lo, hi = info["data_offsets"]
        tensors.append([name, info["dtype"], info["shape"], data[end + lo : end + hi]])
    return metadata, tensors


def file(metadata, tensors, damaged):
    """Returns the bytes of a file with the right check sum, whose header may be damaged."""
    header, content = {"__metadata__": {"crc32c": "00000000", **metadata}}, b""
    for name, kind, shape, data in tensors:
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(content), len(content) + len(data)]}
        content += data
    text = written(damaged(header)).encode("utf-8", "surrogatepass")
    at = text.find(b'"crc32c":"00000000"')
    if at >= 0 and rng.random() < 0.9:
        text = text[: at + 10] + b"%08x" % crc32c(text, content) + text[at + 18 :]
    return len(text).to_bytes(8, "little") + text + content


def places(value, found, path=()):
    """Collects the places of a value, of long lists some."""
    found.append(path)
    items = value.items() if isinstance(value, dict) else list(enumerate(value))[:3] if isinstance(value, list) else ()
    for key, inner in items:
        places(inner, found, path + (key,))
    return found


def changed(value):
    """Returns the value with a place of it replaced, removed, or given something more."""
    path = rng.choice(places(value, []))
    if not path:
        return raw(rng.choice(NUMBERS + OTHERS)) if rng.random() < 0.2 else changed(value)
    at = value
    for key in path[:-1]:
        at = at[key]
    key, way = path[-1], rng.random()
    if way < 0.1:
        del at[key]
    elif way < 0.2 and isinstance(at, dict):
        at[rng.choice(NAMES)] = at[key]
    elif way < 0.25 and isinstance(at, dict):  # twice
        once = written(at[key])
        at[key] = raw(f"{once},{json.dumps(key)}:{once}")
    elif isinstance(at[key], (int, float)) and not isinstance(at[key], bool) and way < 0.8:
        at[key] = raw(rng.choice(NUMBERS))
    elif isinstance(at[key], list) and at[key] and way < 0.6:
        at[key] = rng.choice([at[key] * 2, at[key][:-1], at[key][::-1], at[key] * 300 if len(at[key]) < 100 else [], [at[key]], at[key][:1]])
    else:
        at[key] = raw(rng.choice(NUMBERS + OTHERS))
    return value


def tensor(one):
    """Damages the content or the shape of a tensor, in agreement with each other as a rule."""
    name, kind, shape, data = one
    width = int(kind[1:]) // 8
    values = bytearray(data)
    way = rng.randrange(8)
    if way < 3 and values:
        for _ in range(1 + rng.randrange(4)):
            at = rng.randrange(len(values) // width) * width
            values[at : at + width] = rng.choice([b"\xff" * width, b"\0" * width, rng.randbytes(width), (1).to_bytes(width, "little"), (1 << (8 * width - 1)).to_bytes(width, "little")])
        data = bytes(values)
    elif way == 3:
        n = rng.randrange(6)
        data, shape = data[: n * width] + bytes(max(0, n * width - len(data))), [n]
    elif way == 4:
        shape = rng.choice([shape + [1], [len(data) // width], [1] * 70 + shape, [1] * 20000 + shape, shape[::-1], [0, 1 << 62], [len(data) // width, 1], []])
        data = data if 0 not in shape else b""
    elif way == 5:
        other = rng.choice(["U8", "U16", "U32", "U64", "I32", "I64", "F16", "F32", "F64"])
        n = len(data) // width
        data, kind = bytes(n * (int(other[1:]) // 8)), other
    elif way == 6:
        data, shape = data * 2, [2 * shape[0]] + shape[1:] if shape else shape
    else:
        name = rng.choice(NAMES)
    return [name, kind, shape, data]


def pattern(depth=4):
    """Returns an expression: a sound one as a rule, by which others take long."""
    if depth == 4 and rng.random() < 0.3:
        return "".join(rng.choice(PIECES) for _ in range(rng.randrange(1, 7)))
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(["a", "a", "[ab]", "aa", ".", "\\w", "\\pL", "b", "\\b", "[^b]", "(?:a|aa)", "a?"])
    inner = pattern(depth - 1)
    if rng.random() < 0.5:
        return "(?:" + inner + ")" + rng.choice(["*", "+", "?", "*?", "+?", "{2}", "{1,30}", "{20,}", "{0,9}?"])
    return inner + rng.choice(["", "|"]) + pattern(depth - 1)


def hostile(path):
    metadata, tensors = read(path)
    same = lambda header: header
    part = rng.randrange(10)
    at = rng.choice([k for k, one in enumerate(tensors) if one[0].startswith("attached.")])
    if part < 4:
        attached = json.loads(tensors[at][3])
        for _ in range(1 + rng.randrange(3)):
            if isinstance(attached, dict):
                attached = changed(attached)
        data = written(attached).encode("utf-8", "surrogatepass")
        tensors[at][2:] = [len(data)], data
    elif part < 6:
        at = next(k for k, one in enumerate(tensors) if one[0] == "attached.pipeline")
        attached = json.loads(tensors[at][3])
        terms = attached.get("vectorizer") or next(of["terms"] for of in attached["columns"]["fields"] if "terms" in of)
        terms["text"].pop("Tokens", None)
        terms["text"]["Pattern"] = pattern()
        data = written(attached).encode()
        tensors[at][2:] = [len(data)], data
    elif part < 7:
        key = rng.choice([*metadata, "link", "kernel", "kernel.gamma", "kernel.degree", "features", "version"])
        metadata[key] = rng.choice(["", "1", "2", "3", "4", "-1", "9" * 400, "1e400", "nan", "linear", "rbf", "polynomial", "Softmax", "Sigmoid", "descend", "best set", "\x1b[31m", "\u0663", "1_0", "x" * 100000])
    elif part < 9:
        k = rng.randrange(len(tensors))
        if rng.random() < 0.1:
            del tensors[k]
        else:
            tensors[k] = tensor(tensors[k])
    else:
        same = changed
    data = file(metadata, tensors, same)
    if rng.random() < 0.03:
        data = data[: rng.randrange(len(data))]
    return data


watched, events = [], set()


def hear(event, arguments):
    """Collects what Python does for a model beside reading its file."""
    reads = event == "open" and arguments[0] in watched and arguments[1] in ("r", "rb", None)
    if watched and not reads and not event.startswith(("object.", "sys._getframe", "gc.", "time.")):
        events.add(f"{event} {arguments!r:.100}")


np.union1d([0], [1])  # the first time, numpy imports a package of its own
"".encode("utf-32-le")  # the first time, Python imports this encoding of its own
sys.addaudithook(hear)
watched.append("")
eval("1")
assert events, "nothing is heard"
events.clear()
watched.clear()

bases = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
loaded = refused = 0
longest = [0.0, 0.0]
path = os.path.join(kept, "\x1b[31mmodel")
for number in range(count):
    raws.clear()
    data = hostile(rng.choice(bases))
    while len(data) > 1 << 21:
        data = hostile(rng.choice(bases))
    for name in [path] + [os.path.join(kept, str(number))] * (number < 100):
        with open(name, "wb") as f:
            f.write(data)
    faulthandler.dump_traceback_later(120, exit=True)
    begun = time.process_time()
    watched.append(path)
    try:
        model = hierml.load(path)
    except hierml.LoadError as error:
        refused += 1
        longest[0] = max(longest[0], time.process_time() - begun)
        text = str(error)
        if re.search("[\0-\x1f\x7f-\x9f\u202e\ud800-\udfff]", text) or len(text) > 1000:
            print(f"{number}: the error is {text!r:.2000}")
        continue
    except Exception as error:
        print(f"{number}: {type(error).__name__}: {error!s:.200}")
        continue
    finally:
        watched.clear()
    loaded += 1
    longest[0] = max(longest[0], time.process_time() - begun)
    begun = time.process_time()
    watched.append(path)
    for text in ("a" * 35, "a" * (100000 if number % 50 == 0 else 1000), "ab " * 100):
        try:
            with np.errstate(all="ignore"):
                of = {name: text if k % 2 else [7, None, text][k % 3] for k, name in enumerate(model.columns)} if model.columns else text
                model.features(of)
                model.scores([of])
                for method in (model.predict_sets, model.predict_node_proba, model.predict_paths, model.rank):
                    try:
                        method([of])
                    except ValueError:
                        pass  # it is not of models of this type
                if model.has_probabilities:
                    model.predict_proba([of])
                repr(model)
        except ValueError:
            pass  # a feature may be too large
        except Exception as error:
            print(f"{number}: predict: {type(error).__name__}: {error!s:.200}")
    watched.clear()
    longest[1] = max(longest[1], time.process_time() - begun)
faulthandler.cancel_dump_traceback_later()
os.remove(path)
for event in sorted(events):
    print(f"it executes or opens: {event}")
print(f"loaded {loaded}, refused {refused}, longest {longest[0]:.3f} s to load, {longest[1]:.3f} s to predict")
