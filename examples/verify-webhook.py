"""Receives Waymark's webhooks: verifies signatures and handles each event once. It uses no Waymark code: copy it.

    python3 examples/verify-webhook.py 'whsec_…' 4000
"""

import base64
import hashlib
import hmac
import json
import queue
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_S = 300
MAX_BODY_BYTES = 1_048_576


def verify_webhook(headers, body: bytes, secret: str, now: float):
    """Returns the event as a dict, or None if the signature is wrong or its timestamp is too old.

    `body` must be the received bytes: parsing and serializing the JSON again can change them.
    """
    event_id = headers.get("webhook-id") or ""
    timestamp = headers.get("webhook-timestamp") or ""
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > TOLERANCE_S:
        return None
    key = base64.b64decode(checked(secret).removeprefix("whsec_"))
    digest = hmac.new(key, f"{event_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    # The header has several signatures, separated by spaces, while a secret is being rotated.
    signatures = (headers.get("webhook-signature") or "").split(" ")
    if not any(same(signature, expected) for signature in signatures):
        return None
    return json.loads(body)


def verify_body_signature(header, body: bytes, secret: str) -> bool:
    """An alternative: X-Service-Signature signs the body only, so it does not detect replayed requests."""
    digest = hmac.new(checked(secret).encode(), body, hashlib.sha256).hexdigest()
    return same(header or "", "sha256=" + digest)


def same(given: str, expected: str) -> bool:
    """Constant-time comparison."""
    return hmac.compare_digest(given.encode(), expected.encode())


def checked(secret: str) -> str:
    """Rejects a malformed secret: with an empty one, anybody could sign."""
    if not re.fullmatch(r"whsec_[A-Za-z0-9+/]+=*", secret):
        raise ValueError("a webhook secret is whsec_ and base64")
    return secret


def receiver(secret: str, keep):
    """Answers when `keep` has stored the event; process it later. If `keep` fails, Waymark sends the event again."""

    class Receiver(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 30

        def do_POST(self):
            length = self.headers.get("content-length") or ""
            if not re.fullmatch(r"[0-9]{1,9}", length) or int(length) > MAX_BODY_BYTES:
                self.close_connection = True
                return self.answer(413, b"the body is too long, or Content-Length is missing")
            event = verify_webhook(self.headers, self.rfile.read(int(length)), secret, time.time())
            if event is None:
                return self.answer(401, b"the signature is not valid")
            keep(event)
            return self.answer(200, b"kept")

        def answer(self, status: int, text: bytes):
            self.send_response(status)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format, *args):
            """Logs nothing: standard output is for the events."""

    return Receiver


def main(secret: str, port: str = "4000"):
    checked(secret)
    # In production, store the events in a database table whose primary key is the event id.
    kept, waiting, one_at_a_time = set(), queue.Queue(), threading.Lock()

    def keep(event):
        with one_at_a_time:
            if event["id"] in kept:
                return
            kept.add(event["id"])
            waiting.put(event)

    def work():
        while True:
            print(json.dumps(waiting.get()), flush=True)

    server = ThreadingHTTPServer(("127.0.0.1", int(port)), receiver(secret, keep))
    threading.Thread(target=work, daemon=True).start()
    print(f"listening at http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(*(sys.argv[1:] or [""]))
