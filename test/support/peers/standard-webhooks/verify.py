"""What the library of Standard Webhooks for Python says of requests, one a line, as JSON: accepted or refused."""

import base64
import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

for line in sys.stdin:
    request = json.loads(line)
    try:
        Webhook(request["secret"]).verify(base64.b64decode(request["body"]), request["headers"])
        print("accepted", flush=True)
    except WebhookVerificationError:
        print("refused", flush=True)
