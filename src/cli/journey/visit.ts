import { type Answer, type Client, dataOf, type Headers, outcomeOf } from './client.ts';
import { type AgentContext, type Booked, type Choice, CITY, GUEST } from './context.ts';
import { at, listAt, numberAt, textAt } from './json.ts';
import { pollUntil, StepFailed } from './step.ts';

/** Reports follow within two seconds; a busy machine gets more. */
const COUNTED_WITHIN_MS = 10_000;
/** Maximum number of pages, each of 1,000 keys, that are searched for the journey's key. */
const PAGES = 20;

/** Visits of an activity in the operator's report. */
type Visits = { readonly visits: number; readonly guests: number };

/** Creates a gate device at the venue; the journey deletes it at its end. */
export async function createDevice({ venueId }: Choice, context: AgentContext): Promise<Client> {
  const { step, operator } = context;
  return step('gate device', async (check) => {
    const path = `/api/venues/${venueId}/devices`;
    const made = dataOf(await operator.post(path, { name: 'waymark journey' }));
    const [id, value] = [textAt(made, 'device_id'), textAt(made, 'device_key')];
    if (id === '' || value === '') throw new StepFailed('the device', 'an id and a key', made);
    const device = context.clientWith({ 'x-device-key': value });
    context.addCleanUp(() => deleteDevice(`${path}/${id}`, device, context));
    check.fact(venueId);
    return device;
  });
}

/** Reads the report before the check-in, for comparison. */
export async function visitsSoFar(choice: Choice, context: AgentContext): Promise<Visits> {
  return context.step('visits before the check-in', async (check) => {
    const visits = await readVisits(choice, {}, context);
    check.fact(`${visits.visits} visits of ${visits.guests} guests`);
    return visits;
  });
}

/** Scans the QR code twice: the first scan is the visit, the second is refused. */
export async function visit(token: string, booked: Booked, device: Client, { step }: AgentContext): Promise<Answer> {
  const answer = await step('gate check-in', async (check) => {
    const scanned = await scan(token, device);
    const checkIn = dataOf(scanned);
    check.matches('the check-in', checkIn, { booking_id: booked.id, num_guests: GUEST.adults });
    check.fact(`${textAt(checkIn, 'venue_name')}, ${textAt(checkIn, 'verified_at')}`);
    return scanned;
  });
  await step('second scan', async (check) => {
    const again = await scan(token, device);
    const refusal = '409 VOUCHER_ALREADY_VERIFIED';
    check.holds(`it is answered ${refusal}`, outcomeOf(again) === refusal, outcomeOf(again));
    check.fact(textAt(again.body, 'details'));
  });
  return answer;
}

/** Checks that a scan before the voucher's date is refused. */
export async function scanBeforeDate(token: string, device: Client, { step }: AgentContext): Promise<void> {
  await step('scan before the date', async (check) => {
    const found = outcomeOf(await scan(token, device));
    check.holds('it is answered 409 VOUCHER_NOT_VALID_TODAY', found === '409 VOUCHER_NOT_VALID_TODAY', found);
  });
}

/** Checks that the conversion report counts booking and visit, and that the visit report counts the guests. */
export async function checkReports(
  choice: Choice,
  before: Visits,
  position: Headers,
  context: AgentContext,
): Promise<void> {
  const { step, clock } = context;
  await step('conversions', async (check) => {
    const read = (): Promise<unknown> => readConversions(position, context);
    const row = await pollUntil(read, (found) => numberAt(found, 'visited') >= 1, COUNTED_WITHIN_MS, clock);
    check.matches('the row of our key', row, { requests: 1, booked: 1, visited: 1 });
    const counts = ['requests', 'recommended', 'booked', 'confirmed', 'visited'];
    check.fact(counts.map((count) => `${count} ${numberAt(row, count)}`).join(', '));
  });
  await step('visits after the check-in', async (check) => {
    // Other guests may check in at the same time.
    const counted = ({ visits, guests }: Visits): boolean =>
      visits >= before.visits + 1 && guests >= before.guests + GUEST.adults;
    const now = await pollUntil(() => readVisits(choice, position, context), counted, COUNTED_WITHIN_MS, clock);
    check.holds(`at least one visit more than ${before.visits}, of two guests`, counted(now), now);
    check.fact(`${before.visits} visits before, ${now.visits} now`);
  });
}

function scan(code: string, device: Client): Promise<Answer> {
  return device.post('/api/venue/verify', { code, gate: 'journey gate' });
}

async function deleteDevice(path: string, device: Client, { step, operator }: AgentContext): Promise<void> {
  await step('gate device removal', async (check) => {
    dataOf(await operator.delete(path));
    const found = outcomeOf(await scan('WM-NONE', device));
    check.holds('its next scan is answered 401 INVALID_DEVICE_KEY', found === '401 INVALID_DEVICE_KEY', found);
  });
}

async function readConversions(position: Headers, { keyId, operator }: AgentContext): Promise<unknown> {
  let cursor = '';
  for (let page = 0; page < PAGES; page++) {
    const path = `/api/analytics/conversions?group_by=key_id&city=${CITY}&limit=1000${cursor}`;
    const data = dataOf(await operator.get(path, position));
    const own = listAt(data, 'items').find((row) => textAt(row, 'key_id') === keyId);
    if (own !== undefined || at(data, 'next_cursor') === null) return own;
    cursor = `&cursor=${encodeURIComponent(textAt(data, 'next_cursor'))}`;
  }
  return undefined;
}

async function readVisits({ activityId }: Choice, position: Headers, { operator }: AgentContext): Promise<Visits> {
  const path = `/api/analytics/visits?group_by=activity_id&activity_id=${activityId}`;
  const [row] = listAt(dataOf(await operator.get(path, position)), 'items');
  return row === undefined
    ? { visits: 0, guests: 0 }
    : { visits: numberAt(row, 'visits'), guests: numberAt(row, 'guests') };
}
