"""A receiver written from docs/webhooks.md and nothing else: no line of ours is in it.

    python3 receiver.py 'whsec_…'

POST /standard checks webhook-signature, POST /service checks X-Service-Signature. Each event is printed once. GET
/bookings tells what the latest event of each booking was.
"""

import base64
import hmac
import json
import sqlite3
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

secret = sys.argv[1]
prefix, key = secret[:6], base64.b64decode(secret[6:], validate=True)
if prefix != "whsec_" or len(key) != 32:
    sys.exit("not a webhook secret")

table = sqlite3.connect(":memory:")
table.execute("create table events (id text primary key, body blob)")
bookings = {}


def standard(headers, body):
    try:
        if abs(time.time() - int(headers["webhook-timestamp"])) > 5 * 60:
            return False
    except (TypeError, ValueError):
        return False
    signed = b".".join([headers["webhook-id"].encode(), headers["webhook-timestamp"].encode(), body])
    signature = base64.b64encode(hmac.digest(key, signed, "sha256"))
    fits = False
    for one in headers["webhook-signature"].split(" "):
        version, _, given = one.partition(",")
        fits |= version == "v1" and hmac.compare_digest(given.encode(), signature)
    return fits


def service(headers, body):
    signature = "sha256=" + hmac.digest(secret.encode(), body, "sha256").hex()
    return hmac.compare_digest(str(headers["x-service-signature"]).encode(), signature.encode())


CHECKS = {"/standard": standard, "/service": service}


def keep(event, body):
    try:
        table.execute("insert into events values (?, ?)", (event["id"], body))
    except sqlite3.IntegrityError:
        return
    latest = bookings.get(event["data"]["booking_id"])
    if latest is None or latest["sequence"] < event["sequence"]:
        bookings[event["data"]["booking_id"]] = {"event": event["event"], "sequence": event["sequence"]}
    print(body.decode(), flush=True)


class Receiver(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(200, json.dumps(bookings).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            accepted = CHECKS[self.path](self.headers, body)
        except (AttributeError, KeyError):
            accepted = False
        if accepted:
            keep(json.loads(body), body)
        self.answer(200 if accepted else 401, b"")

    def answer(self, status, body):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Receiver)
print(f"listening at http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
