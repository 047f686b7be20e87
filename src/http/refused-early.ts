import { type ErrorCode, type Refused, refused } from '../application/refusal.ts';

/** Thrown by a schema or a macro to refuse a request before its handler. Elysia passes it to the `error` hook. */
export class RefusedEarly extends Error {
  readonly refused: Refused;

  constructor(why: Refused) {
    super(why.refusal.code);
    this.refused = why;
  }
}

/** A fault of one field: the error code, the sentence, and valid alternatives. */
export type Fault = { readonly code: ErrorCode; readonly sentence: string; readonly alternatives?: readonly object[] };

/** The refusal of the first fault; its `details` name all of them. */
export function refusedFor([first, ...others]: readonly [Fault, ...Fault[]]): RefusedEarly {
  const { code, sentence, alternatives } = first;
  const details = [first, ...others].map((fault) => fault.sentence).join(' ');
  return new RefusedEarly(refused(code, sentence, { details, ...(alternatives && { alternatives }) }));
}
