import { expect, test } from 'bun:test';
import { mailAllowance, NO_MAILS, withMail } from '../../../src/domain/booking/mail-bounds.ts';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { fingerprint } from '../../support/examples.ts';

const NOW = Date.parse('2026-11-21T03:00:00Z');
const ADA = fingerprint('ADA');

function mailed(...mails: readonly (readonly [recipient: string | null, atMs: number])[]) {
  return sent('voucher', ...mails);
}

function sent(of: 'voucher' | 'notice', ...mails: readonly (readonly [recipient: string | null, atMs: number])[]) {
  return mails.reduce(
    (before, [recipient, atMs], index) =>
      withMail(before, {
        of,
        issue: index + 1,
        recipient: recipient === null ? null : fingerprint(recipient),
        at: new Date(atMs).toISOString(),
      }),
    NO_MAILS,
  );
}

test('the first mail of a booking is never beyond its bounds', () => {
  expect(mailAllowance('voucher', NO_MAILS, ADA, NOW)).toBe('first');
});

test('notices before the first voucher leave one mail an hour and one address to it', () => {
  const three = sent('notice', ...Array.from({ length: 3 }, (_, n) => ['ADA', NOW + n] as const));
  expect(mailAllowance('notice', three, ADA, NOW + 3)).toBe('allowed');
  const four = sent('notice', ...Array.from({ length: 4 }, (_, n) => ['ADA', NOW + n] as const));
  expect(mailAllowance('notice', four, ADA, NOW + 4)).toBe('beyond');
  expect(mailAllowance('voucher', four, ADA, NOW + 4)).toBe('first');
  const five = sent('notice', ...Array.from({ length: 5 }, (_, n) => [`GUEST${n}`, NOW + n * HOUR_MS] as const));
  expect(mailAllowance('notice', five, fingerprint('GUEST5'), NOW + 24 * HOUR_MS)).toBe('beyond');
  expect(mailAllowance('voucher', five, fingerprint('GUEST5'), NOW + 24 * HOUR_MS)).toBe('first');
});

test('five mails are allowed in an hour, which is half-open', () => {
  const four = mailed(...Array.from({ length: 4 }, (_, n) => ['ADA', NOW + n] as const));
  expect(mailAllowance('voucher', four, ADA, NOW + 4)).toBe('allowed');
  const five = mailed(...Array.from({ length: 5 }, (_, n) => ['ADA', NOW + n] as const));
  expect(mailAllowance('voucher', five, ADA, NOW + HOUR_MS - 1)).toBe('beyond');
  expect(mailAllowance('voucher', five, ADA, NOW + HOUR_MS)).toBe('allowed');
});

test('six addresses are allowed, and then only these', () => {
  const six = mailed(...Array.from({ length: 6 }, (_, n) => [`GUEST${n}`, NOW + n * HOUR_MS] as const));
  const later = NOW + 365 * 24 * HOUR_MS;
  expect(mailAllowance('voucher', six, fingerprint('GUEST0'), later)).toBe('allowed');
  expect(mailAllowance('voucher', six, fingerprint('GUEST6'), later)).toBe('beyond');
});

test('mails of earlier versions count for the hour, and as no address', () => {
  const unknown = mailed(...Array.from({ length: 5 }, (_, n) => [null, NOW + n] as const));
  expect(unknown.recipients).toEqual([]);
  expect(mailAllowance('voucher', unknown, ADA, NOW + 5)).toBe('beyond');
  expect(mailAllowance('voucher', unknown, ADA, NOW + HOUR_MS)).toBe('allowed');
});

test('the history of a booking is bounded, however many mails it had', () => {
  const many = mailed(...Array.from({ length: 100 }, (_, n) => ['ADA', NOW + n * HOUR_MS] as const));
  expect(many).toEqual({
    last: Array.from({ length: 5 }, (_, n) => ({ of: 'voucher', issue: 96 + n, atMs: NOW + (95 + n) * HOUR_MS })),
    recipients: [ADA],
    voucher: true,
  });
});
