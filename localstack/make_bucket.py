"""Makes a bucket in Ceph: make_bucket.py http://127.0.0.1:PORT NAME KEY SECRET. Needs nothing but Python."""

import base64
import email.utils
import hmac
import sys
import urllib.request

server, name, key, secret = sys.argv[1:]
date = email.utils.formatdate(usegmt=True)
# S3's first signature: the method, two headers that are empty here, the date, the resource.
signature = base64.b64encode(hmac.digest(secret.encode(), f"PUT\n\n\n{date}\n/{name}".encode(), "sha1")).decode()
headers = {"Date": date, "Authorization": f"AWS {key}:{signature}"}
request = urllib.request.Request(f"{server}/{name}", method="PUT", headers=headers)
with urllib.request.urlopen(request, timeout=30) as response:
    print(f"bucket {name}: {response.status}")
