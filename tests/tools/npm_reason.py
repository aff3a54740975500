# SPDX-License-Identifier: Apache-2.0
"""npm's errors are told in words: recordings (npm/record.mjs made them) against what tools/npm_reason.sh says of them."""
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).parent
script = here.parents[1] / "tools" / "npm_reason.sh"
expected = {  # recording: how the line begins, what it names, the proxy in use
    "no_connection": ("no network: ", "ECONNREFUSED", ""),
    "no_name": ("no network: ", "ENOTFOUND", ""),
    "reset": ("no network: ", "ECONNRESET", ""),
    "silent": ("no network: ", "FETCH_ERROR", ""),
    "dead_proxy": ("proxy: ", "http://proxy:3128", "http://proxy:3128"),
    "proxy_password": ("proxy: ", "a name and a password", "http://proxy:3128"),
    "proxy_password_plain": ("proxy: ", "a name and a password", ""),
    "certificate": ("certificate: ", "NODE_EXTRA_CA_CERTS", ""),
    "checksum": ("registry: ", "checksum", ""),
    "registry_403": ("registry: ", "refuses", ""),
    "registry_404": ("registry: ", "not there", ""),
    "registry_500": ("registry: ", "fails itself", ""),
}


def reason(text, proxy=""):
    result = subprocess.run([script, proxy], input=text, capture_output=True, text=True, check=True)
    return result.stdout


def main():
    faults = []
    names = {path.stem for path in (here / "npm").glob("*.txt")}
    if names != set(expected):
        faults.append(f"recordings and expectations differ: {sorted(names ^ set(expected))}")
    for name, (begin, named, proxy) in expected.items():
        text = (here / "npm" / f"{name}.txt").read_text()
        for form in (text, text.replace("npm error", "npm ERR!")):  # npm 10 and newer, Debian 12's npm 9
            line = reason(form, proxy)
            if not line.startswith(begin) or named not in line or line.count("\n") != 1:
                faults.append(f"{name}: {line!r}; wanted '{begin}...{named}...' in one line")
    for code, begin in [("ENOSPC", "disk: "), ("EACCES", "disk: "), ("CERT_HAS_EXPIRED", "certificate: "),
                        ("UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "certificate: "), ("SELF_SIGNED_CERT_IN_CHAIN", "certificate: "),
                        ("EAI_AGAIN", "no network: "), ("ETIMEDOUT", "no network: ")]:
        line = reason(f"npm error code {code}\nnpm error in /home/EACCES/CERT\n")
        if not line.startswith(begin):
            faults.append(f"{code}: {line!r}; wanted '{begin}...'")
    if reason("npm ERR! code EODD\nnpm ERR! something odd\n") != "npm says: something odd (npm: EODD)\n":
        faults.append("an error nobody knows is not passed on: " + reason("npm ERR! code EODD\nnpm ERR! something odd\n"))
    if reason("") != "npm says: nothing\n":
        faults.append("silence is not told")
    print("\n".join(faults) if faults else f"npm's errors in words: {len(expected)} recordings as they should be")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
