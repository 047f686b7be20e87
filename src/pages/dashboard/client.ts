import { treaty } from '@elysiajs/eden';
import type { App } from '../../http/app.ts';
import type { Api } from './answers.ts';
import { csrfToken, sessionIsOver } from './session.ts';

/** The typed client of the API. Its requests have the rights of the session. */
export const api: Api = treaty<App>(location.origin, {
  fetch: { credentials: 'same-origin' },
  headers: () => ({ 'x-csrf-token': csrfToken() }),
  // Instants stay texts, as the types of the API say.
  parseDate: false,
}).api;

/** A refusal of the API, or a request without an answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  /** Of HTTP; 0 without an answer. */
  readonly status: number;
  /** The API's error code; `NETWORK` without an answer. */
  readonly code: string;
  readonly details: string;

  constructor(message: string, status: number, code: string, details: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

type Answered<T> = { readonly data: T | null; readonly error: unknown; readonly status: number };
type DataOf<T> = T extends { readonly success: true; readonly data: infer Data } ? Data : never;

/** Codes of a session that is over. */
const OVER: ReadonlySet<string> = new Set([
  'INVALID_TOKEN',
  'INVALID_API_KEY',
  'KEY_INACTIVE',
  'MISSING_TOKEN',
  'MISSING_API_KEY',
]);

/**
 * The `data` of an answer.
 *
 * @throws ApiError. A session that is over also opens the dialog to sign in.
 */
export async function read<T>(request: Promise<Answered<T>>): Promise<DataOf<T>> {
  const { data, error, status } = await request;
  if (typeof data === 'object' && data !== null && 'data' in data) return data.data as DataOf<T>;
  const fault = faultOf(error, status);
  if (OVER.has(fault.code)) sessionIsOver();
  throw fault;
}

function faultOf(error: unknown, status: number): ApiError {
  const value: unknown = typeof error === 'object' && error !== null && 'value' in error ? error.value : error;
  if (typeof value !== 'object' || value === null || !('code' in value))
    return new ApiError('The service cannot be reached. Check the network, and try again.', 0, 'NETWORK', '');
  const { error: message = '', code, details = '' } = value as { error?: string; code: string; details?: string };
  return new ApiError(message, status, code, details);
}

/** A new `Idempotency-Key`, for one decision of a person: repeated sends of it act once. */
export function idempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
