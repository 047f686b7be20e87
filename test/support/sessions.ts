import type { Credentials, Service } from './service.ts';
import { type Answer, type AnswerOf, readAnswer } from './service-answers.ts';

export type SessionData = AnswerOf<'get /api/sessions/current'>;

/** What a browser sends for a session. */
export type SignedIn = {
  readonly data: SessionData;
  /** The header with the cookie as it is now; tests replace it by that of a later answer. */
  readonly cookie: Credentials;
  /** With the token that writes need. */
  readonly writing: Credentials;
  /** The whole `Set-Cookie`. */
  readonly setCookie: string;
};

/** Signs in, with the value of an `x-api-key` header or a bearer token. */
export async function signIn(service: Service, credentials: Credentials, headers: Credentials = {}): Promise<SignedIn> {
  const answer = await service.post<SessionData>('/api/sessions', { token: tokenOf(credentials) }, headers);
  if (answer.status !== 200) throw new Error(`signing in was answered ${answer.status} ${answer.refusal.code}`);
  const cookie = cookieOf(answer.headers);
  return {
    data: answer.data,
    cookie,
    writing: { ...cookie, 'x-csrf-token': answer.data.csrf_token },
    setCookie: answer.headers.get('set-cookie') ?? '',
  };
}

export function tokenOf({ 'x-api-key': key, authorization }: Credentials): string {
  return key ?? (authorization ?? '').replace('Bearer ', '');
}

/** The cookie that an answer sets, as a header of the next request. */
export function cookieOf(headers: Headers): Credentials {
  const set = headers.get('set-cookie');
  if (set === null) throw new Error('the answer sets no cookie');
  return { cookie: set.replace(/;.*$/, '') };
}

export async function signOut(service: Service, { writing }: Pick<SignedIn, 'writing'>): Promise<Answer> {
  return readAnswer(await service.send('/api/sessions/current', { method: 'DELETE', headers: writing }));
}
