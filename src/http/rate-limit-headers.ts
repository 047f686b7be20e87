import type { Allowance, Usage } from '../ports/usage-counters.ts';
import type { Headers } from './envelope.ts';

const DAY_S = 86_400;

/**
 * What a plan allows, and what is left of it, as the IETF draft "RateLimit header fields for HTTP" (httpapi, in its form
 * with `RateLimit-Policy` and `RateLimit`) writes it: `q` requests in `w` seconds; `r` left, more in `t` seconds.
 */
export function rateLimitHeaders({ minute, day }: Usage): Headers {
  return {
    'ratelimit-policy': `"minute";q=${minute.limit};w=60, "day";q=${day.limit};w=${DAY_S}`,
    ratelimit: `"minute";${left(minute)}, "day";${left(day)}`,
  };
}

function left({ remaining, resetMs }: Allowance): string {
  return `r=${remaining};t=${Math.ceil(resetMs / 1_000)}`;
}
