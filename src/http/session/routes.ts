import { Elysia } from 'elysia';
import { endsAtMs, idleUntilMs, type Session } from '../../application/session/session.ts';
import type { SignedIn } from '../../application/session/session-caller.ts';
import { signIn, signOut } from '../../application/session/sign-in.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import { appliedHere } from '../applied-here.ts';
import type { HttpContext } from '../context.ts';
import { noSessionCookie, sessionCookie } from './cookie.ts';
import { foreignPage } from './foreign-page.ts';
import * as schema from './schema.ts';

/** Sessions of the dashboard. */
export function sessionRoutes(context: HttpContext) {
  return new Elysia({ name: 'session', tags: ['Sessions'] })
    .use(access(context))
    .post(
      '/api/sessions',
      async ({ body, request, call }) => {
        const foreign = foreignPage(request, context);
        if (foreign !== null) return call.refuse(foreign);
        const signedIn = await signIn(body.token, call.address, call.cause, context);
        return call.reply(
          signedIn,
          ({ session, caller }) => present(session, caller),
          ({ session }) => sessionCookie(session, request, context),
        );
      },
      {
        anybody: { throttle: 'sessions' },
        body: schema.SIGN_IN_BODY,
        response: schema.SIGN_IN_ANSWER,
        detail: schema.SIGN_IN_DETAIL,
      },
    )
    .get('/api/sessions/current', ({ session, caller }) => success(present(session, caller)), {
      session: true,
      response: schema.CURRENT_SESSION_ANSWER,
      detail: schema.CURRENT_SESSION_DETAIL,
    })
    .delete(
      '/api/sessions/current',
      async ({ session, request, call }) => {
        const signedOut = await appliedHere('endedSessions', await signOut(session, call.cause, context), context);
        return call.reply(
          signedOut,
          ({ endedAt }) => ({ ended_at: endedAt }),
          () => noSessionCookie(request, context),
        );
      },
      { session: true, response: schema.SIGN_OUT_ANSWER, detail: schema.SIGN_OUT_DETAIL },
    );
}

function present(session: Session, caller: SignedIn) {
  const who =
    caller.kind === 'key'
      ? {
          id: caller.key.keyId,
          prefix: caller.key.prefix,
          name: caller.key.name,
          role: null,
          permissions: [...caller.key.permissions],
        }
      : {
          id: caller.operator.operatorId,
          prefix: null,
          name: caller.operator.name,
          role: caller.operator.role,
          permissions: [],
        };
  return {
    kind: session.kind,
    ...who,
    expires_at: new Date(endsAtMs(session)).toISOString(),
    idle_until: new Date(idleUntilMs(session)).toISOString(),
    csrf_token: session.csrfToken,
  };
}
