import { describe, expect, test } from 'bun:test';
import { LANGUAGES } from '../../../../src/domain/activity/vocabulary.ts';
import { deviceKeyIn } from '../../../../src/pages/gate/device-key.ts';
import { TEXTS } from '../../../../src/pages/gate/texts/all.ts';
import { addDays, localClock, localDate, localMoment } from '../../../../src/pages/gate/venue-time.ts';
import { REASONS, verdictOfRefusal } from '../../../../src/pages/gate/verdict.ts';

const FIRST = '2026-11-27T05:00:00.000Z';

describe('a refusal of the service', () => {
  test.each([
    [
      'VOUCHER_ALREADY_VERIFIED',
      `first verified ${FIRST} at gate North, left`,
      'VOUCHER_ALREADY_VERIFIED',
      'North, left',
    ],
    ['VOUCHER_ALREADY_VERIFIED', `first verified ${FIRST} without a gate`, 'VOUCHER_ALREADY_VERIFIED', null],
    ['VOUCHER_ALREADY_VERIFIED', `first verified ${FIRST} at gate North, voided ${FIRST}`, 'VOIDED', 'North'],
    ['VOUCHER_CANCELLED', `cancelled ${FIRST}`, 'VOUCHER_CANCELLED', null],
    ['VOUCHER_EXPIRED', `valid until ${FIRST}`, 'VOUCHER_EXPIRED', null],
    ['VOUCHER_NOT_VALID_TODAY', `valid from ${FIRST}`, 'VOUCHER_NOT_VALID_TODAY', null],
  ])('given %s with "%s", then it is %s', (code, details, reason, where) => {
    const verdict = verdictOfRefusal({ code, details }, 'WM');
    expect(verdict).toMatchObject({ tone: 'refuse', reason, where, atMs: Date.parse(FIRST), guest: null });
  });

  test('given another venue, then it names its address; given an unknown code, then it is red', () => {
    const other = verdictOfRefusal({ code: 'WRONG_VENUE', details: '2 Yard Road' }, 'WM');
    expect(other).toMatchObject({ tone: 'refuse', where: '2 Yard Road', atMs: null });
    expect(verdictOfRefusal({ code: 'NEW_CODE', details: '' }, 'WM')).toMatchObject({
      tone: 'refuse',
      reason: 'REFUSED',
    });
  });

  test('given too many attempts, then it is amber: it says nothing about the voucher', () => {
    expect(verdictOfRefusal({ code: 'RATE_LIMITED', details: '' }, 'WM').tone).toBe('check');
  });
});

describe('the key of a device', () => {
  const KEY = '0123456789abcdef'.repeat(4);
  test.each([[KEY], [` ${KEY}\n`], [`#${KEY}`], [`https://waymark.example/gate#${KEY}`], [`HTTP://h:1/gate/#${KEY}`]])(
    'given %p, then it is found',
    (text) => expect(deviceKeyIn(text)).toBe(KEY),
  );
  test.each([[''], ['short'], ['https://waymark.example/dashboard'], ['WM2.A.B C']])('given %p, then none', (text) =>
    expect(deviceKeyIn(text)).toBeNull(),
  );
});

describe('times at the venue', () => {
  const atMs = Date.parse('2026-11-27T17:30:00Z');

  test('given an instant after midnight at the venue, then it is of its next day', () => {
    expect(localDate('Asia/Bangkok', atMs)).toBe('2026-11-28');
    expect(localDate('Asia/Manila', Date.parse('2026-11-27T15:59:59Z'))).toBe('2026-11-27');
    expect(localClock('en-SG', 'Asia/Bangkok', atMs)).toBe('00:30');
    expect(addDays('2026-12-01', -1)).toBe('2026-11-30');
  });

  test('given an instant of another day, then the date is named', () => {
    expect(localMoment('en-SG', 'Asia/Bangkok', { atMs, nowMs: atMs })).toBe('00:30');
    expect(localMoment('en-SG', 'Asia/Bangkok', { atMs, nowMs: atMs - 3_600_000 })).toBe('28 November 2026, 00:30');
  });
});

describe.each([...LANGUAGES])('the texts in %s', (language) => {
  const { reasons, locale, ...text } = TEXTS[language];

  test('have a sentence for each reason, with and without what it names', () => {
    for (const reason of REASONS) {
      const [bare, full] = [
        reasons[reason]({ at: null, where: null }),
        reasons[reason]({ at: '14:05', where: 'North' }),
      ];
      for (const sentence of [bare, full]) expect(sentence).not.toMatch(/null|undefined/);
      expect(bare.length).toBeGreaterThan(2);
    }
    for (const reason of [
      'VOUCHER_ALREADY_VERIFIED',
      'VOUCHER_EXPIRED',
      'VOUCHER_NOT_VALID_TODAY',
      'LIST_IS_OLD',
    ] as const)
      expect(reasons[reason]({ at: '14:05', where: null })).toContain('14:05');
  });

  test('name counts and moments', () => {
    for (const sentence of [text.admit(3), text.confirm(3), text.guests(3), text.settings.signOutLoses(3)])
      expect(sentence).toContain('3');
    expect(text.waiting.letIn(3, '14:05')).toContain('14:05');
    expect(text.offline('14:05')).toContain('14:05');
    expect(Intl.DateTimeFormat.supportedLocalesOf(locale)).toHaveLength(1);
  });

  test('of the four answers differ', () => {
    expect(new Set(Object.values(text.words)).size).toBe(4);
  });
});
