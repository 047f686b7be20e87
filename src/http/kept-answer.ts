import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Headers, takesGzip } from './envelope.ts';

/** A static body, plain and compressed. */
export type KeptAnswer = {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer>;
  /** SHA-256 of the body. A file name contains its first characters. */
  readonly hash: string;
  readonly headers: Headers;
};

/** Compresses in the runtime's thread pool: compressing megabytes in this thread would delay requests. */
const compress = promisify(gzip);

/** @param headers must include the content type */
export async function keptAnswer(content: string | Uint8Array, headers: Headers): Promise<KeptAnswer> {
  const body = new Uint8Array(Buffer.from(content));
  const hash = createHash('sha256').update(body).digest('base64url');
  return { body, gzipped: new Uint8Array(await compress(body)), hash, headers };
}

/** Answers 304 if the client has this body. The entity tag is weak, because both encodings share it. */
export function sendKept({ body, gzipped, hash, headers }: KeptAnswer, asked: globalThis.Headers): Response {
  const etag = `W/"${hash}"`;
  const sent = { ...headers, etag, vary: 'accept-encoding', 'x-content-type-options': 'nosniff' };
  if (namesTag(asked.get('if-none-match'), etag)) return new Response(null, { status: 304, headers: sent });
  if (!takesGzip(asked.get('accept-encoding'))) return new Response(body, { headers: sent });
  return new Response(gzipped, { headers: { ...sent, 'content-encoding': 'gzip' } });
}

/** Weak comparison, as RFC 9110, 13.1.2 requires for `If-None-Match`. */
function namesTag(header: string | null, etag: string): boolean {
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  const tags = header?.split(',').map(opaque) ?? [];
  return tags.includes(opaque(etag)) || tags.includes('*');
}
