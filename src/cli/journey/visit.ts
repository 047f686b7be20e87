import { type Answer, dataOf, type Headers, outcomeOf } from './client.ts';
import { type Booked, type Choice, CITY, GUEST, type JourneyContext, type OwnKey } from './context.ts';
import { at, listAt, numberAt, textAt } from './json.ts';
import { pollUntil, StepFailed } from './step.ts';

const GATE = 'journey gate';
/** Reports follow within two seconds; a busy machine gets more. */
const COUNTED_WITHIN_MS = 10_000;
/** Maximum number of pages, each of 1,000 keys, that are searched for the journey's key. */
const PAGES = 20;

/** Visits of an activity in the operator's report. */
type Visits = { readonly visits: number; readonly guests: number };

/**
 * Creates a gate device at the venue; the journey deletes it at its end.
 * @returns the header that authenticates it
 */
export async function createDevice({ venueId }: Choice, context: JourneyContext): Promise<Headers> {
  const { ask, steps, operator } = context;
  return steps.run('gate device', async (check) => {
    const path = `/api/venues/${venueId}/devices`;
    const body = { name: 'waymark journey' };
    const made = dataOf('creating a device', await ask({ method: 'POST', path, as: operator, body }));
    const [id, value] = [textAt(made, 'device_id'), textAt(made, 'device_key')];
    if (id === '' || value === '') throw new StepFailed('the device', 'an id and a key', made);
    const device = { 'x-device-key': value };
    context.addCleanUp(() => deleteDevice(`${path}/${id}`, device, context));
    check.fact(venueId);
    return device;
  });
}

/** Reads the report before the check-in, for comparison. */
export async function visitsSoFar(choice: Choice, context: JourneyContext): Promise<Visits> {
  return context.steps.run('visits before the check-in', async (check) => {
    const visits = await readVisits(choice, {}, context);
    check.fact(`${visits.visits} visits of ${visits.guests} guests`);
    return visits;
  });
}

/** Scans the QR code twice: the first scan is the visit, the second is refused. */
export async function visit(token: string, booked: Booked, device: Headers, context: JourneyContext): Promise<Answer> {
  const { ask, steps } = context;
  const answer = await steps.run('gate check-in', async (check) => {
    const scanned = await scan(token, device, ask);
    const checkIn = dataOf('the scan', scanned);
    check.matches('the check-in', checkIn, { booking_id: booked.id, num_guests: GUEST.adults });
    check.fact(`${textAt(checkIn, 'venue_name')}, ${textAt(checkIn, 'verified_at')}`);
    return scanned;
  });
  await steps.run('second scan', async (check) => {
    const again = await scan(token, device, ask);
    const refusal = '409 VOUCHER_ALREADY_VERIFIED';
    check.holds(`it is answered ${refusal}`, outcomeOf(again) === refusal, outcomeOf(again));
    check.fact(textAt(again.body, 'details'));
  });
  return answer;
}

/** Checks that a scan before the voucher's date is refused. */
export async function scanBeforeDate(token: string, device: Headers, { ask, steps }: JourneyContext): Promise<void> {
  await steps.run('scan before the date', async (check) => {
    const found = outcomeOf(await scan(token, device, ask));
    check.holds('it is answered 409 VOUCHER_NOT_VALID_TODAY', found === '409 VOUCHER_NOT_VALID_TODAY', found);
  });
}

/** Checks that the conversion report counts booking and visit, and that the visit report counts the guests. */
export async function checkReports(
  { key, choice, before }: { readonly key: OwnKey; readonly choice: Choice; readonly before: Visits },
  position: Headers,
  context: JourneyContext,
): Promise<void> {
  const { steps, clock } = context;
  await steps.run('conversions', async (check) => {
    const read = (): Promise<unknown> => readConversions(key, position, context);
    const row = await pollUntil(read, (found) => numberAt(found, 'visited') >= 1, COUNTED_WITHIN_MS, clock);
    check.matches('the row of our key', row, { requests: 1, booked: 1, visited: 1 });
    const counts = ['requests', 'recommended', 'booked', 'confirmed', 'visited'];
    check.fact(counts.map((count) => `${count} ${numberAt(row, count)}`).join(', '));
  });
  await steps.run('visits after the check-in', async (check) => {
    // Other guests may check in at the same time.
    const counted = ({ visits, guests }: Visits): boolean =>
      visits >= before.visits + 1 && guests >= before.guests + GUEST.adults;
    const now = await pollUntil(() => readVisits(choice, position, context), counted, COUNTED_WITHIN_MS, clock);
    check.holds(`at least one visit more than ${before.visits}, of two guests`, counted(now), now);
    check.fact(`${before.visits} visits before, ${now.visits} now`);
  });
}

function scan(code: string, device: Headers, ask: JourneyContext['ask']): Promise<Answer> {
  return ask({ method: 'POST', path: '/api/venue/verify', as: device, body: { code, gate: GATE } });
}

async function deleteDevice(path: string, device: Headers, { ask, steps, operator }: JourneyContext): Promise<void> {
  await steps.run('gate device removal', async (check) => {
    dataOf('deleting the device', await ask({ method: 'DELETE', path, as: operator }));
    const found = outcomeOf(await scan('WM-NONE', device, ask));
    check.holds('its next scan is answered 401 INVALID_DEVICE_KEY', found === '401 INVALID_DEVICE_KEY', found);
  });
}

async function readConversions(key: OwnKey, headers: Headers, { ask, operator }: JourneyContext): Promise<unknown> {
  let cursor = '';
  for (let page = 0; page < PAGES; page++) {
    const path = `/api/analytics/conversions?group_by=key_id&city=${CITY}&limit=1000${cursor}`;
    const data = dataOf('conversions', await ask({ path, as: operator, headers }));
    const own = listAt(data, 'items').find((row) => textAt(row, 'key_id') === key.id);
    if (own !== undefined || at(data, 'next_cursor') === null) return own;
    cursor = `&cursor=${encodeURIComponent(textAt(data, 'next_cursor'))}`;
  }
  return undefined;
}

async function readVisits(
  { activityId }: Choice,
  headers: Headers,
  { ask, operator }: JourneyContext,
): Promise<Visits> {
  const path = `/api/analytics/visits?group_by=activity_id&activity_id=${activityId}`;
  const [row] = listAt(dataOf('visits', await ask({ path, as: operator, headers })), 'items');
  return row === undefined
    ? { visits: 0, guests: 0 }
    : { visits: numberAt(row, 'visits'), guests: numberAt(row, 'guests') };
}
