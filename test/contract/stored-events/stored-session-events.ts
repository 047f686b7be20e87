import type { OperatorId, SessionId } from '../../../src/domain/ids.ts';
import type { SessionEvent } from '../../../src/domain/session/session.ts';

const sessionId = 'ses_06h4q2v0k8gzqn7f3d5m' as SessionId;

export const STORED_SESSION_EVENTS = {
  'SessionStarted.v1': {
    type: 'SessionStarted',
    data: {
      sessionId,
      caller: { kind: 'operator', id: 'op_7k2m0q98b5n7gk2m' as OperatorId, role: 'support' },
      address: '203.0.113.7',
      at: '2026-11-27T03:00:00.000Z',
    },
  },
  'SessionEnded.v1': { type: 'SessionEnded', data: { sessionId, at: '2026-11-27T06:30:00.000Z' } },
} satisfies Record<string, SessionEvent>;
