import { MongoBulkWriteError, MongoServerError } from 'mongodb';

/** Error codes, named as in MongoDB's documentation. */
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

export type ServerErrorName = keyof typeof CODES;

/** Whether the server refused a command with one of these codes. */
export function isRefusal(fault: unknown, ...names: readonly ServerErrorName[]): boolean {
  return fault instanceof MongoServerError && names.some((name) => fault.code === CODES[name]);
}

/** Whether user or password are wrong, or the user lacks a right. Atlas has its own code for the former. */
export function isAccessDenied(fault: unknown): fault is MongoServerError {
  return isRefusal(fault, 'AuthenticationFailed', 'Unauthorized', 'AtlasError');
}

/** Whether a document to be inserted existed already. */
export function isDuplicate(fault: unknown): boolean {
  return isRefusal(fault, 'DuplicateKey');
}

/** Whether a bulk write failed only because documents to be inserted existed already. */
export function onlyDuplicates(fault: unknown): fault is MongoBulkWriteError {
  if (!(fault instanceof MongoBulkWriteError) || fault.result.getWriteConcernError() !== undefined) return false;
  const refusals = [fault.writeErrors].flat();
  return refusals.length > 0 && refusals.every(({ code }) => code === CODES.DuplicateKey);
}
