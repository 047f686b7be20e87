import { overSession, session } from '../session.ts';

/** Operators see the webhooks of all keys, and name the key of what they do. */
export function isOperator(): boolean {
  const caller = session.value ?? overSession.value;
  return caller !== null && caller !== undefined && caller.role !== null;
}
