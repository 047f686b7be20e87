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

/** 304 where the caller has it already. */
export function sendKept({ body, gzipped, hash, headers }: KeptAnswer, asked: globalThis.Headers): Response {
  const etag = `"${hash}"`;
  const sent = { ...headers, etag, vary: 'accept-encoding', 'x-content-type-options': 'nosniff' };
  if (namesTag(asked.get('if-none-match'), etag)) return new Response(null, { status: 304, headers: sent });
  if (!takesGzip(asked.get('accept-encoding'))) return new Response(body, { headers: sent });
  return new Response(gzipped, { headers: { ...sent, 'content-encoding': 'gzip' } });
}

/** Proxies that compress make a tag weak. */
function namesTag(header: string | null, etag: string): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || tags.includes('*');
}
