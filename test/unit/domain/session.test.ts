import { describe, test } from 'bun:test';
import fc from 'fast-check';
import type { SessionId } from '../../../src/domain/ids.ts';
import {
  type SessionCommand,
  type SessionEvent,
  type SessionFacts,
  sessionDecider,
} from '../../../src/domain/session/session.ts';
import { decidedTwice } from '../../support/decided-twice.ts';
import { keyId } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const sessionId = 'ses_1' as SessionId;
const FACTS: SessionFacts = {
  sessionId,
  caller: { kind: 'key', id: keyId('key_1') },
  address: '192.0.2.1',
  at: '2026-11-27T03:00:00.000Z',
};
const started: SessionEvent = { type: 'SessionStarted', data: FACTS };
const endedAt = (at: string): SessionEvent => ({ type: 'SessionEnded', data: { sessionId, at } });
const start = { type: 'StartSession', facts: FACTS } as const;
const endAt = (at: string) => ({ type: 'EndSession', sessionId, at }) as const;

describe('a session', () => {
  test('starts once', () => {
    given(sessionDecider, []).when(start).then([started]);
    given(sessionDecider, [started]).when(start).thenNothing();
    given(sessionDecider, [started, endedAt('2026-11-27T04:00:00.000Z')])
      .when(start)
      .thenNothing();
  });

  test('ends once', () => {
    given(sessionDecider, [started])
      .when(endAt('2026-11-27T04:00:00.000Z'))
      .then([endedAt('2026-11-27T04:00:00.000Z')]);
    given(sessionDecider, [started, endedAt('2026-11-27T04:00:00.000Z')])
      .when(endAt('2026-11-27T05:00:00.000Z'))
      .thenNothing();
  });

  test('whose start a restored log lacks ends too', () => {
    given(sessionDecider, [])
      .when(endAt('2026-11-27T04:00:00.000Z'))
      .then([endedAt('2026-11-27T04:00:00.000Z')]);
  });
});

const instant = fc.constantFrom(FACTS.at, '2026-11-27T04:00:00.000Z', '2026-11-27T05:00:00.000Z');
const anyCommand: fc.Arbitrary<SessionCommand> = fc.oneof(
  instant.map((at) => ({ type: 'StartSession' as const, facts: { ...FACTS, at } })),
  instant.map(endAt),
);

test('a command decided twice adds nothing the second time', () => decidedTwice(sessionDecider, anyCommand));
