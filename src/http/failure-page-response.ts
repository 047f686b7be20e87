import type { ErrorCode, Refusal } from '../application/refusal.ts';
import { type FailureReason, failurePage } from '../vouchers/failure-page.ts';
import { FAILURE_PAGE_HEADERS } from '../vouchers/page-headers.ts';
import type { HttpContext } from './context.ts';
import { failureResponse, type Headers } from './envelope.ts';
import { preferredLanguage } from './language.ts';
import { STATUS } from './status.ts';

/** Codes with a text of their own; every other one is a fault. */
const REASONS: Partial<Readonly<Record<ErrorCode, FailureReason>>> = {
  NOT_FOUND: 'address',
  METHOD_NOT_ALLOWED: 'address',
  VOUCHER_NOT_FOUND: 'voucher',
  RATE_LIMITED: 'tooMany',
  SERVICE_UNAVAILABLE: 'unavailable',
};

/**
 * A page that explains the refusal, if a browser opens an address that people open: a voucher's, or one outside the API.
 * Null: the answer is JSON.
 */
function failurePageFor(
  refusal: Refusal,
  headers: Headers,
  request: Request,
  { supportContact }: Pick<HttpContext, 'supportContact'>,
): Response | null {
  if (!wantsHtml(request.headers) || !isForPeople(request)) return null;
  const page = failurePage({
    reason: REASONS[refusal.code] ?? 'fault',
    language: preferredLanguage(request.headers.get('accept-language')) ?? 'en',
    support: supportContact,
    requestId: headers['x-request-id'] ?? '',
  });
  const retry = refusal.retryAfterSeconds === undefined ? {} : { 'retry-after': String(refusal.retryAfterSeconds) };
  const sent = { ...headers, ...retry, ...FAILURE_PAGE_HEADERS, vary: 'accept, accept-language' };
  return new Response(page, { status: STATUS[refusal.code], headers: sent });
}

/** The error envelope, or a page for a browser. */
export function failureAnswer(
  refusal: Refusal,
  headers: Headers,
  request: Request,
  context: Pick<HttpContext, 'supportContact'>,
): Response {
  return failurePageFor(refusal, headers, request, context) ?? failureResponse(refusal, headers, request);
}

/** Browsers ask for `text/html` by name; programs ask for JSON or for anything. */
export function wantsHtml(headers: globalThis.Headers): boolean {
  return headers.get('accept')?.includes('text/html') ?? false;
}

function isForPeople({ method, url }: Request): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const { pathname } = new URL(url);
  return !pathname.startsWith('/api/') || /^\/api\/vouchers(\/|$)/.test(pathname);
}
