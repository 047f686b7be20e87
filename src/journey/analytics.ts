import { dataOf } from './client.ts';
import { eventually } from './patience.ts';
import { at, listAt, numberAt, textAt } from './reading.ts';
import { type Choice, CITY, GUEST, type OwnKey, type Scene } from './scene.ts';

/** Lists follow within two seconds; a busy machine gets more. */
const COUNTED_WITHIN_MS = 10_000;
/** Of a thousand keys each: how far the list of conversions is searched for our own. */
const PAGES = 20;

/** What an operator's analysis counted of an activity so far. */
export type Visits = { readonly visits: number; readonly guests: number };

/** Read before the visit, so that one can be told from none. */
export async function visitsSoFar(choice: Choice, scene: Scene): Promise<Visits> {
  return scene.steps.run('analytics tell the visits so far', async (seen) => {
    const visits = await countVisits(choice, {}, scene);
    seen.fact(`${visits.visits} visits of ${visits.guests} guests`);
    return visits;
  });
}

/** The recommendation, the booking and the visit are counted as what led to each other. */
export async function checkAnalytics(
  before: Visits,
  visited: {
    readonly key: OwnKey;
    readonly choice: Choice;
    readonly shown: number;
    readonly position: Readonly<Record<string, string>>;
  },
  scene: Scene,
): Promise<void> {
  const { steps, clock } = scene;
  const { key, choice, shown, position } = visited;
  await steps.run('conversions lead from the recommendation to the visit', async (seen) => {
    const look = (): Promise<unknown> => conversionsOf(key, position, scene);
    const row = await eventually(look, (found) => numberAt(found, 'visited') >= 1, COUNTED_WITHIN_MS, clock);
    seen.matches('the row of our key', row, {
      requests: 1,
      recommended: shown,
      booked: 1,
      confirmed: 1,
      visited: 1,
      cancelled: 0,
    });
    const counts = ['requests', 'recommended', 'booked', 'confirmed', 'visited'];
    seen.fact(counts.map((count) => `${count} ${numberAt(row, count)}`).join(', '));
  });
  await steps.run('visits count the guests', async (seen) => {
    const arrived = ({ visits, guests }: Visits): boolean =>
      visits >= before.visits + 1 && guests >= before.guests + GUEST.adults;
    const now = await eventually(() => countVisits(choice, position, scene), arrived, COUNTED_WITHIN_MS, clock);
    // Others may visit at the same time.
    seen.holds(`at least one visit more than ${before.visits}, of two guests`, arrived(now), now);
    seen.fact(`${before.visits} visits before, ${now.visits} now`);
  });
}

async function conversionsOf(
  key: OwnKey,
  position: Readonly<Record<string, string>>,
  { ask, operator }: Scene,
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
  { ask, operator }: Scene,
): Promise<Visits> {
  const path = `/api/analytics/visits?group_by=activity_id&activity_id=${activityId}`;
  const data = dataOf('visits', await ask({ path, as: operator, headers: position }));
  const [row] = listAt(data, 'items');
  return row === undefined
    ? { visits: 0, guests: 0 }
    : { visits: numberAt(row, 'visits'), guests: numberAt(row, 'guests') };
}
