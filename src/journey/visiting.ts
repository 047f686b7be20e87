import { type Answer, type Credential, dataOf, gateDevice, outcomeOf } from './client.ts';
import { eventually } from './patience.ts';
import { at, listAt, numberAt, textAt } from './reading.ts';
import { type Booked, type Choice, CITY, GUEST, type OwnKey, type Scene } from './scene.ts';
import { Broken } from './step.ts';

const GATE = 'journey gate';
/** Lists follow within two seconds; a busy machine gets more. */
const COUNTED_WITHIN_MS = 10_000;
/** Of a thousand keys each: how far the list of conversions is searched for our own. */
const PAGES = 20;

export type Device = { readonly id: string; readonly credential: Credential };

/** A gate device at the venue, taken away again at the end. */
export async function makeDevice({ venueId }: Choice, scene: Scene): Promise<Device> {
  const { ask, steps, operator } = scene;
  return steps.run('a gate device at its venue', async (seen) => {
    const path = `/api/venues/${venueId}/devices`;
    const body = { name: 'waymark journey' };
    const made = dataOf('making a device', await ask({ method: 'POST', path, as: operator, body }));
    const [id, value] = [textAt(made, 'device_id'), textAt(made, 'device_key')];
    if (id === '' || value === '') throw new Broken('the device', 'an id and a key', made);
    const credential = gateDevice(value);
    scene.atTheEnd(() => removeDevice(`${path}/${id}`, credential, scene));
    seen.matches('the device', made, { venue_id: venueId, name: 'waymark journey' });
    seen.fact(venueId);
    return { id, credential };
  });
}

/** The QR code is scanned on its day: one visit, however often. */
export async function visit(
  token: string,
  booked: Booked,
  choice: Choice,
  device: Device,
  scene: Scene,
): Promise<Answer> {
  const { steps } = scene;
  const answer = await steps.run('the gate lets the guests in', async (seen) => {
    const scanned = await scan(token, device, scene);
    const checkIn = dataOf('the scan', scanned);
    seen.matches('the check-in', checkIn, {
      booking_id: booked.id,
      activity_id: choice.activityId,
      venue_id: choice.venueId,
      verification_method: 'qr_scan',
      user_name: GUEST.name,
      num_guests: GUEST.adults,
      'check_in_data.gate': GATE,
      'check_in_data.device_id': device.id,
    });
    seen.fact(`${textAt(checkIn, 'venue_name')}, ${textAt(checkIn, 'verified_at')}`);
    return scanned;
  });
  await steps.run('a second scan is refused', async (seen) => {
    const again = await scan(token, device, scene);
    const wanted = '409 VOUCHER_ALREADY_VERIFIED';
    seen.holds(`it is answered ${wanted}`, outcomeOf(again) === wanted, outcomeOf(again));
    const details = textAt(again.body, 'details');
    seen.holds('details name the gate of the first', details.includes(GATE), details);
    seen.fact(details);
  });
  return answer;
}

/** Scanned before its day, the voucher is refused, and stays good. */
export async function scanTooEarly(token: string, device: Device, scene: Scene): Promise<void> {
  await scene.steps.run('the gate refuses it before its day', async (seen) => {
    const found = outcomeOf(await scan(token, device, scene));
    seen.holds('it is answered 409 VOUCHER_NOT_VALID_TODAY', found === '409 VOUCHER_NOT_VALID_TODAY', found);
  });
}

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
    seen.fact(`1 request, ${shown} shown, ${numberAt(row, 'booked')} booked, ${numberAt(row, 'visited')} visited`);
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

function scan(code: string, device: Device, { ask }: Scene): Promise<Answer> {
  return ask({ method: 'POST', path: '/api/venue/verify', as: device.credential, body: { code, gate: GATE } });
}

async function removeDevice(path: string, credential: Credential, { ask, steps, operator }: Scene): Promise<void> {
  await steps.run('the gate device is taken away', async (seen) => {
    dataOf('deleting the device', await ask({ method: 'DELETE', path, as: operator }));
    const found = outcomeOf(
      await ask({ method: 'POST', path: '/api/venue/verify', as: credential, body: { code: 'WM-NONE' } }),
    );
    seen.holds('its next scan is answered 401 INVALID_DEVICE_KEY', found === '401 INVALID_DEVICE_KEY', found);
  });
}
