import { describe, expect, test } from 'bun:test';
import { Type } from 'typebox';
import { parametersIn } from '../../../src/http/parameters.ts';
import { RefusedEarly } from '../../../src/http/refused-early.ts';
import { body, clearable, optional, query, required } from '../../../src/http/schema.ts';

const PLACE = Type.Object({ city: optional(Type.String(), 'a text'), floor: optional(Type.Integer(), 'a number') });
const REQUEST = body(
  Type.Object({
    name: required(Type.String(), 'a text'),
    note: clearable(optional(Type.String(), 'a text')),
    guests: optional(Type.Integer(), 'a number'),
    place: optional(PLACE, 'an object'),
  }),
);

/** The body that a handler gets. */
function read(sent: unknown): unknown {
  return REQUEST.read(sent).value;
}

/** The refusal of a body, by default: its code, error and details. */
function refusalOf(sent: unknown, reading = read): readonly [code: string, error: string, details: string] {
  try {
    throw new Error(`accepted as ${JSON.stringify(reading(sent))}`);
  } catch (fault) {
    if (!(fault instanceof RefusedEarly)) throw fault;
    const { code, error, details } = fault.refused.refusal;
    return [code, error, details];
  }
}

describe('a body', () => {
  test('with members that its schema does not name is refused, by name, also in its objects', () => {
    const sent: unknown = JSON.parse('{"nmae":"Ada","constructor":1,"__proto__":{"guests":9},"place":{"toString":1}}');
    const here = 'the fields here are name, note, guests, place.';
    expect(refusalOf(sent)).toEqual([
      'INVALID_REQUEST',
      'unknown field "nmae"; did you mean "name"?',
      `unknown field "nmae"; did you mean "name"? unknown field "constructor"; ${here} unknown field "__proto__"; ${here} ` +
        'unknown field "place.toString"; the fields here are city, floor. name is missing; it must be a text.',
    ]);
    expect(Object.prototype).not.toHaveProperty('guests');
  });

  test('with thousands of unknown members is refused with ten of them', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`unnamed${n}`, n]));
    const [, , details] = refusalOf({ name: 'Ada', ...many });
    expect(details).toEndWith('name, note, guests, place. 4990 more fields are unknown.');
    expect(details.length).toBeLessThan(1_000);
  });

  test('has no null, except of a member that null clears', () => {
    const sent = { name: 'Ada', note: null, guests: null, place: { city: null, floor: 2 } };
    expect(read(sent)).toStrictEqual({ name: 'Ada', note: null, place: { floor: 2 } });
  });

  test('leaves the sent object unchanged', () => {
    const sent = { name: 'Ada', guests: null, place: { city: 'Bangkok', floor: '2' } };
    const before = structuredClone(sent);
    read(sent);
    expect(sent).toStrictEqual(before);
  });
});

describe('a number of a query', () => {
  const PAGE = query(Type.Object({ limit: optional(Type.Integer({ maximum: 50 }), 'a whole number to 50') }));
  const readQuery = (sent: unknown) => PAGE.read(parametersIn(`http://localhost/?limit=${String(sent)}`)).value;

  test.each(['7', '-7', '007', '7.0'])('is read from its text: %s', (text) => {
    expect(readQuery(text)).toStrictEqual({ limit: Number(text) });
  });

  test.each([
    ['too large', '51', '51'],
    ['in another form', '1e1', '"1e1"'],
    // As a number it would be infinite, which JSON writes as null.
    ['of 400 digits', '9'.repeat(400), `"${'9'.repeat(76)}…`],
  ])('that is %s is shown in the refusal', (_what, text, shown) => {
    const sentence = `limit must be a whole number to 50; it was ${shown}.`;
    expect(refusalOf(text, readQuery)).toEqual(['INVALID_REQUEST', sentence, sentence]);
  });
});
