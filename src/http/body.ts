import { type Refused, refused } from '../application/refusal.ts';

/** Maximum size of a request body. */
export const MAX_BODY_BYTES = 65_536;
/** Maximum nesting depth of a JSON body. Many JSON readers become slow or fail on deeper ones. */
export const MAX_BODY_DEPTH = 64;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Reads the body as JSON. An absent or empty body counts as `{}`. */
export async function readJson(
  request: Request,
): Promise<{ readonly kind: 'json'; readonly value: unknown } | Refused> {
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > MAX_BODY_BYTES) return tooLarge();
  // Reading `request.body` makes a stream, which costs more than `text()`.
  const text = await unlessCutOff(() => (declared > 0 ? request.text() : readCapped(request.body)));
  if (text === undefined)
    return refused('INVALID_REQUEST', 'The connection ended before the body did; send the request again.');
  if (text === null) return tooLarge();
  if (text === '') return { kind: 'json', value: {} };
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    return refused(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body's Content-Type is "${type.slice(0, 60)}"; send JSON with Content-Type: application/json.`,
    );
  }
  if (deeperThan(MAX_BODY_DEPTH, text)) {
    return refused(
      'INVALID_REQUEST',
      `The body has more than ${MAX_BODY_DEPTH} levels of lists and objects; send fewer.`,
    );
  }
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch (fault) {
    const details = fault instanceof Error ? fault.message : '';
    return refused('INVALID_REQUEST', 'The body is not well-formed JSON; send one JSON object.', { details });
  }
}

/** Returns undefined if the client disconnects while it sends the body: that is not a fault of the service. */
async function unlessCutOff<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (fault) {
    if (fault instanceof DOMException && fault.name === 'AbortError') return undefined;
    throw fault;
  }
}

function tooLarge(): Refused {
  return refused('PAYLOAD_TOO_LARGE', `The body is larger than ${MAX_BODY_BYTES} bytes; send less.`);
}

/**
 * Whether a JSON text has more nesting levels. For malformed JSON the result does not matter: `JSON.parse` refuses it.
 */
function deeperThan(levels: number, text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (quoted) {
      if (character === BACKSLASH) at++;
      else if (character === QUOTE) quoted = false;
    } else if (character === QUOTE) quoted = true;
    else if (character === OPEN_LIST || character === OPEN_OBJECT) {
      depth++;
      if (depth > levels) return true;
    } else if (character === CLOSE_LIST || character === CLOSE_OBJECT) depth--;
  }
  return false;
}

/** Reads a body of unknown length. Returns null as soon as it exceeds the limit. */
async function readCapped(body: ReadableStream<Uint8Array> | null): Promise<string | null> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
