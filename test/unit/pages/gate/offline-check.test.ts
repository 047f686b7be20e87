import { describe, expect, test } from 'bun:test';
import type { LocalDate, VenueId } from '../../../../src/domain/activity/activity.ts';
import type { Arrival } from '../../../../src/pages/gate/contract.ts';
import { checkOffline, type Day, type Known, OLD_MS } from '../../../../src/pages/gate/offline-check.ts';
import { readRevocations } from '../../../../src/pages/gate/revocations.ts';
import { hashOfCode as hexHashOfCode } from '../../../../src/pages/gate/signature.ts';
import { hashOfCode, type Revocation, signRevocationList } from '../../../../src/vouchers/revocation-list.ts';
import { createSigningKey, publishedKeys } from '../../../../src/vouchers/signing-key.ts';
import { signText, signToken, type VoucherFacts } from '../../../../src/vouchers/token.ts';

/** Noon in Bangkok. */
const NOW = Date.parse('2026-11-27T05:00:00Z');
const TODAY = '2026-11-27';
const VENUE = 'old-pier' as VenueId;
const CODE = 'WM-06H1PRDX83W9XEGQ67ZG-7Z3K5H0Q9XW4T1ZC8RB5N3H6V0';
const signing = createSigningKey();
const keys = Object.fromEntries(publishedKeys([signing]).keys.map(({ kid, x }) => [kid, x]));

const FACTS: VoucherFacts = {
  code: CODE,
  venueId: VENUE,
  date: TODAY,
  validUntilMs: Date.parse('2026-11-27T11:00:00Z'),
  numAdults: 2,
  numChildren: 1,
  revision: 1,
};

const ARRIVAL: Arrival = {
  booking_id: 'bk_06h1prdx83w9xegq67zg',
  status: 'confirmed',
  revision: 1,
  code_hash: hashOfCode(CODE),
  activity_title: 'River Walk',
  opens_at: '2026-11-27T02:00:00.000Z',
  closes_at: '2026-11-27T11:00:00.000Z',
  valid_until: '2026-11-27T11:00:00.000Z',
  user_name: 'Ada Lovelace',
  special_requests: null,
  num_adults: 2,
  num_children: 1,
  num_guests: 3,
  guests_present: 0,
  verified_at: null,
};

const token = (change: Partial<VoucherFacts> = {}): string => signToken({ ...FACTS, ...change }, signing);

async function day(items: readonly Arrival[] = [ARRIVAL], revoked: readonly Revocation[] = []): Promise<Day> {
  const list = { venueId: VENUE, date: TODAY as LocalDate, issuedAtMs: NOW, revocations: revoked };
  const revocations = await readRevocations(signRevocationList(list, signing), { venueId: VENUE, date: TODAY, keys });
  expect(revocations).not.toBeNull();
  return { date: TODAY, issuedAtMs: NOW, items, revocations };
}

async function knownWith(change: Partial<Known> = {}): Promise<Known> {
  return { venueId: VENUE, timeZone: 'Asia/Bangkok', keys, days: [await day()], admitted: {}, ...change };
}

