"""A Messages API of canned replies on loopback, for as long as a `with` block lasts."""

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def tool_turn(*inputs):
    """A reply that asks for these memory calls."""
    return {"stop_reason": "tool_use", "content": [{"type": "tool_use", "name": "memory", "input": i} for i in inputs]}


def last_turn(text):
    return {"stop_reason": "end_turn", "content": [{"type": "text", "text": text}]}


@contextlib.contextmanager
def fake_messages(replies):
    """Yields the server's URL and the list of the requests' bodies, which grows."""
    requests, left = [], list(replies)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.path.partition("?")[0] != "/v1/messages" or not left:
                self.send_error(404)
                return
            requests.append(json.loads(body))
            reply = message(left.pop(0), len(requests))
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", requests
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def message(reply, number):
    content = [
        {**block, "id": f"toolu_{number:012}{at:012}"} if block["type"] == "tool_use" else block
        for at, block in enumerate(reply["content"])
    ]
    whole = {
        "id": f"msg_{number:024}",
        "type": "message",
        "role": "assistant",
        "model": "canned",
        "stop_reason": reply["stop_reason"],
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
        "content": content,
    }
    return json.dumps(whole).encode()
