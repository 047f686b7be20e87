import type { Random } from '../chaos/kill/random.ts';

const PIECES = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  '\r\n\r\n',
  '\r\n folded',
  '\r\nContent-Length: 5',
  '\r\nContent-Length: -1',
  '\r\nContent-Length: 99999999999999999999',
  '\r\nContent-Length: 0x10',
  '\r\nTransfer-Encoding: chunked',
  '\r\nTransfer-Encoding: chunked, gzip',
  '\r\nTransfer-Encoding:\x0bchunked',
  '\r\nHost: b',
  '\r\nx: y\0z',
  '\r\nUpgrade: h2c\r\nConnection: Upgrade',
  '\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13',
  '\xff',
  '%',
] as const;
const LINES = [
  'GET / HTTP/0.9',
  'GET / HTTP/1.0',
  'GET / HTTP/2.0',
  'GET / HTTP/9.9',
  'GET /',
  'GET',
  'TRACE /livez HTTP/1.1',
  'FOO /livez HTTP/1.1',
  'CONNECT 127.0.0.1:22 HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'PRI * HTTP/2.0',
  'get /livez HTTP/1.1',
  'GET livez HTTP/1.1',
  'GET  /livez  HTTP/1.1',
  `GET /${'a'.repeat(20_000)} HTTP/1.1`,
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
] as const;

/**
 * Turns a valid request into malformed bytes: cut, with parts removed, inserted or repeated. The server may refuse them or
 * close the connection.
 */
export function malformed(valid: Uint8Array, random: Random): Uint8Array {
  const bytes = Buffer.from(valid);
  const head = bytes.indexOf('\r\n\r\n') + 4;
  const at = random.whole(0, head);
  const kind = random.whole(1, 10);
  if (kind === 1) return bytes.subarray(0, random.whole(0, bytes.length - 1));
  if (kind === 2) return Buffer.concat([bytes.subarray(0, at), Buffer.from('a'.repeat(20_000)), bytes.subarray(at)]);
  if (kind === 3) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(random.whole(at, bytes.length))]);
  if (kind === 4) return Buffer.concat([bytes, bytes.subarray(0, at)]);
  if (kind === 5)
    return Buffer.concat([Buffer.from(random.pick(LINES), 'latin1'), bytes.subarray(bytes.indexOf('\r\n'))]);
  if (kind === 6) return badChunks(bytes.subarray(0, head), random);
  if (kind === 7) return Uint8Array.from({ length: random.whole(1, 2_000) }, () => random.whole(0, 255));
  const piece = Buffer.from(random.pick(PIECES), 'latin1');
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
}

function badChunks(head: Buffer, random: Random): Buffer {
  const chunks = random.pick([
    'zz\r\n{}\r\n',
    '-1\r\n',
    'ffffffffffffffff1\r\n{}',
    '2\r\n{}x\r\n0\r\n\r\n',
    '2;a\r\n{}\r\n',
    '0\r\nX: y\r\n\r\n',
  ]);
  const lines = head
    .toString('latin1')
    .replace(/^(Content-Length|Transfer-Encoding):.*\r\n/gim, '')
    .slice(0, -2);
  return Buffer.from(`${lines}Transfer-Encoding: chunked\r\n\r\n${chunks}`, 'latin1');
}
