import { MongoBulkWriteError, MongoServerError } from 'mongodb';

/** By the names that MongoDB's documentation gives their codes. */
const CODES = {
  NamespaceNotFound: 26,
  NamespaceExists: 48,
  DuplicateKey: 11_000,
  NotImplemented: 238,
  CommandNotFound: 59,
  AuthenticationFailed: 18,
  Unauthorized: 13,
  AtlasError: 8_000,
} as const;

export type Refusal = keyof typeof CODES;

/** Whether a server refused a command with this code. What it refuses is not a fault, where it was to be expected. */
export function isRefusal(fault: unknown, ...names: readonly Refusal[]): boolean {
  return fault instanceof MongoServerError && names.some((name) => fault.code === CODES[name]);
}

/** Whether the server knows no such user and password, or this user may not. Atlas has a code of its own for the former. */
export function keepsUsOut(fault: unknown): fault is MongoServerError {
  return isRefusal(fault, 'AuthenticationFailed', 'Unauthorized', 'AtlasError');
}

/** Whether nothing was wrong with a bulk but that documents to be inserted were there already. */
export function onlyDuplicates(fault: unknown): fault is MongoBulkWriteError {
  if (!(fault instanceof MongoBulkWriteError) || fault.result.getWriteConcernError() !== undefined) return false;
  const refusals = [fault.writeErrors].flat();
  return refusals.length > 0 && refusals.every(({ code }) => code === CODES.DuplicateKey);
}
