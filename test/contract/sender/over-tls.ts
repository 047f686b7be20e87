/**
 * Sends to its own TLS servers, in a process whose environment sets the trusted authorities, and prints the outcomes.
 * `a.example` is the name in every certificate, `b.example` in none. `certificates/make.sh` made them.
 */
import { join } from 'node:path';
import { openSender } from '../../../src/adapters/http/sender.ts';
import { destinations } from '../../../src/webhooks/destination.ts';

const REQUESTS = [
  ['a.example.pem', 'a.example'],
  ['a.example.pem', 'a.example'],
  ['a.example.pem', 'b.example'],
  ['a.example.pem', '127.0.0.1'],
  ['expired.pem', 'a.example'],
  ['not-yet-valid.pem', 'a.example'],
  ['self-signed.pem', 'a.example'],
] as const;

const file = (name: string) => Bun.file(join(import.meta.dir, 'certificates', name));
let arrived = 0;
const servers = new Map(
  [...new Set(REQUESTS.map(([certificate]) => certificate))].map((certificate) => [
    certificate,
    Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      tls: { cert: file(certificate), key: file('server.key') },
      fetch() {
        arrived += 1;
        return new Response('ok');
      },
    }),
  ]),
);
const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
const sender = openSender({ ...destinations(false), resolve });
const results: object[] = [];
for (const [certificate, host] of REQUESTS) {
  const url = `https://${host}:${servers.get(certificate)?.port}/`;
  const exchange = await sender.post({ url, headers: {}, body: '{}', timeoutMs: 5_000 });
  const ended = exchange.kind === 'answered' ? { status: exchange.status } : { error: exchange.error };
  results.push({ certificate, host, ...ended });
}
await sender.close();
await Promise.all([...servers.values()].map((server) => server.stop(true)));
process.stdout.write(JSON.stringify({ results, arrived }));
