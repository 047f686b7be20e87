import { timingSafeEqual } from 'node:crypto';
import { tooMany } from '../../application/key/address-throttle.ts';
import { admitKnown } from '../../application/key/admit-key.ts';
import { forbiddenOperation } from '../../application/key/authenticate.ts';
import { type ErrorCode, type Refused, refused } from '../../application/refusal.ts';
import type { Session } from '../../application/session/session.ts';
import { callerOfSession, type SignedIn } from '../../application/session/session-caller.ts';
import { type Access, type Admission, byKey, byOperator, isRead, type RouteAccess, uncounted } from '../admission.ts';
import type { HttpContext } from '../context.ts';
import { sessionIn } from './cookie.ts';
import { foreignPage } from './foreign-page.ts';

type SessionAccess = Extract<Access, { by: 'key' | 'operator' | 'session' }>;

/** The code of a session that is over: as for a wrong key or token of such a route. */
const OVER: Readonly<Record<SessionAccess['by'], ErrorCode>> = {
  key: 'INVALID_API_KEY',
  operator: 'INVALID_TOKEN',
  session: 'INVALID_TOKEN',
};

/**
 * Admits or refuses the caller of a session, which has the rights and limits of the key or the operator who signed in. Null
 * without a session of a caller whom the route serves: then the route's header decides. It also decides if it is sent:
 * browsers add the cookie to requests that a page makes with a key of its own.
 */
export function admitSession(
  access: Access,
  request: Request,
  context: HttpContext,
): Admission | Promise<Admission> | null {
  if (!takesSession(access) || hasCredential(access, request.headers)) return null;
  const sent = sessionIn(request, context);
  if (sent === 'none') return null;
  const foreign = foreignPage(request, context);
  if (foreign !== null) return uncounted(foreign);
  if (sent === 'unknown') return uncounted(over(access, 'this service does not know it'));
  if (access.by !== 'session' && access.by !== sent.kind) return null;
  const found = callerOfSession(sent, context);
  const admitFound = (caller: Awaited<typeof found>): Admission | Promise<Admission> => {
    if (caller.kind === 'refused') return uncounted(caller);
    if (caller.kind === 'over') return uncounted(over(access, caller.why));
    const forged = withoutToken(request, sent);
    return forged === null ? admitCaller(access, caller, sent, request, context) : uncounted(forged);
  };
  return found instanceof Promise ? found.then(admitFound) : admitFound(found);
}

/** How the caller of a request is admitted: of a key and an operator the one whose header is sent, else whose session is. */
export function accessFor(access: RouteAccess, request: Request, context: HttpContext): Access {
  if (access.by !== 'key or operator') return access;
  const { key, operator } = access;
  const sent = [key, operator].find((each) => hasCredential(each, request.headers));
  if (sent !== undefined) return sent;
  const session = sessionIn(request, context);
  return typeof session === 'object' && session.kind === 'operator' ? operator : key;
}

/** Routes of the dashboard. */
function takesSession(access: Access): access is SessionAccess {
  return access.by === 'operator' || access.by === 'session' || (access.by === 'key' && access.session);
}

/** A proxy may add another scheme than `Bearer` for its own password. */
function hasCredential({ by }: SessionAccess, headers: Headers): boolean {
  if (by === 'key') return (headers.get('x-api-key') ?? '') !== '';
  return by === 'operator' && /^Bearer\b/i.test(headers.get('authorization') ?? '');
}

function admitCaller(
  access: SessionAccess,
  caller: SignedIn,
  sent: Session,
  request: Request,
  context: HttpContext,
): Admission | Promise<Admission> {
  const renews = access.by !== 'session' || access.renews !== false;
  const session = renews ? { ...sent, seenMs: context.clock.nowMs() } : sent;
  if (caller.kind === 'operator') {
    const no = access.by === 'operator' ? forbiddenOperation(caller.operator, access.operation) : null;
    return no === null ? byOperator(caller.operator, session) : uncounted(no);
  }
  const reads = isRead(request);
  const waitMs = reads ? context.throttles.dashboards.take(caller.key.keyId, context.clock.nowMs()) : 0;
  if (waitMs > 0) return uncounted(tooMany('reads', 'the sessions of this API key', waitMs));
  const permission = access.by === 'key' ? access.permission : null;
  const counted = access.by === 'key' && !reads;
  const demand = counted ? access : ({ permission, uncounted: true } as const);
  const admission = admitKnown(caller.key, demand, () => context.addressOf(request), context);
  return admission instanceof Promise ? admission.then((known) => byKey(known, session)) : byKey(admission, session);
}

function over({ by }: SessionAccess, why: string): Refused {
  return refused(OVER[by], `The session in the cookie is over: ${why}. Sign in again.`);
}

/** The refusal of a write without the session's token, which no other page can read; null if it may go on. */
function withoutToken(request: Request, { csrfToken }: Session): Refused | null {
  if (isRead(request)) return null;
  const sent = Buffer.from(request.headers.get('x-csrf-token') ?? '');
  const expected = Buffer.from(csrfToken);
  if (sent.length === expected.length && timingSafeEqual(sent, expected)) return null;
  return refused(
    'FORBIDDEN',
    'The header x-csrf-token is not that of the session; send the csrf_token of GET /api/sessions/current in it.',
  );
}
