import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { checkVoucherToken, readRevocations, verdict } from '../../../examples/check-voucher-token.ts';
import { signRevocationList } from '../../../src/vouchers/revocation-list.ts';
import { publishedKeys } from '../../../src/vouchers/signing-key.ts';
import { readToken, signToken, type VoucherFacts } from '../../../src/vouchers/token.ts';
import { date, venueId } from '../../support/examples.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { anyFacts, keyNumber, otherKey, published, someCode, someFacts, someKey } from './given.ts';

const ROOT = join(import.meta.dir, '..', '..', '..');
const EXAMPLE = 'examples/check-voucher-token.ts';
const keys = publishedKeys([someKey, otherKey]);
const token = signToken(someFacts, someKey);

/** The facts in the format of the example. */
function voucherOf({ validUntilMs, ...facts }: VoucherFacts) {
  return { ...facts, validUntil: new Date(validUntilMs) };
}

describe('the example that checks a token offline', () => {
  test('returns the signed facts', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        expect(checkVoucherToken(signToken(facts, otherKey), keys)).toEqual(voucherOf(facts));
      }),
    );
  });

  test('accepts lower case and surrounding white space', () => {
    expect(checkVoucherToken(` ${token.toLowerCase()}\r\n`, keys)).toEqual(voucherOf(someFacts));
  });

  test('refuses a token with any one character replaced, as the service does', () => {
    const changed = Array.from(token, (character, at) => {
      const other = character === '0' ? '8' : '0';
      return token.slice(0, at) + other + token.slice(at + 1);
    });
    expect(changed.filter((text) => checkVoucherToken(text, keys) !== null)).toEqual([]);
    expect(changed.filter((text) => readToken(text, published).kind === 'token')).toEqual([]);
  });

  test.each([
    ['nothing', ''],
    ['a voucher code', someCode],
    ['a token without its signature', token.slice(0, -104)],
    ['a key that was never published', signToken(someFacts, keyNumber(3, 'KEY00003'))],
    ['another key under the name of a published one', signToken(someFacts, keyNumber(3, someKey.kid))],
    ['a second spelling of the signature', `${token.slice(0, -1)}1`],
    ['a letter that only turns into ASCII in upper case', token.replace('SIAM', '\u017FIAM')],
  ])('refuses %s', (_, text) => {
    expect(checkVoucherToken(text, keys)).toBeNull();
  });

  test('reads a voucher that an earlier release printed, without a revision', () => {
    const printed =
      'WM1.KEY00001.WM-7GK2M0Q9XW4T1ZC8RB5N-3H6V0YJ2PD9S4QAEK7M1XW8TGZ.SIAM-OCEAN-WORLD.20261121.TOUMK0.2+1.' +
      'RP2GWK4SXACDECP0KPJ0Q4HB2FHM9Q6NXSCZ110FJ181G8RX5HAM1FFKJHT00AA1FSJ6NR9STAMWN792QQ9E6M91JR30MN3RMAWF810';
    expect(checkVoucherToken(printed, keys)).toEqual({ ...voucherOf(someFacts), revision: null });
  });

  test('asks about a voucher without a revision whose booking was changed, and trusts no list of another venue', () => {
    const now = new Date('2026-11-21T03:00:00Z');
    const facts = { venueId: venueId('siam-ocean-world'), date: date('2026-11-21'), issuedAtMs: now.getTime() };
    const gate = { venueId: 'siam-ocean-world', date: '2026-11-21', now };
    const listed = (change: Partial<typeof facts>, from: number | null) =>
      readRevocations(
        signRevocationList({ ...facts, ...change, revocations: [{ code: someCode, from }] }, otherKey),
        keys,
      );
    const printed = { ...voucherOf(someFacts), revision: null };
    expect(verdict(printed, listed({}, 2), gate)).toBe('ask');
    expect(verdict(printed, listed({}, null), gate)).toBe('refuse');
    expect(verdict(voucherOf(someFacts), listed({}, 3), gate)).toBe('admit');
    expect(verdict(voucherOf(someFacts), listed({}, 4), gate)).toBe('refuse');
    expect(verdict(voucherOf(someFacts), listed({ venueId: venueId('another') }, 4), gate)).toBe('ask');
    expect(verdict(voucherOf(someFacts), listed({ date: date('2026-11-22') }, 4), gate)).toBe('ask');
    expect(verdict(voucherOf(someFacts), null, gate)).toBe('ask');
    expect(verdict(voucherOf(someFacts), listed({ issuedAtMs: now.getTime() + 15 * 60_000 }, 3), gate)).toBe('admit');
    expect(verdict(voucherOf(someFacts), listed({ issuedAtMs: now.getTime() + 16 * 60_000 }, 3), gate)).toBe('ask');
    expect(verdict(voucherOf(someFacts), listed({}, 3), { ...gate, venueId: 'another' })).toBe('refuse');
    expect(verdict(voucherOf(someFacts), listed({}, 3), { ...gate, now: new Date(someFacts.validUntilMs) })).toBe(
      'refuse',
    );
  });

  test('admits the voucher of a date that ends past midnight, by the list of that date, and none of a later date', () => {
    const now = new Date('2026-11-21T17:30:00Z');
    const late = { ...voucherOf(someFacts), validUntil: new Date('2026-11-21T19:00:00Z') };
    const gate = { venueId: 'siam-ocean-world', date: '2026-11-22', now };
    const listOf = (day: string, from: number | null) => {
      const facts = { venueId: venueId('siam-ocean-world'), date: date(day), issuedAtMs: now.getTime() };
      return readRevocations(signRevocationList({ ...facts, revocations: [{ code: someCode, from }] }, otherKey), keys);
    };
    expect(verdict(late, listOf('2026-11-21', 3), gate)).toBe('admit');
    expect(verdict(late, listOf('2026-11-21', null), gate)).toBe('refuse');
    expect(verdict(late, listOf('2026-11-22', null), gate)).toBe('ask');
    expect(verdict(late, listOf('2026-11-21', 3), { ...gate, date: '2026-11-20' })).toBe('refuse');
    expect(verdict(late, listOf('2026-11-21', 3), { ...gate, now: late.validUntil })).toBe('refuse');
  });

  test('refuses a revocation list with any one character replaced', () => {
    const list = signRevocationList(
      { venueId: venueId('v'), date: date('2026-11-21'), issuedAtMs: 0, revocations: [{ code: someCode, from: 2 }] },
      someKey,
    );
    expect(readRevocations(list, keys)?.revoked.size).toBe(1);
    const changed = Array.from(list, (character, at) => {
      return list.slice(0, at) + (character === '0' ? '8' : '0') + list.slice(at + 1);
    });
    expect(changed.filter((text) => readRevocations(text, keys) !== null)).toEqual([]);
    expect(readRevocations(token, keys)).toBeNull();
  });

  test('runs as the command in its header comment', () => {
    using directory = temporaryDirectory();
    const file = directory.file('keys.json');
    writeFileSync(file, JSON.stringify(keys));
    const run = (text: string) => Bun.spawnSync([process.execPath, EXAMPLE, file, text], { cwd: ROOT });
    const [good, bad] = [run(token), run(token.replace('2+1', '9+1'))];
    const { verdict: shown, ...read } = JSON.parse(good.stdout.toString()) as { readonly verdict: 'ask' | 'refuse' };
    // Without a list, or after the end of the voucher's date.
    expect([read, good.exitCode]).toEqual([
      { voucher: JSON.parse(JSON.stringify(voucherOf(someFacts))) },
      { ask: 2, refuse: 1 }[shown],
    ]);
    expect([bad.exitCode, bad.stdout.toString()]).toEqual([1, '{"voucher":null,"verdict":"refuse"}\n']);
  });

  test('is quoted unchanged in the API guide', () => {
    const source = readFileSync(join(ROOT, EXAMPLE), 'utf8');
    const shown = source.slice(source.indexOf('const DIGITS'), source.indexOf('\nif (import.meta.main)'));
    expect(shown.length).toBeGreaterThan(1_000);
    expect(readFileSync(join(ROOT, 'docs', 'api.md'), 'utf8')).toContain(shown);
  });
});
