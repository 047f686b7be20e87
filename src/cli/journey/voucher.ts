import { checkVoucherToken, type PublishedKeys } from '../../../examples/check-voucher-token.ts';
import { dataOf, NOBODY } from './client.ts';
import { type Booked, type Choice, GUEST, type JourneyContext, type OwnKey } from './context.ts';
import { at, textAt } from './json.ts';
import { headerOf, imageOf, isInOutbox } from './outbox.ts';
import { pollUntil } from './poll-until.ts';
import { readQrCode } from './qr-code.ts';
import { StepFailed } from './step.ts';

/** The specification's "within 30 seconds". */
const MAILED_WITHIN_MS = 30_000;

/**
 * Checks the voucher page, the QR code with its signature, and that the voucher was mailed.
 * @returns the text of the QR code
 */
export async function checkVoucher(
  booked: Booked,
  choice: Choice,
  key: OwnKey,
  context: JourneyContext,
): Promise<string> {
  const { ask, steps } = context;
  await steps.run('voucher page', async (check) => {
    const { status, headers, text } = await ask({ path: `/api/vouchers/${booked.voucherCode}`, as: NOBODY });
    const type = headers.get('content-type') ?? '';
    check.holds('it answers 200', status === 200, `${status} ${text}`);
    check.holds('it is a page', type.startsWith('text/html'), type);
    const shown = text.replaceAll(/<[^>]*>/g, '');
    for (const fact of [booked.voucherCode, GUEST.name]) check.holds(`it shows ${fact}`, shown.includes(fact), shown);
  });
  const token = await steps.run('voucher QR code and its signature', async (check) => {
    const { status, headers, bytes, text } = await ask({ path: booked.qrUrl, as: NOBODY });
    const type = headers.get('content-type');
    check.holds('the image answers 200', status === 200, `${status} ${text}`);
    check.holds('it is image/png', type === 'image/png', type);
    const read = readQrCode(bytes);
    if (read === null) throw new StepFailed('the image', 'a QR code', `${bytes.length} bytes without one`);
    const { body: keys } = await ask({ path: '/.well-known/waymark-voucher-keys.json', as: NOBODY });
    if (!isKeys(keys)) throw new StepFailed('the published keys', 'a list of keys', keys);
    check.matches('the signed text', checkVoucherToken(read, keys), {
      code: booked.voucherCode,
      venueId: choice.venueId,
      date: choice.date,
      numAdults: GUEST.adults,
      numChildren: 0,
    });
    check.fact(`${read.slice(0, 13)}…, ${read.length} characters, ${bytes.length} bytes of PNG`);
    return read;
  });
  await awaitMail(booked, key, context);
  return token;
}

async function awaitMail(booked: Booked, key: OwnKey, { ask, steps, clock }: JourneyContext): Promise<void> {
  await steps.run('voucher mail', async (check) => {
    const path = `/api/b2a/bookings/${booked.id}`;
    const look = async (): Promise<unknown> => dataOf('the booking', await ask({ path, as: key.credential }));
    const booking = await pollUntil(look, (seenNow) => at(seenNow, 'email_sent') === true, MAILED_WITHIN_MS, clock);
    check.matches('the booking', booking, { email_sent: true });
    const sentAt = textAt(booking, 'email_sent_at');
    check.holds('email_sent_at is a time', !Number.isNaN(Date.parse(sentAt)), at(booking, 'email_sent_at'));
    check.fact(`to ${GUEST.email} at ${sentAt}`);
  });
}

/** Checks the QR code in the mail, if the mail is in the outbox of a service on this machine. */
export async function checkMailed(providerId: string, token: string, { steps, outbox }: JourneyContext): Promise<void> {
  const name = 'QR code in the voucher mail';
  if (!isInOutbox(providerId)) return steps.skip(name, `a mail server has it, as ${providerId}`);
  if (outbox === null) return steps.skip(name, 'the outbox of this service is on another machine');
  await steps.run(name, async (check) => {
    const mail = outbox.mail(providerId);
    if (mail === null) throw new StepFailed('the outbox', `the mail ${providerId}`, 'none of that name');
    const messageId = headerOf(mail, 'Message-ID');
    check.holds('it has a Message-ID', /^<[^<>\s]+@[^<>\s]+>$/.test(messageId ?? ''), messageId);
    check.holds('it is to the guest', headerOf(mail, 'To')?.includes(GUEST.email) ?? false, headerOf(mail, 'To'));
    const image = imageOf(mail);
    if (image === null) throw new StepFailed('the mail', 'an image/png part', headerOf(mail, 'Content-Type'));
    check.holds('its QR code is the voucher’s', readQrCode(image) === token, `${image.length} bytes of image`);
    check.fact(messageId ?? '');
  });
}

/** Checks the fields that `checkVoucherToken` reads. */
function isKeys(body: unknown): body is PublishedKeys {
  const keys = at(body, 'keys');
  return Array.isArray(keys) && keys.every((key) => textAt(key, 'kid') !== '' && textAt(key, 'x') !== '');
}
