import { unreachable } from '../../eventsourcing/message.ts';
import type { Currency } from '../../ports/currency.ts';
import { type AdmissionContext, outdated } from '../key/admit-key.ts';
import {
  type AuthenticationContext,
  type KnownKey,
  type KnownOperator,
  keyOfHash,
  operatorOfHash,
} from '../key/authenticate.ts';
import type { Refused } from '../refusal.ts';
import { endsAtMs, idleUntilMs, type Session } from './session.ts';

export type SessionContext = AuthenticationContext & {
  /** Whether its caller ended a session. */
  readonly endedSessions: { has(sessionId: string): boolean };
  readonly currency: AdmissionContext['currency'];
};

/** Who signed in, as this node knows the caller now. */
export type SignedIn =
  | { readonly kind: 'key'; readonly key: KnownKey }
  | { readonly kind: 'operator'; readonly operator: KnownOperator };

/** `over`: a sentence's part that says why. */
type Found = SignedIn | { readonly kind: 'over'; readonly why: string } | Refused;

/**
 * The caller of a session. It ends by time, by signing out, and with its key or token: on every node within a second, by
 * the proofs that a key or token in a header needs too (docs/decisions/0055). Refused with KEY_INACTIVE for a key that was
 * deactivated or has expired, and with SERVICE_UNAVAILABLE without a proof.
 */
export function callerOfSession(session: Session, context: SessionContext): Found | Promise<Found> {
  const { currency } = context;
  const proofs = [currency.endedSessions, session.kind === 'key' ? currency.keys : currency.operators];
  const current = proofs.map((proof) => proof.current()).every((proven) => proven);
  const found = find(session, context);
  if (current || (found.kind !== 'key' && found.kind !== 'operator')) return found;
  return confirmed(proofs).then((proven) => (proven ? find(session, context) : outdated('sessions')));
}

async function confirmed(proofs: readonly Currency[]): Promise<boolean> {
  const proven = await Promise.all(proofs.map((proof) => proof.confirmed()));
  return proven.every((each) => each);
}

function find(session: Session, context: SessionContext): Found {
  const nowMs = context.clock.nowMs();
  if (nowMs >= endsAtMs(session)) return over('12 hours have passed since you signed in');
  if (nowMs >= idleUntilMs(session)) return over('30 minutes have passed without a request');
  if (context.endedSessions.has(session.sessionId)) return over('you signed out');
  switch (session.kind) {
    case 'key': {
      const key = keyOfHash(session.credentialHash, context);
      // A replaced key is over for the session, whether or not this node still knows its hash.
      const replaced = key === null || (key.kind === 'refused' && key.refusal.code === 'INVALID_API_KEY');
      return replaced ? over('its API key was replaced') : key;
    }
    case 'operator': {
      const operator = operatorOfHash(session.credentialHash, context);
      return operator === null ? over('its token was revoked or replaced') : { kind: 'operator', operator };
    }
    default:
      return unreachable(session.kind);
  }
}

function over(why: string): Found {
  return { kind: 'over', why };
}
