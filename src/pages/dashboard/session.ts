import { signal } from '@preact/signals';
import { isOperatorOperation, mayCall } from '../../domain/operator/roles.ts';
import { SESSION_KEY_OPERATIONS } from '../../domain/session/key-operations.ts';
import type { SessionAnswer } from './answers.ts';

/** `undefined` until the service has answered; `null` if nobody is signed in. */
export const session = signal<SessionAnswer | null | undefined>(undefined);

/** The last session of this page, while it is over: the dialog to sign in stands over the page then. */
export const overSession = signal<SessionAnswer | null>(null);

/** Grows when somebody signs in: what a page shows is loaded again. */
export const signIns = signal(0);

/** Tells the other tabs of this browser, which share the cookie. */
const tabs = new BroadcastChannel('waymark-session');

export function csrfToken(): string {
  return session.value?.csrf_token ?? '';
}

/** Who is signed in. After the end of a session: who was, until somebody signs in. Null without a session. */
export function caller(): SessionAnswer | null {
  return session.value ?? overSession.value;
}

/** Whether the session may call an operation, by its `operationId`. */
export function may(operation: string): boolean {
  const current = caller();
  if (current === null) return false;
  if (current.role === null) {
    const permission = SESSION_KEY_OPERATIONS.get(operation);
    if (permission === undefined) return false;
    return permission === null || current.permissions.includes(permission);
  }
  return isOperatorOperation(operation) && mayCall(current.role, operation);
}

export function sessionIsOver(): void {
  if (session.value === null || session.value === undefined) return;
  overSession.value = session.value;
  session.value = null;
}

/** @param said also tells the other tabs */
export function signedIn(started: SessionAnswer, said: 'to all tabs' | 'here' = 'to all tabs'): void {
  overSession.value = null;
  session.value = started;
  signIns.value += 1;
  if (said === 'to all tabs') tabs.postMessage('changed');
}

export function signedOut(said: 'to all tabs' | 'here' = 'to all tabs'): void {
  overSession.value = null;
  session.value = null;
  if (said === 'to all tabs') tabs.postMessage('changed');
}

/** Calls `load` now, and when another tab signs in or out. */
export function followSession(load: () => void): void {
  tabs.addEventListener('message', load);
  load();
}
