import { writeFileSync } from 'node:fs';
import { EventStoreDbPeer } from './eventstoredb-peer.ts';
import { LOCALHOST } from './localhost-certificate.ts';
import type { TemporaryDirectory } from './temporary-directory.ts';

/** A server with TLS and one account, whose password needs percent-encoding in a URL. */
export async function securePeer(directory: TemporaryDirectory) {
  const tls = { cert: directory.file('server.pem'), key: directory.file('server.key') };
  writeFileSync(tls.cert, LOCALHOST.cert);
  writeFileSync(tls.key, LOCALHOST.key);
  const account = { user: 'waymark', password: 'p@ss:word/%' };
  const peer = await EventStoreDbPeer.start({ data: directory.file('events.log'), tls, account });
  const url = (password: string, query = `?tlsCAFile=${encodeURIComponent(tls.cert)}`): string =>
    `esdb://waymark:${encodeURIComponent(password)}@localhost:${peer.port}${query}`;
  return { url, password: account.password, [Symbol.asyncDispose]: () => peer.kill() };
}
