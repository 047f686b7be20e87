import { describe, expect, test } from 'bun:test';
import { sign } from 'node:crypto';
import fc from 'fast-check';
import { encodeBase32 } from '../../../src/domain/base32.ts';
import { readToken, signToken, type VoucherFacts } from '../../../src/vouchers/token.ts';
import { anyFacts, keyNumber, otherKey, published, someCode, someFacts, someKey } from './given.ts';

const QR_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:';
const SIGNATURE_CHARACTERS = 103;
const token = signToken(someFacts, someKey);
const reading = { kind: 'token', facts: someFacts, kid: someKey.kid } as const;

/** Any text with a valid signature. */
function signed(text: string): string {
  return `${text}.${encodeBase32(sign(null, Buffer.from(text), someKey.privateKey))}`;
}

describe('a token', () => {
  test('has a fixed format, because printed vouchers must stay readable', () => {
    expect(token).toBe(
      'WM2.KEY00001.WM-7GK2M0Q9XW4T1ZC8RB5N-3H6V0YJ2PD9S4QAEK7M1XW8TGZ.SIAM-OCEAN-WORLD.20261121.TOUMK0.2+1.3.' +
        'RNZK6GT5K2AEYGTJA6PWR7VGDE4QF9H3EKWWRYVDWQVSSJY8H0Y1KBZHDPQC0KJP55VZXFKAQRGVR5BKF0KT07SFT3ED8C9D3VVE230',
    );
  });

  test('of an earlier release is read without a revision', () => {
    const printed =
      'WM1.KEY00001.WM-7GK2M0Q9XW4T1ZC8RB5N-3H6V0YJ2PD9S4QAEK7M1XW8TGZ.SIAM-OCEAN-WORLD.20261121.TOUMK0.2+1.' +
      'RP2GWK4SXACDECP0KPJ0Q4HB2FHM9Q6NXSCZ110FJ181G8RX5HAM1FFKJHT00AA1FSJ6NR9STAMWN792QQ9E6M91JR30MN3RMAWF810';
    expect(readToken(printed, published)).toEqual({ ...reading, facts: { ...someFacts, revision: null } });
    expect(readToken(printed.replace('WM1.', 'WM2.'), published).kind).toBe('not-a-token');
    expect(readToken(token.replace('WM2.', 'WM1.'), published).kind).toBe('not-a-token');
  });

  test('parses back to the signed facts', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        expect(readToken(signToken(facts, otherKey), published)).toEqual({ kind: 'token', facts, kid: otherKey.kid });
      }),
    );
  });

  test('stays within the alphabet of a small QR code', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        expect(signToken(facts, someKey)).toMatch(/^[0-9A-Z $%*+\-./:]+$/);
      }),
    );
  });

  test.each([
    ['in lower case', token.toLowerCase()],
    ['in mixed case', `${token.slice(0, 60).toLowerCase()}${token.slice(60)}`],
    ['with white space around it', ` \t${token}\r\n`],
  ])('is read %s', (_, scanned) => {
    expect(readToken(scanned, published)).toEqual(reading);
  });
});

describe('a changed token is refused', () => {
  test('with any one character replaced by another', () => {
    const accepted: string[] = [];
    for (let at = 0; at < token.length; at++) {
      for (const character of QR_ALPHABET) {
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        if (changed !== token && readToken(changed, published).kind === 'token') accepted.push(changed);
      }
    }
    expect(accepted).toEqual([]);
  });

  test('with any one character left out', () => {
    const shorter = Array.from(token, (_, at) => token.slice(0, at) + token.slice(at + 1));
    expect(shorter.filter((text) => readToken(text, published).kind === 'token')).toEqual([]);
  });

  test('cut off anywhere', () => {
    const beginnings = Array.from(token, (_, at) => token.slice(0, at));
    expect(beginnings.filter((text) => readToken(text, published).kind === 'token')).toEqual([]);
  });

  test('with anything appended', () => {
    const longer = QR_ALPHABET.trim()
      .split('')
      .map((character) => `${token}${character}x`);
    expect(longer.filter((text) => readToken(text, published).kind === 'token')).toEqual([]);
  });

  test('with a space inside', () => {
    expect(readToken(`${token.slice(0, 90)} ${token.slice(90)}`, published)).toEqual({ kind: 'bad-signature' });
  });
});

