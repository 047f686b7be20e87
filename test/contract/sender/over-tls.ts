/**
 * Sends to a server of its own over TLS, in a process whose environment decides whom it trusts, and prints what came of
 * it. `a.example` is the name in the server's certificate, `b.example` is not.
 */
import { join } from 'node:path';
import { openSender } from '../../../src/adapters/http/sender.ts';
import { destinations } from '../../../src/webhooks/destination.ts';

const file = (name: string) => Bun.file(join(import.meta.dir, name));
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  tls: { cert: file('a.example.pem'), key: file('a.example.key') },
  fetch: (request) => new Response(null, { status: 200, headers: { 'x-host': request.headers.get('host') ?? '' } }),
});
const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
const sender = openSender({ ...destinations(false), resolve });
const told: object[] = [];
for (const host of ['a.example', 'a.example', 'b.example', '127.0.0.1']) {
  const url = `https://${host}:${server.port}/`;
  const exchange = await sender.post({ url, headers: {}, body: '{}', timeoutMs: 5_000 });
  told.push(exchange.kind === 'answered' ? { host, status: exchange.status } : { host, error: exchange.error });
}
await sender.close();
await server.stop(true);
process.stdout.write(JSON.stringify(told));
