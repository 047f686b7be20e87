import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { KeyId, OperatorId, SessionId } from '../ids.ts';
import type { Role } from '../operator/roles.ts';

/** Who signed in: the owner of an API key, or an operator with the role of that time. */
export type SessionCaller =
  | { readonly kind: 'key'; readonly id: KeyId }
  | { readonly kind: 'operator'; readonly id: OperatorId; readonly role: Role };

export type SessionFacts = {
  readonly sessionId: SessionId;
  readonly caller: SessionCaller;
  /** From where the caller signed in; null: not known. */
  readonly address: string | null;
  /** ISO 8601 UTC. */
  readonly at: string;
};

/** These types are the storage format. A session that ends by time has no event for its end. */
export type SessionEvent =
  | { readonly type: 'SessionStarted'; readonly data: SessionFacts }
  /** The caller signed out. */
  | { readonly type: 'SessionEnded'; readonly data: { readonly sessionId: SessionId; readonly at: string } };

export type SessionCommand =
  | { readonly type: 'StartSession'; readonly facts: SessionFacts }
  | { readonly type: 'EndSession'; readonly sessionId: SessionId; readonly at: string };

export type SessionState = { readonly status: 'none' | 'started' | 'ended' };

export const sessionDecider: Decider<SessionCommand, SessionState, SessionEvent, never> = {
  initial: { status: 'none' },
  decide(command, { status }) {
    switch (command.type) {
      case 'StartSession':
        return status === 'none' ? accept({ type: 'SessionStarted', data: command.facts }) : accept();
      case 'EndSession': {
        // A restored log may lack the start of a session whose cookie is still valid.
        const { sessionId, at } = command;
        return status === 'ended' ? accept() : accept({ type: 'SessionEnded', data: { sessionId, at } });
      }
      default:
        return unreachable(command);
    }
  },
  evolve(_session, event) {
    switch (event.type) {
      case 'SessionStarted':
        return { status: 'started' };
      case 'SessionEnded':
        return { status: 'ended' };
      default:
        return unreachable(event);
    }
  },
};

export const sessionCodec = codec<SessionEvent>('session', { SessionStarted: [], SessionEnded: [] });
