import { type Answer, type Credential, dataOf, gateDevice, outcomeOf } from './client.ts';
import { textAt } from './reading.ts';
import { type Booked, type Choice, GUEST, type Scene } from './scene.ts';
import { Broken } from './step.ts';

const GATE = 'journey gate';

/** A gate device of our own. */
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
