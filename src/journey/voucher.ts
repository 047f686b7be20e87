import { checkVoucherToken, type PublishedKeys } from '../../examples/check-voucher-token.ts';
import { dataOf, NOBODY } from './client.ts';
import { headerOf, imageOf, isInOutbox } from './outbox.ts';
import { eventually } from './patience.ts';
import { readQrCode } from './qr-reader.ts';
import { at, textAt } from './reading.ts';
import { type Booked, type Choice, GUEST, type OwnKey, type Scene } from './scene.ts';
import { Broken } from './step.ts';

/** The specification's "within 30 seconds". */
const MAILED_WITHIN_MS = 30_000;

/**
 * The voucher as the guest has it: a page, and a QR code whose signature a gate can check by itself; it is mailed.
 * @returns the text of the QR code
 */
export async function checkVoucher(booked: Booked, choice: Choice, key: OwnKey, scene: Scene): Promise<string> {
  const { ask, steps } = scene;
  await steps.run('the voucher is a page to print', async (seen) => {
    const { status, headers, text } = await ask({ path: `/api/vouchers/${booked.voucherCode}`, as: NOBODY });
    const type = headers.get('content-type') ?? '';
    seen.holds('it answers 200', status === 200, `${status} ${text}`);
    seen.holds('it is a page', type.startsWith('text/html'), type);
    const shown = text.replaceAll(/<[^>]*>/g, '');
    for (const fact of [booked.voucherCode, GUEST.name]) seen.holds(`it shows ${fact}`, shown.includes(fact), shown);
  });
  const token = await steps.run('its QR code can be read, and its signature holds', async (seen) => {
    const { status, headers, bytes, text } = await ask({ path: booked.qrUrl, as: NOBODY });
    const type = headers.get('content-type');
    seen.holds('the image answers 200', status === 200, `${status} ${text}`);
    seen.holds('it is image/png', type === 'image/png', type);
    const read = readQrCode(bytes);
    if (read === null) throw new Broken('the image', 'a QR code', `${bytes.length} bytes without one`);
    const { body: keys } = await ask({ path: '/.well-known/waymark-voucher-keys.json', as: NOBODY });
    if (!isKeys(keys)) throw new Broken('the published keys', 'a list of keys', keys);
    seen.matches('the signed text', checkVoucherToken(read, keys), {
      code: booked.voucherCode,
      venueId: choice.venueId,
      date: choice.date,
      numAdults: GUEST.adults,
      numChildren: 0,
    });
    seen.fact(`${read.slice(0, 13)}…, ${read.length} characters, ${bytes.length} bytes of PNG`);
    return read;
  });
  await awaitMail(booked, key, scene);
  return token;
}

async function awaitMail(booked: Booked, key: OwnKey, { ask, steps, clock }: Scene): Promise<void> {
  await steps.run('the voucher is mailed', async (seen) => {
    const path = `/api/b2a/bookings/${booked.id}`;
    const look = async (): Promise<unknown> => dataOf('the booking', await ask({ path, as: key.credential }));
    const booking = await eventually(look, (seenNow) => at(seenNow, 'email_sent') === true, MAILED_WITHIN_MS, clock);
    seen.matches('the booking', booking, { email_sent: true });
    const sentAt = textAt(booking, 'email_sent_at');
    seen.holds('email_sent_at is a time', !Number.isNaN(Date.parse(sentAt)), at(booking, 'email_sent_at'));
    seen.fact(`to ${GUEST.email} at ${sentAt}`);
  });
}

/** The mail that the guest got, where it can be looked at: the QR code in it is the voucher's. */
export async function checkMailed(providerId: string, token: string, { steps, outbox }: Scene): Promise<void> {
  const name = 'the mail holds the QR code';
  if (!isInOutbox(providerId)) return steps.leaveOut(name, `a mail server has it, as ${providerId}`);
  if (outbox === null) return steps.leaveOut(name, 'the outbox of this service is on another machine');
  await steps.run(name, async (seen) => {
    const mail = outbox.mail(providerId);
    if (mail === null) throw new Broken('the outbox', `the mail ${providerId}`, 'none of that name');
    const messageId = headerOf(mail, 'Message-ID');
    seen.holds('it has a Message-ID', /^<[^<>\s]+@[^<>\s]+>$/.test(messageId ?? ''), messageId);
    seen.holds('it is to the guest', headerOf(mail, 'To')?.includes(GUEST.email) ?? false, headerOf(mail, 'To'));
    const image = imageOf(mail);
    if (image === null) throw new Broken('the mail', 'an image/png part', headerOf(mail, 'Content-Type'));
    seen.holds('its QR code is the voucher’s', readQrCode(image) === token, `${image.length} bytes of image`);
    seen.fact(messageId ?? '');
  });
}

/** The parser of this answer: what `checkVoucherToken` needs of it. */
function isKeys(body: unknown): body is PublishedKeys {
  const keys = at(body, 'keys');
  return Array.isArray(keys) && keys.every((key) => textAt(key, 'kid') !== '' && textAt(key, 'x') !== '');
}
