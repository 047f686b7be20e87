import { caller } from '../session.ts';

/** Operators see the webhooks of all keys, and name the key of what they do. */
export function isOperator(): boolean {
  return (caller()?.role ?? null) !== null;
}
