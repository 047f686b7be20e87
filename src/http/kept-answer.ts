import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Headers, takesGzip } from './envelope.ts';

/** A body that stays the same, ready to be sent: as it is, and compressed. */
export type KeptAnswer = {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer>;
  /** Of the body; the first characters of it name a file. */
  readonly hash: string;
  readonly headers: Headers;
};

/** Compressing is work for a thread of the runtime's own: megabytes of it must not keep requests waiting. */
const compress = promisify(gzip);

/** @param headers with the content type */
export async function keptAnswer(content: string | Uint8Array, headers: Headers): Promise<KeptAnswer> {
  const body = new Uint8Array(Buffer.from(content));
  const hash = createHash('sha256').update(body).digest('base64url');
  return { body, gzipped: new Uint8Array(await compress(body)), hash, headers };
}

/** 304 where the caller has it already. The tag is a weak one, as it is that of both forms of the body. */
export function sendKept({ body, gzipped, hash, headers }: KeptAnswer, asked: globalThis.Headers): Response {
  const etag = `W/"${hash}"`;
  const sent = { ...headers, etag, vary: 'accept-encoding', 'x-content-type-options': 'nosniff' };
  if (namesTag(asked.get('if-none-match'), etag)) return new Response(null, { status: 304, headers: sent });
  if (!takesGzip(asked.get('accept-encoding'))) return new Response(body, { headers: sent });
  return new Response(gzipped, { headers: { ...sent, 'content-encoding': 'gzip' } });
}

/** Weak and strong tags are compared alike here (RFC 9110, 13.1.2). */
function namesTag(header: string | null, etag: string): boolean {
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  const tags = header?.split(',').map(opaque) ?? [];
  return tags.includes(opaque(etag)) || tags.includes('*');
}
