import { checkVoucherToken, type PublishedKeys } from '../../../examples/check-voucher-token.ts';
import { dataOf } from './client.ts';
import { type AgentContext, type Booked, GUEST } from './context.ts';
import { at, textAt } from './json.ts';
import { readQrCode } from './qr-code.ts';
import { pollUntil, StepFailed } from './step.ts';

/** The specification's "within 30 seconds". */
const MAILED_WITHIN_MS = 30_000;

/**
 * Checks the voucher page, the QR code with its signature, and that the voucher was mailed.
 * @returns the text of the QR code
 */
export async function checkVoucher(
  { id, voucherCode, qrUrl }: Booked,
  { agent, anybody, step, clock }: AgentContext,
): Promise<string> {
  await step('voucher page', async (check) => {
    const { status, text } = await anybody.get(`/api/vouchers/${voucherCode}`);
    check.holds(`it shows ${GUEST.name}`, status === 200 && text.includes(GUEST.name), `${status} ${text}`);
  });
  const token = await step('voucher QR code and its signature', async (check) => {
    const { status, bytes } = await anybody.get(qrUrl);
    const read = readQrCode(bytes);
    if (read === null) throw new StepFailed('the image', 'a QR code', `${status}, ${bytes.length} bytes without one`);
    const { body: keys } = await anybody.get('/.well-known/waymark-voucher-keys.json');
    if (!isKeys(keys)) throw new StepFailed('the published keys', 'a list of keys', keys);
    check.matches('the signed text', checkVoucherToken(read, keys), { code: voucherCode });
    check.fact(`${read.slice(0, 13)}…, ${read.length} characters, ${bytes.length} bytes of PNG`);
    return read;
  });
  await step('voucher mail', async (check) => {
    const read = async (): Promise<unknown> => dataOf(await agent.get(`/api/b2a/bookings/${id}`));
    const booking = await pollUntil(read, (found) => at(found, 'email_sent') === true, MAILED_WITHIN_MS, clock);
    check.matches('the booking', booking, { email_sent: true });
    check.fact(`to ${textAt(booking, 'user_email')} at ${textAt(booking, 'email_sent_at')}`);
  });
  return token;
}

/** Checks the fields that `checkVoucherToken` reads. */
function isKeys(body: unknown): body is PublishedKeys {
  const keys = at(body, 'keys');
  return Array.isArray(keys) && keys.every((key) => textAt(key, 'kid') !== '' && textAt(key, 'x') !== '');
}
