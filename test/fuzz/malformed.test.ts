import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Service, startService } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { sendBytes } from './connection.ts';

const START_MS = 60_000;
const directory = temporaryDirectory();
let service: Service;
beforeAll(async () => {
  service = await startService({ DATA_DIR: directory.path, PORT: '0', LOG_LEVEL: 'warn' });
}, START_MS);
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  directory.remove();
});

const HELD = '{"activity_id":"none"}';
/** What a smuggled request would be: after a message whose end two readers see at different places. */
const SECOND = 'GET /api/health HTTP/1.1\r\nHost: a\r\n\r\n';

/** A POST with these header lines. */
const post = (lines: string, body: string) => `POST /api/b2a/holds HTTP/1.1\r\nHost: a\r\n${lines}\r\n\r\n${body}`;
const get = (lines: string) => `GET /livez HTTP/1.1\r\n${lines}\r\n\r\n`;

const MALFORMED: Readonly<Record<string, string>> = {
  'a length and chunks': post('Content-Length: 5\r\nTransfer-Encoding: chunked', `0\r\n\r\n${SECOND}`),
  'two lengths': post('Content-Length: 0\r\nContent-Length: 22', HELD),
  'a list of lengths': post('Content-Length: 0, 22', HELD),
  'a negative length': post('Content-Length: -1', HELD),
  'a hexadecimal length': post('Content-Length: 0x16', HELD),
  'a length with a sign': post('Content-Length: +22', HELD),
  'a length of 20 digits': post('Content-Length: 99999999999999999999', HELD),
  'an unknown transfer coding': post('Transfer-Encoding: xchunked', `0\r\n\r\n${SECOND}`),
  'a transfer coding before chunks': post('Transfer-Encoding: gzip, chunked', `0\r\n\r\n${SECOND}`),
  'a transfer coding after a control character': post('Transfer-Encoding:\u000bchunked', `0\r\n\r\n${SECOND}`),
  'a space before the colon': post('Transfer-Encoding : chunked', `0\r\n\r\n${SECOND}`),
  'a chunk without a size': post('Transfer-Encoding: chunked', 'zz\r\n{}\r\n0\r\n\r\n'),
  'a chunk of a negative size': post('Transfer-Encoding: chunked', '-1\r\n{}\r\n0\r\n\r\n'),
  'a chunk of 17 digits': post('Transfer-Encoding: chunked', 'ffffffffffffffff1\r\n{}\r\n0\r\n\r\n'),
  'a folded header': get('Host: a\r\nX: b\r\n c'),
  'a NUL in a header': get('Host: a\r\nX: b\0c'),
  'a header without a colon': get('Host: a\r\nnothing'),
  'a header without a name': get('Host: a\r\n: b'),
  'no host': get('X: b'),
  'a head of 100 KB': get(`Host: a\r\nX: ${'b'.repeat(100_000)}`),
  'a target of 100 KB': `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  'HTTP/0.9': 'GET /livez\r\n\r\n',
  'HTTP/2.0': 'GET /livez HTTP/2.0\r\nHost: a\r\n\r\n',
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a TLS handshake': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'a method in lower case': 'get /livez HTTP/1.1\r\nHost: a\r\n\r\n',
  'a target without a slash': 'GET livez HTTP/1.1\r\nHost: a\r\n\r\n',
  CONNECT: 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: a\r\n\r\n',
  'only line ends': '\r\n\r\n\r\n\r\n',
};

/** Statuses other than one 400. A body is read after the caller is known, so its faults come after the 401. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  'a chunk without a size': ['401', '400'],
  'a chunk of a negative size': ['401', '400'],
  'a chunk of 17 digits': ['401', '400'],
  'a head of 100 KB': ['431'],
  'a target of 100 KB': ['431'],
  'HTTP/0.9': ['505'],
  'HTTP/2.0': ['505'],
  'a method in lower case': [],
};

describe('malformed HTTP is refused, and nothing after it is read as a request:', () => {
  test.each(Object.entries(MALFORMED))('%s', async (name, request) => {
    const received = await sendBytes(service.url, Buffer.from(request, 'latin1'));
    const statuses = [...(received ?? 'no end').matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '');
    expect([received === null, statuses]).toEqual([false, [...(OTHERS[name] ?? ['400'])]]);
    expect((await fetch(`${service.url}/livez`)).status).toBe(200);
  });
});
