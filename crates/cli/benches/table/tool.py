"""The memory tool of the official Python SDK as a process like `memoseal tool`: a JSON line in, a JSON line out."""

import json
import sys

from anthropic.tools import BetaLocalFilesystemMemoryTool

tool = BetaLocalFilesystemMemoryTool(sys.argv[1])
for line in sys.stdin.buffer:
    try:
        answer = {"content": tool.call(json.loads(line))}
    except Exception as error:
        answer = {"content": repr(error), "is_error": True}
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    sys.stdout.buffer.flush()
