import { DAY_MS, SECOND_MS } from '../eventsourcing/durations.ts';
import type { Allowance, Usage } from '../ports/rate-limiter.ts';
import type { Headers } from './envelope.ts';

const DAY_S = DAY_MS / SECOND_MS;

/**
 * A plan's limits and what remains of them, in the header fields of the IETF draft "RateLimit header fields for HTTP"
 * (the version with `RateLimit-Policy` and `RateLimit`): `q` requests in `w` seconds; `r` remain, and reset in `t`
 * seconds.
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
