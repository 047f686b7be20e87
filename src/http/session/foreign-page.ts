import { type Refused, refused } from '../../application/refusal.ts';
import type { HttpContext } from '../context.ts';

/**
 * The refusal of a request that a page of another origin has sent; null for one of the dashboard. Browsers say it in
 * `Sec-Fetch-Site`; older ones, and those that reach the service over plain HTTP, send `Origin` with every write. A
 * request without both comes from no page, or reads for one that cannot see the answer.
 */
export function foreignPage(request: Request, context: Pick<HttpContext, 'overTls' | 'publicUrl'>): Refused | null {
  const { headers, url } = request;
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  if (site === null && origin === null) return null;
  const { host } = new URL(url);
  const own = [`${context.overTls(request) ? 'https' : 'http'}://${host}`, new URL(context.publicUrl()).origin];
  if (site === null ? own.includes(origin ?? '') : site === 'same-origin') return null;
  return refused(
    'FORBIDDEN',
    'The dashboard did not send this request; only its pages can use the session in the cookie.',
  );
}
