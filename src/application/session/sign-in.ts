import { newSessionId } from '../../domain/ids.ts';
import type { SessionCaller } from '../../domain/session/session.ts';
import { RANDOM_BYTES } from '../../domain/time-ordered-id.ts';
import { type Cause, type Position, unreachable } from '../../eventsourcing/message.ts';
import type { Ids } from '../../ports/ids.ts';
import { secretHash } from '../identifiers.ts';
import { outdated } from '../key/admit-key.ts';
import { authenticateOperator, isKeyForm, keyOfHash, strangeAddress } from '../key/authenticate.ts';
import { noReply, type Refused, refused } from '../refusal.ts';
import type { Streams } from '../streams.ts';
import type { Session } from './session.ts';
import type { SessionContext, SignedIn } from './session-caller.ts';

const CSRF_TOKEN_BYTES = 16;
const DECISION_MS = 10_000;

export type SignInContext = SessionContext & { readonly streams: Pick<Streams, 'sessions'>; readonly ids: Ids };

/**
 * Starts a session for an API key or an operator's token. Its start is stored before the answer. It is refused with the
 * codes of the same key or token in a header.
 */
export async function signIn(
  token: string,
  address: string | null,
  cause: Cause,
  context: SignInContext,
): Promise<{ readonly kind: 'signed in'; readonly session: Session; readonly caller: SignedIn } | Refused> {
  const { clock, digest, ids, streams } = context;
  const caller = await confirmedCaller(token, address, context);
  if (caller.kind === 'refused') return caller;
  const nowMs = clock.nowMs();
  const session: Session = {
    sessionId: newSessionId(nowMs, ids.secret(RANDOM_BYTES)),
    kind: caller.kind,
    credentialHash: secretHash(digest, token),
    startedMs: nowMs,
    seenMs: nowMs,
    csrfToken: Buffer.from(ids.secret(CSRF_TOKEN_BYTES)).toString('hex'),
  };
  const { sessionId } = session;
  const stored = storedCaller(caller);
  const command = { type: 'StartSession', facts: { sessionId, caller: stored, address, at: cause.at } } as const;
  const reply = await streams.sessions.handle(sessionId, command, { ...cause, by: stored.id }, nowMs + DECISION_MS);
  if (reply.kind === 'unavailable' || reply.kind === 'erased') return noReply(reply);
  return { kind: 'signed in', session, caller };
}

/** Ends a session for good: a copy of its cookie opens nothing any more. */
export async function signOut(
  { sessionId }: Session,
  cause: Cause,
  { streams, clock }: Pick<SignInContext, 'streams' | 'clock'>,
): Promise<{ readonly kind: 'signed out'; readonly endedAt: string; readonly position: Position | null } | Refused> {
  const command = { type: 'EndSession', sessionId, at: cause.at } as const;
  const reply = await streams.sessions.handle(sessionId, command, cause, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'unavailable' || reply.kind === 'erased') return noReply(reply);
  if (reply.kind === 'rejected') return unreachable(reply.rejection);
  return { kind: 'signed out', endedAt: cause.at, position: reply.position };
}

/** Waits, where it must, for the proof that what this node knows of the caller is current. */
async function confirmedCaller(
  token: string,
  address: string | null,
  context: SessionContext,
): Promise<SignedIn | Refused> {
  const { currency } = context;
  const current = { key: currency.keys.current(), operator: currency.operators.current() };
  const found = callerOf(token, address, context);
  if (found.kind === 'refused' || current[found.kind]) return found;
  const [proof, known] =
    found.kind === 'key' ? ([currency.keys, 'API keys'] as const) : ([currency.operators, 'operators'] as const);
  return (await proof.confirmed()) ? callerOf(token, address, context) : outdated(known);
}

/**
 * A text in the form of an API key can also be a token of the settings. So one that is no key counts as a wrong token of its
 * address: otherwise a caller could guess such a token here at full speed.
 */
function callerOf(token: string, address: string | null, context: SessionContext): SignedIn | Refused {
  const hasKeyForm = isKeyForm(token);
  const key = hasKeyForm ? keyOfHash(secretHash(context.digest, token), context) : null;
  if (key?.kind === 'refused') return key;
  if (key !== null) return strangeAddress(key.key, () => address) ?? key;
  const found = authenticateOperator(`Bearer ${token}`, address, context);
  if (found.kind === 'refused' && hasKeyForm && found.refusal.code === 'INVALID_TOKEN')
    return refused('INVALID_API_KEY', 'The token is no known API key; check that all 64 characters were copied.');
  return found;
}

function storedCaller(caller: SignedIn): SessionCaller {
  if (caller.kind === 'key') return { kind: 'key', id: caller.key.keyId };
  const { operatorId, role } = caller.operator;
  return { kind: 'operator', id: operatorId, role };
}