describe('bad-signature', () => {
  const refused = { kind: 'bad-signature' } as const;
  const payload = token.slice(0, token.lastIndexOf('.'));

  test('of a key that was never published', () => {
    expect(readToken(signToken(someFacts, keyNumber(3, 'KEY00003')), published)).toEqual(refused);
  });

  test('of another key with the kid of a published one', () => {
    expect(readToken(signToken(someFacts, keyNumber(3, someKey.kid)), published)).toEqual(refused);
  });

  test('of another voucher', () => {
    const other = signToken({ ...someFacts, numAdults: 3 }, someKey);
    expect(readToken(payload + other.slice(-SIGNATURE_CHARACTERS - 1), published)).toEqual(refused);
  });

  test('in a second encoding: the same 64 bytes with other padding bits', () => {
    const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
    const last = digits.indexOf(token.slice(-1));
    const spellings = [1, 2, 3, 4, 5, 6, 7].map((spare) => token.slice(0, -1) + digits[last + spare]);
    expect(last % 8).toBe(0);
    expect(spellings.map((text) => readToken(text, published))).toEqual(spellings.map(() => refused));
  });

  test('with a letter that becomes ASCII in upper case', () => {
    expect(readToken(token.replace('SIAM', '\u017FIAM'), published)).toEqual(refused);
  });

  test.each([
    ['without a signature', `${payload}.`],
    ['with a short signature', `${payload}.00`],
    ['with empty fields', 'WM1.......'],
    ['with empty fields and a revision', 'WM2........'],
    ['with a revision that is no number', signed('WM2.KEY00001.WM-A-B.V.20261121.TOUMK0.2+1.X')],
    ['with a kid of the wrong length', signed('WM1.KEY.WM-A-B.V.20261121.TOUMK0.2+1')],
    ['without a code', signed('WM1.KEY00001..V.20261121.TOUMK0.2+1')],
    ['with a venue of other characters', signed('WM1.KEY00001.WM-A-B.V:V.20261121.TOUMK0.2+1')],
    ['with a date of seven digits', signed('WM1.KEY00001.WM-A-B.V.2026112.TOUMK0.2+1')],
    ['with an end that is not a number', signed('WM1.KEY00001.WM-A-B.V.20261121.-TOUMK.2+1')],
    ['without children', signed('WM1.KEY00001.WM-A-B.V.20261121.TOUMK0.2')],
    ['with a field of 81 characters', signed(`WM1.KEY00001.${'A'.repeat(81)}.V.20261121.TOUMK0.2+1`)],
  ])('of a malformed text %s', (_, text) => {
    expect(readToken(text, published)).toEqual(refused);
  });

  test('without any known key', () => {
    expect(readToken(token, new Map())).toEqual(refused);
  });
});

describe('not-a-token', () => {
  test.each([
    ['nothing', ''],
    ['a voucher code', someCode],
    ['an address', 'https://waymark.example/api/vouchers/WM-A-B'],
    ['another version of the format', token.replace('WM2.', 'WM3.')],
    ['seven fields', 'WM1.KEY00001.A.B.20261121.TOUMK0.2+1'],
    ['ten fields', `${token}.X`],
    ['a token that does not begin the text', `QR: ${token}`],
  ])('%s', (_, text) => {
    expect(readToken(text, published)).toEqual({ kind: 'not-a-token' });
  });
});

describe('signToken refuses facts that would not parse back', () => {
  const impossible: readonly [string, Partial<VoucherFacts>][] = [
    ['a code in lower case', { code: 'wm-a-b' }],
    ['a code with a field separator', { code: 'WM.A' }],
    ['no code', { code: '' }],
    ['a venue in upper case', { venueId: 'Siam' }],
    ['a venue with a space', { venueId: 'siam ocean' }],
    ['a date without dashes', { date: '20261121' }],
    ['a date with time', { date: '2026-11-21T00:00' }],
    ['a part of a second', { validUntilMs: 1_500 }],
    ['a time before the epoch', { validUntilMs: -1_000 }],
    ['no time', { validUntilMs: Number.NaN }],
    ['no end', { validUntilMs: Number.POSITIVE_INFINITY }],
    ['half an adult', { numAdults: 0.5 }],
    ['fewer than no children', { numChildren: -1 }],
    ['a thousand children', { numChildren: 1_000 }],
    ['half a revision', { revision: 0.5 }],
    ['no revision', { revision: null }],
    ['a million revisions', { revision: 1_000_000 }],
  ];
  test.each(impossible)('%s', (_, change) => {
    expect(() => signToken({ ...someFacts, ...change }, someKey)).toThrow(RangeError);
  });

  test('without the code in the message', () => {
    expect(() => signToken({ ...someFacts, numChildren: -1 }, someKey)).not.toThrow(someCode);
  });
});
