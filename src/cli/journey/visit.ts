import { type Answer, type Credential, dataOf, gateDevice, outcomeOf } from './client.ts';
import { type Booked, type Choice, GUEST, type JourneyContext } from './context.ts';
import { textAt } from './json.ts';
import { StepFailed } from './step.ts';

const GATE = 'journey gate';

/** The gate device that the journey created. */
export type Device = { readonly id: string; readonly credential: Credential };

/** Creates a gate device at the venue; the journey deletes it at its end. */
export async function createDevice({ venueId }: Choice, context: JourneyContext): Promise<Device> {
  const { ask, steps, operator } = context;
  return steps.run('gate device', async (check) => {
    const path = `/api/venues/${venueId}/devices`;
    const body = { name: 'waymark journey' };
    const made = dataOf('creating a device', await ask({ method: 'POST', path, as: operator, body }));
    const [id, value] = [textAt(made, 'device_id'), textAt(made, 'device_key')];
    if (id === '' || value === '') throw new StepFailed('the device', 'an id and a key', made);
    const credential = gateDevice(value);
    context.addCleanUp(() => removeDevice(`${path}/${id}`, credential, context));
    check.matches('the device', made, { venue_id: venueId, name: 'waymark journey' });
    check.fact(venueId);
    return { id, credential };
  });
}

/** Scans the QR code twice: the first scan is the visit, the second is refused. */
export async function visit(
  token: string,
  booked: Booked,
  choice: Choice,
  device: Device,
  context: JourneyContext,
): Promise<Answer> {
  const { steps } = context;
  const answer = await steps.run('gate check-in', async (check) => {
    const scanned = await scan(token, device, context);
    const checkIn = dataOf('the scan', scanned);
    check.matches('the check-in', checkIn, {
      booking_id: booked.id,
      activity_id: choice.activityId,
      venue_id: choice.venueId,
      verification_method: 'qr_scan',
      user_name: GUEST.name,
      num_guests: GUEST.adults,
      'check_in_data.gate': GATE,
      'check_in_data.device_id': device.id,
    });
    check.fact(`${textAt(checkIn, 'venue_name')}, ${textAt(checkIn, 'verified_at')}`);
    return scanned;
  });
  await steps.run('second scan', async (check) => {
    const again = await scan(token, device, context);
    const wanted = '409 VOUCHER_ALREADY_VERIFIED';
    check.holds(`it is answered ${wanted}`, outcomeOf(again) === wanted, outcomeOf(again));
    const details = textAt(again.body, 'details');
    check.holds('details name the gate of the first', details.includes(GATE), details);
    check.fact(details);
  });
  return answer;
}

/** Checks that a scan before the voucher's date is refused. */
export async function scanBeforeDate(token: string, device: Device, context: JourneyContext): Promise<void> {
  await context.steps.run('scan before the date', async (check) => {
    const found = outcomeOf(await scan(token, device, context));
    check.holds('it is answered 409 VOUCHER_NOT_VALID_TODAY', found === '409 VOUCHER_NOT_VALID_TODAY', found);
  });
}

function scan(code: string, device: Device, { ask }: JourneyContext): Promise<Answer> {
  return ask({ method: 'POST', path: '/api/venue/verify', as: device.credential, body: { code, gate: GATE } });
}

async function removeDevice(
  path: string,
  credential: Credential,
  { ask, steps, operator }: JourneyContext,
): Promise<void> {
  await steps.run('gate device removal', async (check) => {
    dataOf('deleting the device', await ask({ method: 'DELETE', path, as: operator }));
    const found = outcomeOf(
      await ask({ method: 'POST', path: '/api/venue/verify', as: credential, body: { code: 'WM-NONE' } }),
    );
    check.holds('its next scan is answered 401 INVALID_DEVICE_KEY', found === '401 INVALID_DEVICE_KEY', found);
  });
}
