import type { Refused } from '../application/refusal.ts';

/** Thrown by a schema or a macro to refuse a request before its handler. Elysia passes it to the `error` hook. */
export class RefusedEarly extends Error {
  readonly refused: Refused;

  constructor(refused: Refused) {
    super(refused.refusal.code);
    this.refused = refused;
  }
}
