"""Makes a container in Azurite: make_container.py http://127.0.0.1:PORT NAME. Needs nothing but Python."""

import base64
import email.utils
import hashlib
import hmac
import sys
import urllib.request

# The account that every Azurite has; Microsoft publishes its key, it is no secret.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

server, name = sys.argv[1:]
date = email.utils.formatdate(usegmt=True)
version = "2021-08-06"
# Shared Key: the method, eleven headers that are empty here, the x-ms- headers, the resource.
signed = f"PUT{chr(10) * 12}x-ms-date:{date}\nx-ms-version:{version}\n/{ACCOUNT}/{ACCOUNT}/{name}\nrestype:container"
signature = base64.b64encode(hmac.digest(base64.b64decode(KEY), signed.encode(), hashlib.sha256)).decode()
request = urllib.request.Request(
    f"{server}/{ACCOUNT}/{name}?restype=container",
    method="PUT",
    headers={"x-ms-date": date, "x-ms-version": version, "Authorization": f"SharedKey {ACCOUNT}:{signature}"},
)
with urllib.request.urlopen(request, timeout=30) as response:
    print(f"container {name}: {response.status}")
