import { createHash } from 'node:crypto';
import { PAGE_STYLE } from './page-style.ts';

/**
 * HTTP headers of the page and of the images. Their URLs contain the voucher code, which is a secret, so no HTTP cache,
 * search engine or Referer header may keep them. The worker of the page keeps a copy on the guest's phone all the same.
 */
export const VOUCHER_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'private, no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
};

/** The page runs one script of this service, which starts the worker; it shows a picture of this service. */
export const VOUCHER_PAGE_HEADERS = pageHeaders(["script-src 'self'", "worker-src 'self'", "img-src 'self'"]);

/** A page about an error runs and loads nothing. */
export const FAILURE_PAGE_HEADERS = pageHeaders([]);

/** The hash allows the style sheet. */
function pageHeaders(loads: readonly string[]): Readonly<Record<string, string>> {
  const hash = createHash('sha256').update(PAGE_STYLE).digest('base64');
  return {
    ...VOUCHER_HEADERS,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      ...loads,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  };
}
