import type { SessionId } from '../../domain/ids.ts';
import type { SessionCaller } from '../../domain/session/session.ts';
import { HOUR_MS, MINUTE_MS } from '../../eventsourcing/durations.ts';
import { SealBroken, type Sealer } from '../../ports/sealer.ts';

/** The longest time of a session. */
export const SESSION_MS = 12 * HOUR_MS;
/** A session ends after this time without a request. */
export const SESSION_IDLE_MS = 30 * MINUTE_MS;

/** A session of the dashboard. The browser keeps it, sealed, in a cookie; the service stores only its start and end. */
export type Session = {
  readonly sessionId: SessionId;
  readonly kind: SessionCaller['kind'];
  /** SHA-256 (hex) of the key or token that signed in. The session ends with it. */
  readonly credentialHash: string;
  readonly startedMs: number;
  /** The last request. */
  readonly seenMs: number;
  /** What writes send back, so that no other page can make them. */
  readonly csrfToken: string;
};

export function endsAtMs({ startedMs }: Session): number {
  return startedMs + SESSION_MS;
}

/** When it ends without a further request. */
export function idleUntilMs(session: Session): number {
  return Math.min(endsAtMs(session), session.seenMs + SESSION_IDLE_MS);
}

/** Also separates the sealing key of sessions from those of stored secrets. */
const PURPOSE = 'session of the dashboard';
/** A cookie of another form is unknown: its caller signs in again. */
const FORM = 1;
type Sealed = Session & { readonly form: number };
/** A sealed session has 367 characters. */
const MAX_SEALED_CHARACTERS = 1_000;

export function sealSession(session: Session, sealer: Sealer): string {
  return sealer.sealBriefly(Buffer.from(JSON.stringify({ form: FORM, ...session })), PURPOSE);
}

/** Null if no secret key that this node knows has sealed the text. */
export function unsealSession(sealed: string, sealer: Sealer): Session | null {
  if (sealed.length > MAX_SEALED_CHARACTERS) return null;
  try {
    // Only `sealSession` makes texts that open.
    const { form, ...session } = JSON.parse(Buffer.from(sealer.open(sealed, PURPOSE)).toString()) as Sealed;
    return form === FORM ? session : null;
  } catch (fault) {
    if (fault instanceof SealBroken) return null;
    throw fault;
  }
}
