import { isUtf8 } from 'node:buffer';
import { type Refused, refused } from '../application/refusal.ts';
import { undecodedTexts } from './text-faults.ts';

/** Maximum size of a request body. */
export const MAX_BODY_BYTES = 65_536;
/** Maximum nesting depth of a JSON body. Many JSON readers become slow or fail on deeper ones. */
export const MAX_BODY_DEPTH = 64;

/** Omits a byte order mark. Bytes that are not UTF-8 become U+FFFD. */
const decoder = new TextDecoder();

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Reads the body as JSON. An absent or empty body counts as `{}`. */
export async function readJson(
  request: Request,
): Promise<{ readonly kind: 'json'; readonly value: unknown } | Refused> {
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > MAX_BODY_BYTES) return tooLarge();
  // Reading `request.body` makes a stream, which costs more than `bytes()`.
  const bytes = await unlessCutOff(() => (declared > 0 ? request.bytes() : readCapped(request.body)));
  if (bytes === undefined)
    return refused('INVALID_REQUEST', 'The connection ended before the body did; send the request again.');
  if (bytes === null) return tooLarge();
  if (bytes.length === 0) return { kind: 'json', value: {} };
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    return refused(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body's Content-Type is "${type.slice(0, 60)}"; send JSON with Content-Type: application/json.`,
    );
  }
  const text = decoder.decode(bytes);
  if (deeperThan(MAX_BODY_DEPTH, text)) {
    return refused(
      'INVALID_REQUEST',
      `The body has more than ${MAX_BODY_DEPTH} levels of lists and objects; send fewer.`,
    );
  }
  try {
    const value: unknown = JSON.parse(text);
    return isUtf8(bytes) ? { kind: 'json', value } : notUtf8(value);
  } catch (fault) {
    const details = fault instanceof Error ? fault.message : '';
    return refused('INVALID_REQUEST', 'The body is not well-formed JSON; send one JSON object.', { details });
  }
}

/** Names the texts that were not decoded. JSON needs no other characters than ASCII elsewhere. */
function notUtf8(value: unknown): Refused {
  const [first, ...others] = undecodedTexts(value);
  const sentence = first?.sentence ?? 'The body is not UTF-8; encode it as UTF-8.';
  const details = [sentence, ...others.map((other) => other.sentence)].join(' ');
  return refused('INVALID_REQUEST', sentence, { details });
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
async function readCapped(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array | null> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
