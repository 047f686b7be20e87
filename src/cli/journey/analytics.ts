import { dataOf } from './client.ts';
import { type Choice, CITY, GUEST, type JourneyContext, type OwnKey } from './context.ts';
import { at, listAt, numberAt, textAt } from './json.ts';
import { pollUntil } from './poll-until.ts';

/** Reports follow within two seconds; a busy machine gets more. */
const COUNTED_WITHIN_MS = 10_000;
/** Maximum number of pages, each of 1,000 keys, that are searched for the journey's key. */
const PAGES = 20;

/** Visits of an activity in the operator's report. */
export type Visits = { readonly visits: number; readonly guests: number };

/** Reads the report before the check-in, for comparison. */
export async function visitsSoFar(choice: Choice, context: JourneyContext): Promise<Visits> {
  return context.steps.run('visits before the check-in', async (check) => {
    const visits = await countVisits(choice, {}, context);
    check.fact(`${visits.visits} visits of ${visits.guests} guests`);
    return visits;
  });
}

/** Checks that the conversion report counts recommendation, booking and visit, and that the visit report counts the guests. */
export async function checkAnalytics(
  before: Visits,
  visited: {
    readonly key: OwnKey;
    readonly choice: Choice;
    readonly shown: number;
    readonly position: Readonly<Record<string, string>>;
  },
  context: JourneyContext,
): Promise<void> {
  const { steps, clock } = context;
  const { key, choice, shown, position } = visited;
  await steps.run('conversions', async (check) => {
    const look = (): Promise<unknown> => ownConversions(key, position, context);
    const row = await pollUntil(look, (found) => numberAt(found, 'visited') >= 1, COUNTED_WITHIN_MS, clock);
    check.matches('the row of our key', row, {
      requests: 1,
      recommended: shown,
      booked: 1,
      confirmed: 1,
      visited: 1,
      cancelled: 0,
    });
    const counts = ['requests', 'recommended', 'booked', 'confirmed', 'visited'];
    check.fact(counts.map((count) => `${count} ${numberAt(row, count)}`).join(', '));
  });
  await steps.run('visits after the check-in', async (check) => {
    const arrived = ({ visits, guests }: Visits): boolean =>
      visits >= before.visits + 1 && guests >= before.guests + GUEST.adults;
    const now = await pollUntil(() => countVisits(choice, position, context), arrived, COUNTED_WITHIN_MS, clock);
    // Other guests may check in at the same time.
    check.holds(`at least one visit more than ${before.visits}, of two guests`, arrived(now), now);
    check.fact(`${before.visits} visits before, ${now.visits} now`);
  });
}

async function ownConversions(
  key: OwnKey,
  position: Readonly<Record<string, string>>,
  { ask, operator }: JourneyContext,
): Promise<unknown> {
  let cursor = '';
  for (let page = 0; page < PAGES; page++) {
    const path = `/api/analytics/conversions?group_by=key_id&city=${CITY}&limit=1000${cursor}`;
    const data = dataOf('conversions', await ask({ path, as: operator, headers: position }));
    const own = listAt(data, 'items').find((row) => textAt(row, 'key_id') === key.id);
    if (own !== undefined || at(data, 'next_cursor') === null) return own;
    cursor = `&cursor=${encodeURIComponent(textAt(data, 'next_cursor'))}`;
  }
  return undefined;
}

async function countVisits(
  { activityId }: Choice,
  position: Readonly<Record<string, string>>,
  { ask, operator }: JourneyContext,
): Promise<Visits> {
  const path = `/api/analytics/visits?group_by=activity_id&activity_id=${activityId}`;
  const data = dataOf('visits', await ask({ path, as: operator, headers: position }));
  const [row] = listAt(data, 'items');
  return row === undefined
    ? { visits: 0, guests: 0 }
    : { visits: numberAt(row, 'visits'), guests: numberAt(row, 'guests') };
}
