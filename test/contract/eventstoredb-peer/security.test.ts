import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { EventStoreDBClient } from '@eventstore/db-client';
import { EventStoreDbPeer } from '../../support/eventstoredb-peer.ts';
import { LOCALHOST } from '../../support/localhost-certificate.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';
import { errorType, happened, newStream } from './scene.ts';

// Starting a server takes seconds on a busy machine.
setDefaultTimeout(30_000);

function certificate(directory: TemporaryDirectory): { cert: string; key: string } {
  const [cert, key] = [directory.file('cert.pem'), directory.file('key.pem')];
  writeFileSync(cert, LOCALHOST.cert);
  writeFileSync(key, LOCALHOST.key);
  return { cert, key };
}

async function appended(url: string): Promise<string> {
  const client = EventStoreDBClient.connectionString(url);
  try {
    return await errorType(client.appendToStream(newStream(), happened(0)));
  } finally {
    await client.dispose();
  }
}

describe('over TLS', () => {
  test('clients must trust the certificate and know the password', async () => {
    using directory = temporaryDirectory();
    const tls = certificate(directory);
    const account = { user: 'admin', password: 'päss:word' };
    await using peer = await EventStoreDbPeer.start({ data: directory.file('events.log'), tls, account });
    const url = (user: string, trust = `&tlsCAFile=${encodeURIComponent(tls.cert)}`) =>
      `esdb://${user}localhost:${peer.port}?tls=true${trust}`;
    expect(await appended(url(`admin:${encodeURIComponent(account.password)}@`))).toBe('no error');
    expect(await appended(url('admin:wrong@'))).toBe('access-denied');
    expect(await appended(url(''))).toBe('access-denied');
    expect(await appended(url('', ''))).toStartWith('Error: 14 UNAVAILABLE');
  });
});

test('a server with half a certificate does not start', async () => {
  using directory = temporaryDirectory();
  const start = Bun.spawnSync(
    ['node', 'test/support/peers/eventstoredb/server.mjs', '--data', directory.file('a.log'), '--tls-cert', 'a.pem'],
    { stderr: 'pipe' },
  );
  expect([start.exitCode, start.stderr.toString()]).toEqual([
    2,
    expect.stringContaining('--tls-cert and --tls-key go together'),
  ]);
});
