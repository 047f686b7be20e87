import type { UsageLimits } from '../../ports/usage-counters.ts';
import type { Plan } from './apikey.ts';

/** What each plan allows; null: nothing is counted. The specification's table of limits. */
export const PLAN_LIMITS: Readonly<Record<Plan, UsageLimits | null>> = {
  free: { perMinute: 10, perDay: 100 },
  basic: { perMinute: 60, perDay: 1_000 },
  premium: { perMinute: 300, perDay: 10_000 },
  enterprise: null,
};
