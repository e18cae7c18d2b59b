r"""Packs a program into a Python wheel, so that `pip install` puts it among the scripts of an environment.

    python3 tools/wheel.py --program bin/parley --version 1.2.3 --cpu amd64 --out dist \
        --licences LICENSES-OF-OTHERS.txt --sbom parley.cdx.json

The wheel has the module parley_debate as well. Its platform tag asks for the C library that the program was linked
with. The same program gives the same bytes.
"""

import argparse
import base64
import hashlib
import pathlib
import re
import zipfile

NAME = "parley_debate"
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
METADATA = """Metadata-Version: 2.1
Name: parley-debate
Version: {version}
Summary: Multi-agent debates on local language models, offline and in one process
License: Apache-2.0
Classifier: Environment :: Console
Classifier: Operating System :: POSIX :: Linux
Description-Content-Type: text/markdown

{readme}"""
WHEEL = """Wheel-Version: 1.0
Generator: parley tools/wheel.py
Root-Is-Purelib: false
Tag: {tag}
"""


def python_version(version: str) -> str:
    """Return a version of Go's as PEP 440 writes it: v1.2.3-0.20260102030405-abcdef becomes 1.2.3.dev20260102030405."""
    found = re.fullmatch(r"v?(\d+\.\d+\.\d+)(?:-(?:.*\b)?(\d{14})-[0-9a-f]{12})?(?:[+-]dirty)?", version)
    if version in ("(devel)", "unknown"):
        return "0.0.0.dev0"
    if not found:
        raise SystemExit(f"wheel: version {version!r} is none of Go's")
    return found[1] + (f".dev{found[2]}" if found[2] else "")


def c_library(program: bytes) -> tuple[int, int]:
    """Return the newest version of the GNU C library that a program asks for."""
    versions = re.findall(rb"GLIBC_(\d+)\.(\d+)", program)
    if not versions:
        raise SystemExit("wheel: the program is not linked with the GNU C library")
    return max((int(major), int(minor)) for major, minor in versions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--cpu", choices=MACHINES, default="amd64")
    parser.add_argument("--licences", type=pathlib.Path, help="the licences of all that is linked into the program")
    parser.add_argument("--sbom", type=pathlib.Path, help="a bill of materials in CycloneDX's JSON (PEP 770)")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()

    version, program = python_version(options.version), options.program.read_bytes()
    major, minor = c_library(program)
    tag = f"py3-none-manylinux_{major}_{minor}_{MACHINES[options.cpu]}"
    top = pathlib.Path(__file__).parent.parent
    module = top / "python" / NAME
    info = f"{NAME}-{version}.dist-info"
    files = {
        f"{NAME}-{version}.data/scripts/parley": program,
        **{f"parley_debate/{file.name}": file.read_bytes() for file in sorted(module.iterdir()) if file.is_file()},
        f"{info}/licenses/LICENSE": (top / "LICENSE").read_bytes(),
        f"{info}/entry_points.txt": b"[inspect_ai]\nparley = parley_debate.inspect_provider\n",
        f"{info}/METADATA": METADATA.format(version=version, readme=(top / "README.md").read_text()).encode(),
        f"{info}/WHEEL": WHEEL.format(tag=tag).encode(),
    }
    if options.licences:
        files[f"{info}/licenses/LICENSES-OF-OTHERS.txt"] = options.licences.read_bytes()
    if options.sbom:
        files[f"{info}/sboms/parley.cdx.json"] = options.sbom.read_bytes()
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}\n"
        for name, content in files.items()
    )
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()

    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / f"{NAME}-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            wheel.writestr(entry, content)
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