describe('a token without a network', () => {
  test('given it is on a fresh list, then it is green with the guest', async () => {
    const verdict = await checkOffline(token(), await knownWith(), NOW + OLD_MS);
    expect(verdict).toMatchObject({ tone: 'admit', reason: null, by: 'phone' });
    expect(verdict.guest).toMatchObject({ name: 'Ada Lovelace', numGuests: 3 });
  });

  test('given the text of a QR code with the address of the page, then its token is read', async () => {
    const text = `HTTPS://WAYMARK.EXAMPLE/API/VOUCHERS/${CODE}#${token()}`;
    expect(await checkOffline(text, await knownWith(), NOW)).toMatchObject({ tone: 'admit', code: token() });
  });

  test('given the list is older than 15 minutes, then it is amber and says how old', async () => {
    const verdict = await checkOffline(token(), await knownWith(), NOW + OLD_MS + 1);
    expect(verdict).toMatchObject({ tone: 'check', reason: 'LIST_IS_OLD', atMs: NOW });
  });

  test('given no list of revocations has come, then it is amber', async () => {
    const days = [{ ...(await day()), revocations: null }];
    expect(await checkOffline(token(), await knownWith({ days }), NOW)).toMatchObject({ reason: 'LIST_IS_OLD' });
  });

  test('given it is not on the list, then it is amber with what the token says', async () => {
    const verdict = await checkOffline(token(), await knownWith({ days: [await day([])] }), NOW);
    expect(verdict).toMatchObject({ tone: 'check', reason: 'NOT_ON_LIST' });
    expect(verdict.guest).toMatchObject({ name: null, numGuests: 3 });
  });

  test.each([
    ['a changed character', () => token().replace(/\+1\./, '+9.'), 'VOUCHER_TOKEN_INVALID'],
    ['another key of the same id', () => forged(), 'VOUCHER_TOKEN_INVALID'],
    ['a truncated signature', () => token().slice(0, -4), 'VOUCHER_TOKEN_INVALID'],
    ['another venue', () => token({ venueId: 'rail-yard' }), 'WRONG_VENUE'],
    ['tomorrow', () => token({ date: '2026-11-28', validUntilMs: NOW + 30 * 3_600_000 }), 'VOUCHER_NOT_VALID_TODAY'],
    ['a time that is over', () => token({ validUntilMs: NOW }), 'VOUCHER_EXPIRED'],
  ])('given it has %s, then it is red', async (_what, text, reason) => {
    expect(await checkOffline(text(), await knownWith(), NOW)).toMatchObject({ tone: 'refuse', reason });
  });

  test('given a key that the phone does not have yet, then it is amber', async () => {
    const verdict = await checkOffline(token(), await knownWith({ keys: {} }), NOW);
    expect(verdict).toMatchObject({ tone: 'check', reason: 'KEY_UNKNOWN' });
  });

  test.each([
    ['all its tokens', null, 1, 'VOUCHER_CANCELLED'],
    ['an earlier revision', 2, 1, 'CHANGED'],
  ])('given the list revokes %s, then it is red', async (_what, from, revision, reason) => {
    const days = [await day([ARRIVAL], [{ code: CODE, from }])];
    const verdict = await checkOffline(token({ revision }), await knownWith({ days }), NOW);
    expect(verdict).toMatchObject({ tone: 'refuse', reason });
  });

  test('given a token of an earlier release without a revision and a change of its booking, then it is amber', async () => {
    const days = [await day([ARRIVAL], [{ code: CODE, from: 2 }])];
    const text = [`WM1.${signing.kid}`, CODE, VENUE.toUpperCase(), '20261127', seconds(FACTS.validUntilMs), '2+1'].join(
      '.',
    );
    const verdict = await checkOffline(signText(text, signing), await knownWith({ days }), NOW);
    expect(verdict).toMatchObject({ tone: 'check', reason: 'CHANGED' });
  });

  test('given the list revokes earlier revisions only, then the newest is green', async () => {
    const days = [await day([ARRIVAL], [{ code: CODE, from: 2 }])];
    expect((await checkOffline(token({ revision: 2 }), await knownWith({ days }), NOW)).tone).toBe('admit');
  });

  test('given it was admitted, on this phone or another one, then it is red with the time', async () => {
    const here = await knownWith({ admitted: { [await hexHashOfCode(CODE)]: NOW - 60_000 } });
    const expected = { tone: 'refuse', reason: 'VOUCHER_ALREADY_VERIFIED', atMs: NOW - 60_000 };
    expect(await checkOffline(token(), here, NOW)).toMatchObject(expected);
    const visited = { ...ARRIVAL, status: 'completed', verified_at: new Date(NOW - 60_000).toISOString() };
    const there = await knownWith({ days: [await day([visited])] });
    expect(await checkOffline(token(), there, NOW)).toMatchObject(expected);
  });

  test('given a booking of the day before is valid after midnight, then its own list decides', async () => {
    const validUntilMs = Date.parse('2026-11-27T19:00:00Z');
    const verdict = await checkOffline(token({ validUntilMs }), await knownWith(), NOW + 60_000);
    expect(verdict.tone).toBe('admit');
    const afterMidnight = Date.parse('2026-11-27T18:00:00Z');
    const days = [{ ...(await day()), issuedAtMs: afterMidnight }];
    const late = await checkOffline(token({ validUntilMs }), await knownWith({ days }), afterMidnight);
    expect(late).toMatchObject({ tone: 'check', reason: 'LIST_IS_OLD' });
  });
});

describe('a typed code without a network', () => {
  test('given any, then it is amber at best', async () => {
    const known = await knownWith();
    expect(await checkOffline('ABCDE-12345', known, NOW)).toMatchObject({ tone: 'check', reason: 'CODE_UNCHECKED' });
    const whole = await checkOffline(CODE.toLowerCase(), known, NOW);
    expect(whole).toMatchObject({ tone: 'check', reason: 'CODE_UNCHECKED' });
    expect(whole.guest?.name).toBe('Ada Lovelace');
  });

  test('given a whole code that is cancelled or used, then it is red', async () => {
    const cancelled = await knownWith({ days: [await day([{ ...ARRIVAL, status: 'cancelled' }])] });
    expect(await checkOffline(CODE, cancelled, NOW)).toMatchObject({ tone: 'refuse', reason: 'VOUCHER_CANCELLED' });
    const used = await knownWith({ admitted: { [await hexHashOfCode(CODE)]: NOW } });
    expect(await checkOffline(CODE, used, NOW)).toMatchObject({ tone: 'refuse', reason: 'VOUCHER_ALREADY_VERIFIED' });
  });
});

describe('a list of revocations', () => {
  const list = { venueId: VENUE, date: TODAY as LocalDate, issuedAtMs: NOW, revocations: [{ code: CODE, from: null }] };

  test('given it is of this venue and date and signed, then it is read', async () => {
    const read = await readRevocations(signRevocationList(list, signing), { venueId: VENUE, date: TODAY, keys });
    expect(read).toEqual({ issuedAtMs: NOW, from: { [await hexHashOfCode(CODE)]: null } });
  });

  test.each([
    ['a wrong signature', { keys: { [signing.kid]: otherPublicKey() } }],
    ['an unknown key', { keys: {} }],
    ['another venue', { venueId: 'rail-yard' }],
    ['another date', { date: '2026-11-28' }],
  ])('given it has %s, then it is not taken', async (_what, change) => {
    const expected = { venueId: VENUE as string, date: TODAY, keys, ...change };
    expect(await readRevocations(signRevocationList(list, signing), expected)).toBeNull();
  });
});

function seconds(ms: number): string {
  return (ms / 1000).toString(36).toUpperCase();
}

function forged(): string {
  return signToken(FACTS, { ...createSigningKey(), kid: signing.kid });
}

function otherPublicKey(): string {
  return publishedKeys([createSigningKey()]).keys[0]?.x ?? '';
}
