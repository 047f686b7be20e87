import { expect, test } from 'bun:test';
import { endedSessionsProjection } from '../../../projections/endedsessions/projection.ts';
import type { SessionId } from '../../../src/domain/ids.ts';
import type { SessionEvent } from '../../../src/domain/session/session.ts';
import { keyId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

const sessionId = 'ses_1' as SessionId;
const caller = { kind: 'key', id: keyId('key_1') } as const;
const STARTED: SessionEvent = {
  type: 'SessionStarted',
  data: { sessionId, caller, address: null, at: '2026-11-27T03:00:00.000Z' },
};
const ENDED: SessionEvent = { type: 'SessionEnded', data: { sessionId, at: '2026-11-27T04:00:00.000Z' } };

function given(...events: readonly SessionEvent[]) {
  const record = recorder();
  return givenEvents(endedSessionsProjection, ...events.map((event) => record<SessionEvent>('session-ses_1', event)));
}

test('a session that runs has no document', () => {
  given(STARTED).thenDocument('ses_1', null);
});

test('a session that its caller ended has one', () => {
  given(STARTED, ENDED).thenDocument('ses_1', { endedAt: '2026-11-27T04:00:00.000Z' });
});

test('the collection is folded from streams of sessions alone', () => {
  expect([endedSessionsProjection.categories, endedSessionsProjection.indexes]).toEqual([['session'], []]);
});
