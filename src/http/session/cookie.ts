import { idleUntilMs, type Session, sealSession, unsealSession } from '../../application/session/session.ts';
import type { HttpContext } from '../context.ts';
import type { Headers } from '../envelope.ts';

/** Of the public contract. */
const NAME = 'waymark_session';

type Context = Pick<HttpContext, 'sealer' | 'clock' | 'endedSessions' | 'overTls'>;

/** `none` without a cookie of sessions; `unknown` if it does not open, or if two have different values. */
export type SentSession = Session | 'none' | 'unknown';

export function sessionIn({ headers }: Request, { sealer }: Pick<Context, 'sealer'>): SentSession {
  const values = new Set(
    (headers.get('cookie') ?? '').split(';').flatMap((pair) => {
      const [name = '', value] = pair.split('=', 2);
      return name.trim() === NAME && value !== undefined ? [value.trim()] : [];
    }),
  );
  const [sealed, another] = values;
  if (sealed === undefined) return 'none';
  // A page of another host of the same domain can set a cookie for this host too.
  return another === undefined ? (unsealSession(sealed, sealer) ?? 'unknown') : 'unknown';
}

/** The cookie of a session, as of its last request. None if the session was ended while the request ran. */
export function sessionCookie(session: Session, request: Request, context: Context): Headers {
  if (context.endedSessions.has(session.sessionId)) return {};
  const seconds = Math.ceil((idleUntilMs(session) - context.clock.nowMs()) / 1_000);
  return cookie(sealSession(session, context.sealer), Math.max(0, seconds), context.overTls(request));
}

/** Deletes the cookie in the browser. */
export function noSessionCookie(request: Request, { overTls }: Pick<Context, 'overTls'>): Headers {
  return cookie('', 0, overTls(request));
}

/** Only requests to the API read it, so pages beside the API, `/mcp` among them, do not get it. */
function cookie(value: string, seconds: number, secure: boolean): Headers {
  const attributes = `Path=/api; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  return { 'set-cookie': `${NAME}=${value}; ${attributes}` };
}
