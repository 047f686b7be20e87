import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Endpoint, endpointsOf } from '../support/endpoints.ts';
import { headOf } from '../support/log-of-service.ts';
import { fullReference, type Reference } from '../support/reference.ts';
import { openService, type Service } from '../support/service.ts';
import { type Refusal, readAnswer } from '../support/service-answers.ts';

/** A JSON Schema in the API reference, as far as its kind says what it may hold. */
type Shape = {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly additionalProperties?: unknown;
  readonly items?: unknown;
  readonly anyOf?: readonly unknown[];
  readonly readOnly?: boolean;
};
/** A member of a body that takes a text: its path, and the body with a text in it. */
type Member = { readonly path: string; readonly with: (text: string) => unknown };

/** One text of each kind that must not be stored, as the refusals describe it. */
const HOSTILE: readonly (readonly [text: string, name: string])[] = [
  ['a\u0000b', 'a control character (U+0000)'],
  ['bell\u0007', 'a control character (U+0007)'],
  ['a\tb', 'a tab (U+0009)'],
  ['a\nb', 'a line break (U+000A)'],
  ['a\r\nBcc: eve@example.com', 'a line break (U+000D)'],
  ['\u001b[31m', 'a control character (U+001B)'],
  ['a\u007fb', 'a control character (U+007F)'],
  ['a\u0085b', 'a line break (U+0085)'],
  ['a\u009bb', 'a control character (U+009B)'],
  ['a\u2028b', 'a line break (U+2028)'],
  ['a\u202ab', 'a bidirectional control character (U+202A)'],
  ['a\u202eb', 'a bidirectional control character (U+202E)'],
  ['a\u2066b', 'a bidirectional control character (U+2066)'],
  ['\u2069', 'a bidirectional control character (U+2069)'],
  ['\ud83d', 'half of a surrogate pair (U+D83D)'],
  ['a\ude00', 'half of a surrogate pair (U+DE00)'],
];

/** Looked up and never stored. */
const UNSTORED = [
  ['POST /api/venue/verify', 'code'],
  ['POST /api/sessions', 'token'],
];

let service: Service;
let reference: Reference;
let members: readonly (readonly [Endpoint, Member])[];
beforeAll(async () => {
  service = await openService();
  reference = await fullReference((path) => service.send(path));
  members = (await endpointsOf(reference, service)).flatMap((endpoint) => {
    const { body } = endpoint;
    const texts = body === null ? [] : textsIn(body.pointer, body.example ?? {});
    const stored = texts.filter(
      ({ path }) => !UNSTORED.some(([name, member]) => name === endpoint.name && member === path),
    );
    return stored.map((member) => [endpoint, member] as const);
  });
});
afterAll(() => service.stop());

/** The members of a value that take a text, at any depth. */
function textsIn(pointer: string, example: unknown, path = ''): readonly Member[] {
  const place = reference.at(pointer);
  if (place === null) throw new Error(`the reference has nothing at ${pointer}`);
  const shape = place.value as Shape;
  if (shape.readOnly === true) return [];
  if (takesText(shape)) return [{ path, with: (text) => text }];
  if (shape.anyOf !== undefined)
    return shape.anyOf.flatMap((_, index) => textsIn(`${place.pointer}/anyOf/${index}`, example, path));
  if (shape.items !== undefined)
    return textsIn(`${place.pointer}/items`, firstOf(example), `${path}[0]`).map((item) => ({
      ...item,
      with: (text) => [item.with(text)],
    }));
  const known = isObject(example) ? example : {};
  const inner = (name: string, at: string): readonly Member[] =>
    textsIn(at, known[name] ?? {}, path === '' ? name : `${path}.${name}`).map((member) => ({
      ...member,
      with: (text) => ({ ...known, [name]: member.with(text) }),
    }));
  if (shape.properties !== undefined)
    return Object.keys(shape.properties).flatMap((name) => inner(name, `${place.pointer}/properties/${name}`));
  return isObject(shape.additionalProperties) ? inner('anything', `${place.pointer}/additionalProperties`) : [];
}

