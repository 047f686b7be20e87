import { type Refused, refused } from '../application/refusal.ts';

/** The largest request body, in bytes. */
export const MAX_BODY_BYTES = 65_536;

/** The JSON of a request's body; an absent one counts as `{}`. */
export async function readJson(
  request: Request,
): Promise<{ readonly kind: 'json'; readonly value: unknown } | Refused> {
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > MAX_BODY_BYTES) return tooLarge();
  if (request.body === null) return { kind: 'json', value: {} };
  const text = declared > 0 ? await request.text() : await readCapped(request.body);
  if (text === null) return tooLarge();
  if (text === '') return { kind: 'json', value: {} };
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    return refused(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body's Content-Type is "${type.slice(0, 60)}"; send JSON with Content-Type: application/json.`,
    );
  }
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch (fault) {
    const details = fault instanceof Error ? fault.message : '';
    return refused('INVALID_REQUEST', 'The body is not well-formed JSON; send one JSON object.', { details });
  }
}

function tooLarge(): Refused {
  return refused('PAYLOAD_TOO_LARGE', `The body is larger than ${MAX_BODY_BYTES} bytes; send less.`);
}

/** A body of unknown length as text, null as soon as it is over the limit. */
async function readCapped(body: ReadableStream<Uint8Array>): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
