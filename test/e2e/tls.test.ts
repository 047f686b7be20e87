import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type PeerCertificate, type SecureVersion, type TLSSocket } from 'node:tls';
import { LOCALHOST, RENEWED } from '../support/localhost-certificate.ts';
import { type Program, runProgram, startProgram } from '../support/process.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';

const START_MS = 60_000;

let directory: TemporaryDirectory;
let program: Program;
let url: URL;

beforeAll(async () => {
  directory = temporaryDirectory();
  install(LOCALHOST);
  program = startProgram(['serve'], settings());
  const line = await program.stdout.line(/^Waymark is running at (\S+)$/);
  if (line === null) throw new Error(`the service ended:\n${program.stdout.text}${program.stderr.text}`);
  url = new URL(line[1] ?? '');
}, START_MS);
afterAll(async () => {
  await program?.kill();
  directory?.remove();
});

/** In production, with no proxy in front. */
function settings() {
  return {
    NODE_ENV: 'production',
    PORT: '0',
    DATA_DIR: directory.file('data'),
    TLS_CERT: directory.file('tls.crt'),
    TLS_KEY: directory.file('tls.key'),
  };
}

function install({ cert, key }: typeof LOCALHOST): void {
  writeFileSync(directory.file('tls.crt'), cert);
  writeFileSync(directory.file('tls.key'), key);
}

/** A connection that speaks no other version. @throws where the service does not */
function connected(version: SecureVersion): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const options = { host: '127.0.0.1', port: Number(url.port), minVersion: version, maxVersion: version };
  const socket = connect({ ...options, rejectUnauthorized: false }, () => resolve(socket));
  socket.on('error', reject);
  return promise;
}

async function servedCertificate(): Promise<PeerCertificate['subject']['CN']> {
  const socket = await connected('TLSv1.3');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return subject.CN;
}

/** SIGHUP, and what the service says of it. */
async function renew(said: RegExp): Promise<void> {
  const line = program.stdout.line(said);
  program.signal('SIGHUP');
  expect(await line).not.toBeNull();
}

describe('a service with TLS', () => {
  test('answers over TLS 1.3, sends HSTS, and does not name its software', async () => {
    expect(url.protocol).toBe('https:');
    const response = await fetch(new URL('/readyz', url), { tls: { ca: LOCALHOST.cert } });
    expect(response.status).toBe(200);
    const { headers } = response;
    const wanted = ['strict-transport-security', 'x-content-type-options', 'cache-control', 'server', 'x-powered-by'];
    expect(wanted.map((name) => headers.get(name))).toEqual(['max-age=31536000', 'nosniff', 'no-store', null, null]);
    const socket = await connected('TLSv1.3');
    expect(socket.getProtocol()).toBe('TLSv1.3');
    socket.destroy();
  });

  test('refuses TLS 1.2, and plain HTTP on its port', async () => {
    expect(
      await connected('TLSv1.2').then(
        () => 'connected',
        () => 'refused',
      ),
    ).toBe('refused');
    const plain = new URL('/livez', `http://127.0.0.1:${url.port}`);
    expect(
      await fetch(plain).then(
        ({ status }) => status,
        () => 'refused',
      ),
    ).toBe('refused');
  });

  test('serves the new certificate after SIGHUP, and answers requests of old connections', async () => {
    expect(await servedCertificate()).toBe('localhost');
    const token = readFileSync(directory.file('data/admin-token'), 'utf8').trim();
    const body = JSON.stringify({ name: 'An agent', plan: 'enterprise' });
    const socket = await connected('TLSv1.3');
    let answer = '';
    const answered = Promise.withResolvers<void>();
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (answer.includes('"success"')) answered.resolve();
    });
    socket.on('close', () => answered.resolve());
    const head = ['POST /api/keys HTTP/1.1', `host: 127.0.0.1:${url.port}`, `authorization: Bearer ${token}`];
    head.push('content-type: application/json', `content-length: ${body.length}`, '', '');
    socket.write(head.join('\r\n') + body.slice(0, 10));
    install(RENEWED);
    await renew(/"msg":"certificate renewed"/);
    expect(await servedCertificate()).toBe('renewed');
    socket.write(body.slice(10));
    await answered.promise;
    expect(answer).toContain('"success":true');
    socket.destroy();
  });

  test('keeps its certificate if the new one cannot be used', async () => {
    install({ cert: RENEWED.cert, key: LOCALHOST.key });
    await renew(/"msg":"certificate not renewed"/);
    expect(await servedCertificate()).toBe('renewed');
  });

  test('does not start with an unusable certificate, and names it', async () => {
    const there = settings();
    const start = (more: object) => runProgram(['serve'], { ...there, DATA_DIR: directory.file('other'), ...more });
    const missing = await start({ TLS_KEY: directory.file('none.key') });
    expect([missing.exitCode, missing.stderr]).toEqual([
      1,
      expect.stringMatching(/^waymark: TLS_KEY cannot be read: /),
    ]);
    const swapped = await start({ TLS_KEY: there.TLS_CERT });
    expect([swapped.exitCode, swapped.stderr]).toEqual([1, expect.stringContaining('are no certificate and its key')]);
  });
});
