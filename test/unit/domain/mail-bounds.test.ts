import { expect, test } from 'bun:test';
import { mailAllowance, NO_MAILS, withMail } from '../../../src/domain/booking/mail-bounds.ts';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { fingerprint } from '../../support/examples.ts';

const NOW = Date.parse('2026-11-21T03:00:00Z');
const ADA = fingerprint('ADA');

function mailed(...mails: readonly (readonly [recipient: string | null, atMs: number])[]) {
  return mails.reduce(
    (sent, [recipient, atMs], index) =>
      withMail(sent, {
        issue: index + 1,
        recipient: recipient === null ? null : fingerprint(recipient),
        at: new Date(atMs).toISOString(),
      }),
    NO_MAILS,
  );
}

test('the first mail of a booking is never beyond its bounds', () => {
  expect(mailAllowance(NO_MAILS, ADA, NOW)).toBe('first');
});

test('five mails are allowed in an hour, which is half-open', () => {
  const four = mailed(...Array.from({ length: 4 }, (_, n) => ['ADA', NOW + n] as const));
  expect(mailAllowance(four, ADA, NOW + 4)).toBe('allowed');
  const five = mailed(...Array.from({ length: 5 }, (_, n) => ['ADA', NOW + n] as const));
  expect(mailAllowance(five, ADA, NOW + HOUR_MS - 1)).toBe('beyond');
  expect(mailAllowance(five, ADA, NOW + HOUR_MS)).toBe('allowed');
});

test('six addresses are allowed, and then only these', () => {
  const six = mailed(...Array.from({ length: 6 }, (_, n) => [`GUEST${n}`, NOW + n * HOUR_MS] as const));
  const later = NOW + 365 * 24 * HOUR_MS;
  expect(mailAllowance(six, fingerprint('GUEST0'), later)).toBe('allowed');
  expect(mailAllowance(six, fingerprint('GUEST6'), later)).toBe('beyond');
});

test('mails of earlier versions count for the hour, and as no address', () => {
  const unknown = mailed(...Array.from({ length: 5 }, (_, n) => [null, NOW + n] as const));
  expect(unknown.recipients).toEqual([]);
  expect(mailAllowance(unknown, ADA, NOW + 5)).toBe('beyond');
  expect(mailAllowance(unknown, ADA, NOW + HOUR_MS)).toBe('allowed');
});

test('the history of a booking is bounded, however many mails it had', () => {
  const many = mailed(...Array.from({ length: 100 }, (_, n) => ['ADA', NOW + n * HOUR_MS] as const));
  expect(many).toEqual({
    last: Array.from({ length: 5 }, (_, n) => ({ issue: 96 + n, atMs: NOW + (95 + n) * HOUR_MS })),
    recipients: [ADA],
  });
});
