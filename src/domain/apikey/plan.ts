import type { UsageLimits } from '../../ports/rate-limiter.ts';
import type { Plan } from './apikey.ts';

/** Limits of each plan, from the specification; null: unlimited. */
export const PLAN_LIMITS: Readonly<Record<Plan, UsageLimits | null>> = {
  free: { perMinute: 10, perDay: 100 },
  basic: { perMinute: 60, perDay: 1_000 },
  premium: { perMinute: 300, perDay: 10_000 },
  enterprise: null,
};
