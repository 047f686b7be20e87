import { stateForm } from '../actors/state-form.ts';
import type { ActivityState } from '../domain/activity/decider.ts';
import type { Allotment } from '../domain/allotment/state.ts';
import type { Endpoint } from '../domain/endpoint/endpoint.ts';
import type { Spending } from '../domain/spending/spending.ts';

/**
 * The states of streams that have no bound, by category. None holds personal data. Raise the version with every change of
 * `evolve` or of the state; test/unit/application/snapshots.test.ts finds a forgotten one.
 */
export const SNAPSHOTS = {
  activity: stateForm<ActivityState>(1),
  allotment: stateForm<Allotment>(4),
  endpoint: stateForm<Endpoint>(1),
  spending: stateForm<Spending>(1),
};
