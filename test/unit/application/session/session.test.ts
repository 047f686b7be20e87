import { describe, expect, test } from 'bun:test';
import { systemSealer } from '../../../../src/adapters/system/sealer.ts';
import { recentSessions } from '../../../../src/app/live-views.ts';
import { type Session, sealSession, unsealSession } from '../../../../src/application/session/session.ts';
import { newSessionId } from '../../../../src/domain/ids.ts';
import { RANDOM_BYTES } from '../../../../src/domain/time-ordered-id.ts';
import { DAY_MS, HOUR_MS } from '../../../../src/eventsourcing/durations.ts';
import { movedClock } from '../../../support/clock.ts';

const NOW = Date.parse('2026-11-27T03:00:00Z');
const idAt = (ms: number, last = 0) => newSessionId(ms, new Uint8Array(RANDOM_BYTES).fill(last));
const SESSION: Session = {
  sessionId: idAt(NOW),
  kind: 'operator',
  credentialHash: 'a'.repeat(64),
  startedMs: NOW,
  seenMs: NOW,
  csrfToken: 'b'.repeat(32),
};
const sealer = systemSealer(new Uint8Array(32).fill(7));

describe('a sealed session', () => {
  const sealed = sealSession(SESSION, sealer);

  test('opens with the same secret key alone', () => {
    expect(unsealSession(sealed, sealer)).toEqual(SESSION);
    expect(unsealSession(sealed, systemSealer(new Uint8Array(32).fill(8)))).toBeNull();
  });

  test('does not open after any change', () => {
    const bytes = Buffer.from(sealed, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(unsealSession(changed.toString('base64url'), sealer)).toBeNull();
    }
  });

  test.each([
    ['empty', ''],
    ['no base64url', '%%%'],
    ['too short for a seal', 'AAAA'],
    ['too long to look at', 'A'.repeat(1_001)],
    [
      'sealed for another purpose',
      sealer.sealBriefly(Buffer.from(JSON.stringify({ form: 1, ...SESSION })), 'webhook secret'),
    ],
  ])('does not open when it is %s', (_name, text) => {
    expect(unsealSession(text, sealer)).toBeNull();
  });

  test('shows none of its parts, and has less than a quarter of what browsers keep in a cookie', () => {
    expect(sealed).toMatch(/^[\w-]+$/);
    expect(sealed.length).toBeLessThan(1_000);
    expect(Buffer.from(sealed, 'base64url').includes(SESSION.credentialHash)).toBe(false);
  });
});

describe('ended sessions in memory', () => {
  test('are those of the last seven days', () => {
    const clock = movedClock(NOW);
    const { keeps } = recentSessions(clock);
    const id = idAt(NOW, 9);
    expect(keeps(id)).toBe(true);
    clock.advance(7 * DAY_MS - 1);
    expect(keeps(id)).toBe(true);
    clock.advance(HOUR_MS + 1);
    expect(keeps(id)).toBe(false);
  });

  test('stay left out if the clock is set back', () => {
    const clock = movedClock(NOW);
    const { keeps, since } = recentSessions(clock);
    clock.advance(8 * DAY_MS);
    const late = since();
    clock.advance(-8 * DAY_MS);
    expect([since(), keeps(idAt(NOW))]).toEqual([late, false]);
  });
});
