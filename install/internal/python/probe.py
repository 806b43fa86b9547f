"""Prints, as JSON, what this interpreter is and which of the named packages it has."""
import json
import sys
from importlib import metadata, util

packages = {}
for name in sys.argv[1:]:
    try:
        packages[name] = metadata.version(name)
    except metadata.PackageNotFoundError:
        pass
print(json.dumps({
    "executable": sys.executable,
    "version": sys.version_info[:3],
    "packages": packages,
    "environments": all(util.find_spec(module) for module in ("venv", "ensurepip")),
}))
