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

/** `cache-control` of a file whose name changes with its content. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

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

/** Caches the result of `make` until `of` changes. Does not cache a failure. */
export function cached<T>(make: () => Promise<T>, of: () => string = () => ''): () => Promise<T> {
  let kept: { readonly of: string; readonly made: Promise<T> } | null = null;
  return () => {
    const now = of();
    if (kept?.of === now) return kept.made;
    const made = make().catch((fault: unknown) => {
      kept = null;
      throw fault;
    });
    kept = { of: now, made };
    return made;
  };
}

/** Weak comparison, as RFC 9110, 13.1.2 requires for `If-None-Match`. */
function namesTag(header: string | null, etag: string): boolean {
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  const tags = header?.split(',').map(opaque) ?? [];
  return tags.includes(opaque(etag)) || tags.includes('*');
}
