export type Snippet = { readonly label: string; readonly text: string; readonly about: string };

/**
 * First requests in several languages, ready to run. The key itself is in no snippet: it comes from the environment.
 *
 * @param origin of the service, without a slash at the end
 * @param prefix of the key, as the API shows it: `pk_9c41d7`
 */
export function snippetsFor(origin: string, prefix: string): readonly Snippet[] {
  return [
    { label: 'curl', about: 'Recommends three activities in Bangkok. Run it in a shell.', text: curl(origin, prefix) },
    {
      label: 'TypeScript',
      about:
        'Recommends, and asks for the price of the first activity without booking it. Run it with Bun, Deno or Node 22.18.',
      text: typescript(origin, prefix),
    },
    { label: 'Python', about: 'The same, with the standard library of Python 3.', text: python(origin, prefix) },
    {
      label: 'MCP',
      about: `For a client of the Model Context Protocol that reads variables of the environment: the tools recommend, inventory and book. WAYMARK_KEY is your key ${prefix}….`,
      text: mcp(origin, prefix),
    },
  ];
}

const WISH = '{"user_profile":{"travel_type":"couple"},"location":{"city":"Bangkok"},"limit":3}';

function curl(origin: string, prefix: string): string {
  return `: "\${WAYMARK_KEY:?Set WAYMARK_KEY to your key ${prefix}…}"
curl -sS --fail-with-body ${origin}/api/b2a/recommend \\
  -H "x-api-key: $WAYMARK_KEY" -H 'content-type: application/json' \\
  -d '${WISH}'
`;
}

function typescript(origin: string, prefix: string): string {
  return `import process from 'node:process';

const key = process.env['WAYMARK_KEY'];
if (!key) throw new Error('Set WAYMARK_KEY to your key ${prefix}….');

async function post(path: string, body: object): Promise<any> {
  const response = await fetch(\`${origin}\${path}\`, {
    method: 'POST',
    headers: { 'x-api-key': key!, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer: any = await response.json();
  if (!answer.success) throw new Error(\`\${answer.code}: \${answer.error}\`);
  return answer.data;
}

const { recommendations, context } = await post('/api/b2a/recommend', ${WISH});
const [first] = recommendations;
// Without dry_run, and with the header Idempotency-Key, the same request books.
const quote = await post('/api/b2a/execute_booking', {
  activity_id: first.id,
  booking_date: first.available_date,
  num_adults: 2,
  user_name: 'Mai Tran',
  user_email: 'mai@example.com',
  context_log_id: context.log_id,
  dry_run: true,
});
console.log(JSON.stringify({ activity: first.title, date: first.available_date, price: quote.pricing.total }));
`;
}

function python(origin: string, prefix: string): string {
  return `import json
import os
import urllib.request

key = os.environ.get("WAYMARK_KEY") or exit("Set WAYMARK_KEY to your key ${prefix}….")


def post(path, body):
    headers = {"x-api-key": key, "content-type": "application/json"}
    request = urllib.request.Request("${origin}" + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as response:
        return json.load(response)["data"]


found = post("/api/b2a/recommend", ${WISH})
first = found["recommendations"][0]
# Without dry_run, and with the header Idempotency-Key, the same request books.
quote = post("/api/b2a/execute_booking", {
    "activity_id": first["id"],
    "booking_date": first["available_date"],
    "num_adults": 2,
    "user_name": "Mai Tran",
    "user_email": "mai@example.com",
    "context_log_id": found["context"]["log_id"],
    "dry_run": True,
})
print(json.dumps({"activity": first["title"], "date": first["available_date"], "price": quote["pricing"]["total"]}))
`;
}

/** JSON has no comments: the name of the server says which key the variable is to hold. */
function mcp(origin: string, prefix: string): string {
  const server = { type: 'http', url: `${origin}/mcp`, headers: { 'x-api-key': '${WAYMARK_KEY}' } };
  return `${JSON.stringify({ mcpServers: { [`waymark-${prefix}`]: server } }, null, 2)}\n`;
}
