import { checkVoucherToken, type PublishedKeys } from '../../../examples/check-voucher-token.ts';
import { dataOf } from './client.ts';
import { type Booked, GUEST, type JourneyContext, type OwnKey } from './context.ts';
import { at, textAt } from './json.ts';
import { readQrCode } from './qr-code.ts';
import { pollUntil, StepFailed } from './step.ts';

/** The specification's "within 30 seconds". */
const MAILED_WITHIN_MS = 30_000;

/**
 * Checks the voucher page, the QR code with its signature, and that the voucher was mailed.
 * @returns the text of the QR code
 */
export async function checkVoucher(booked: Booked, key: OwnKey, context: JourneyContext): Promise<string> {
  const { ask, steps, clock } = context;
  await steps.run('voucher page', async (check) => {
    const { status, text } = await ask({ path: `/api/vouchers/${booked.voucherCode}` });
    check.holds('it answers 200', status === 200, `${status} ${text}`);
    check.holds(`it shows ${GUEST.name}`, text.includes(GUEST.name), text);
  });
  const token = await steps.run('voucher QR code and its signature', async (check) => {
    const { status, bytes, text } = await ask({ path: booked.qrUrl });
    check.holds('the image answers 200', status === 200, `${status} ${text}`);
    const read = readQrCode(bytes);
    if (read === null) throw new StepFailed('the image', 'a QR code', `${bytes.length} bytes without one`);
    const { body: keys } = await ask({ path: '/.well-known/waymark-voucher-keys.json' });
    if (!isKeys(keys)) throw new StepFailed('the published keys', 'a list of keys', keys);
    check.matches('the signed text', checkVoucherToken(read, keys), { code: booked.voucherCode });
    check.fact(`${read.slice(0, 13)}…, ${read.length} characters, ${bytes.length} bytes of PNG`);
    return read;
  });
  await steps.run('voucher mail', async (check) => {
    const path = `/api/b2a/bookings/${booked.id}`;
    const read = async (): Promise<unknown> => dataOf('the booking', await ask({ path, as: key.credential }));
    const booking = await pollUntil(read, (found) => at(found, 'email_sent') === true, MAILED_WITHIN_MS, clock);
    check.matches('the booking', booking, { email_sent: true });
    check.fact(`to ${GUEST.email} at ${textAt(booking, 'email_sent_at')}`);
  });
  return token;
}

/** Checks the fields that `checkVoucherToken` reads. */
function isKeys(body: unknown): body is PublishedKeys {
  const keys = at(body, 'keys');
  return Array.isArray(keys) && keys.every((key) => textAt(key, 'kid') !== '' && textAt(key, 'x') !== '');
}