function takesText({ type, enum: names, const: constant }: Shape): boolean {
  return type === 'string' || typeof constant === 'string' || names?.some((name) => typeof name === 'string') === true;
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? (list[0] ?? {}) : {};
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function refusalOf({ method, path, credentials }: Endpoint, body: string | Uint8Array): Promise<Refusal> {
  const headers = { ...credentials, 'content-type': 'application/json' };
  return (await readAnswer(await service.send(path, { method, headers, body }))).refusal;
}

describe('every member of every body that takes a text', () => {
  test('refuses each character that no stored text may contain, names the member, and stores nothing', async () => {
    expect(members.length).toBeGreaterThan(80);
    const before = await headOf(service);
    for (const [endpoint, member] of members) {
      for (const [text, name] of HOSTILE) {
        const { status, details } = await refusalOf(endpoint, JSON.stringify(member.with(text)));
        const found: readonly unknown[] = [endpoint.name, member.path, status, details];
        const named = expect.stringContaining(`${member.path} contains ${name}; `);
        expect(found).toEqual([endpoint.name, member.path, 400, named]);
      }
    }
    expect(await headOf(service)).toEqual(before);
  });

  test('refuses bytes that are not UTF-8, names the member, and stores nothing', async () => {
    const before = await headOf(service);
    for (const [endpoint, member] of members) {
      // A lone continuation byte, an overlong slash, a surrogate, and the first two bytes of three.
      for (const bytes of [[0x80], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x80]]) {
        const [head = '', tail = ''] = JSON.stringify(member.with('@@')).split('@@');
        const body = Buffer.concat([Buffer.from(`${head}a`), Buffer.from(bytes), Buffer.from(tail)]);
        const { status, code, error } = await refusalOf(endpoint, body);
        const found: readonly unknown[] = [endpoint.name, status, code, error];
        const named = `${member.path} is not UTF-8; encode it as UTF-8.`;
        expect(found).toEqual([endpoint.name, 400, 'INVALID_REQUEST', named]);
      }
    }
    expect(await headOf(service)).toEqual(before);
  });
});

describe('a refused text', () => {
  test('has the code of its field, in the order of the fields, and all faults are named', async () => {
    const { refusal } = await service.book({
      metadata: { 'ro\u0000om': '12', floor: 'a\u0007' },
      user_email: 'ada\u202e@example.com',
      num_adults: 0,
    });
    expect([refusal.status, refusal.code, refusal.error]).toEqual([
      400,
      'INVALID_EMAIL',
      'user_email contains a bidirectional control character (U+202E); leave it out.',
    ]);
    expect(refusal.details).toContain(
      'num_adults must be a whole number from 1 to 20; it was 0. metadata has a name that contains a control character (U+0000); leave it out.',
    );
  });

  test('in an unknown member does not hide that the member is unknown', async () => {
    const { refusal } = await service.book({ dryRun: 'a\nb' });
    expect(refusal.error).toBe('unknown field "dryRun"; did you mean "dry_run"?');
  });

  test('says how to write several lines', async () => {
    const { refusal } = await service.book({ special_requests: 'A pram.\nThank you!' });
    expect(refusal.error).toBe('special_requests contains a line break (U+000A); write it in one line.');
  });
});

test.each(['سلام', 'ขอบคุณ', 'נעמי', '👩‍👧‍👦', 'Zoë', '\u200eAda', 'می\u200cخواهم', 'a\u00a0b', '\ufffd'])(
  'a text with %j is booked as it was sent',
  async (text) => {
    const { data } = await service.book({ user_name: text, special_requests: text, activity_id: 'sea-tunnel' });
    expect([data.user_name, data.special_requests]).toEqual([text, text]);
  },
);
