import { describe, expect, test } from 'bun:test';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { sendInWorker } from '../../../src/app/mail-sender.ts';
import type { MailRoute } from '../../../src/app/mailer.ts';
import type { MailOutcome } from '../../../src/ports/mailer.ts';
import type { OutgoingMail } from '../../../src/vouchers/outgoing-mail.ts';
import { aMail } from '../../contract/mailer/scene.ts';
import { collectedLog } from '../../support/log.ts';
import { mailsIn } from '../../support/mails.ts';
import { SmtpPeer } from '../../support/smtp-peer.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const QR = { contentId: 'qr.1@waymark.localhost', fileName: 'voucher-qr.png', text: 'WM1.A.TOKEN' };
const MAX_IN_WORKER = 256;

function mail(n = 1): OutgoingMail {
  const { images: _images, ...plain } = aMail({ messageId: `<bk_${n}.1@waymark.localhost>` });
  return { ...plain, qr: QR };
}

const toOutbox = (outbox: string): MailRoute => ({ server: null, ca: null, connections: 2, outbox });
const toPort = (port: number): MailRoute => ({
  server: { host: '127.0.0.1', port, tls: 'offered', verified: false, auth: null },
  ca: null,
  connections: 8,
  outbox: '',
});
const failure = (reason: string): MailOutcome => ({ kind: 'failed', reason, permanent: false });

describe('the thread that sends mails', () => {
  test('sends many mails at the same time', async () => {
    using directory = temporaryDirectory();
    const sender = sendInWorker(toOutbox(directory.path), collectedLog());
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => sender.send(mail(n))));
    expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => 'accepted'));
    expect(mailsIn(directory.path)).toHaveLength(20);
    await sender.close();
  });

  test('answers its mails as failed when it dies; the next mail starts another thread', async () => {
    using directory = temporaryDirectory();
    const log = collectedLog();
    const outbox = directory.file('outbox');
    // A thread that cannot open its outbox dies of it.
    writeFileSync(outbox, 'in the way');
    const sender = sendInWorker(toOutbox(outbox), log);
    const outcomes = await Promise.all([sender.send(mail(1)), sender.send(mail(2))]);
    expect(outcomes).toEqual([failure('mail thread lost'), failure('mail thread lost')]);
    expect(log.lines).toMatchObject([{ level: 'error', happening: 'mail thread lost', facts: { mails: 2 } }]);
    rmSync(outbox);
    mkdirSync(outbox);
    expect(await sender.send(mail(1))).toMatchObject({ kind: 'accepted' });
    expect(mailsIn(outbox)).toHaveLength(1);
    await sender.close();
  });

  test('refuses a mail above its maximum, and accepts mails again later', async () => {
    await using peer = await SmtpPeer.listen();
    peer.mailReplies.push(...Array.from({ length: 8 }, () => 'silence' as const));
    const sender = sendInWorker(toPort(peer.port), collectedLog());
    const taken = Array.from({ length: MAX_IN_WORKER }, (_, n) => sender.send(mail(n)));
    expect(await sender.send(mail())).toEqual(failure('mail thread full'));
    await peer.silences(8);
    peer.speak();
    expect(new Set((await Promise.all(taken)).map(({ kind }) => kind))).toEqual(new Set(['accepted']));
    expect(await sender.send(mail())).toMatchObject({ kind: 'accepted' });
    await sender.close();
  });

  test('abandons attempts that do not end at a close, and accepts nothing afterwards', async () => {
    const mute = createServer(() => {});
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const address = mute.address();
    const sender = sendInWorker(toPort(typeof address === 'object' ? (address?.port ?? 0) : 0), collectedLog());
    const under = sender.send(mail());
    await sender.close();
    expect((await under).kind).toBe('failed');
    expect(await sender.send(mail())).toEqual(failure('stopping'));
    mute.close();
  });

  test('does not start before the first mail', async () => {
    const log = collectedLog();
    const sender = sendInWorker(toOutbox('/nowhere'), log);
    await sender.close();
    expect(log.lines).toEqual([]);
  });
});
