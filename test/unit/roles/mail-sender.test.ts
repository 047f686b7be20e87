import { describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { MailOutcome } from '../../../src/ports/mailer.ts';
import type { Letter, MailRoute } from '../../../src/roles/letters.ts';
import { sendInThread } from '../../../src/roles/mail-sender.ts';
import { aMail } from '../../contract/mailer/scene.ts';
import { collectedLog } from '../../support/log.ts';
import { SmtpPeer } from '../../support/smtp-peer.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const QR = { contentId: 'qr.1@waymark.localhost', fileName: 'voucher-qr.png', token: 'WM1.A.TOKEN' };
const MAX_IN_THREAD = 256;

function letter(n = 1): Letter {
  const { images: _images, ...mail } = aMail({ messageId: `<bk_${n}.1@waymark.localhost>` });
  return { ...mail, qr: QR };
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
  test('sends what it is given, many at once', async () => {
    using directory = temporaryDirectory();
    const sender = sendInThread(toOutbox(directory.path), collectedLog());
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => sender.send(letter(n))));
    expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => 'accepted'));
    expect(readdirSync(directory.path)).toHaveLength(20);
    await sender.close();
  });

  test('answers for what it had when it dies, and is replaced by the next letter', async () => {
    using directory = temporaryDirectory();
    const log = collectedLog();
    const outbox = directory.file('outbox');
    // A thread that cannot open its outbox dies of it.
    writeFileSync(outbox, 'in the way');
    const sender = sendInThread(toOutbox(outbox), log);
    const outcomes = await Promise.all([sender.send(letter(1)), sender.send(letter(2))]);
    expect(outcomes).toEqual([failure('mail thread lost'), failure('mail thread lost')]);
    expect(log.lines).toMatchObject([{ level: 'error', happening: 'mail thread lost', facts: { letters: 2 } }]);
    rmSync(outbox);
    mkdirSync(outbox);
    expect(await sender.send(letter(1))).toMatchObject({ kind: 'accepted' });
    expect(readdirSync(outbox)).toHaveLength(1);
    await sender.close();
  });

  test('takes so many letters and tells the next one that it is full; then it takes letters again', async () => {
    await using peer = await SmtpPeer.listen();
    peer.mailReplies.push(...Array.from({ length: 8 }, () => 'silence' as const));
    const sender = sendInThread(toPort(peer.port), collectedLog());
    const taken = Array.from({ length: MAX_IN_THREAD }, (_, n) => sender.send(letter(n)));
    expect(await sender.send(letter())).toEqual(failure('mail thread full'));
    await peer.silences(8);
    peer.speak();
    expect(new Set((await Promise.all(taken)).map(({ kind }) => kind))).toEqual(new Set(['accepted']));
    expect(await sender.send(letter())).toMatchObject({ kind: 'accepted' });
    await sender.close();
  });

  test('gives up at a close what does not end, and takes nothing afterwards', async () => {
    const mute = createServer(() => {});
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const address = mute.address();
    const sender = sendInThread(toPort(typeof address === 'object' ? (address?.port ?? 0) : 0), collectedLog());
    const under = sender.send(letter());
    await sender.close();
    expect((await under).kind).toBe('failed');
    expect(await sender.send(letter())).toEqual(failure('stopping'));
    mute.close();
  });

  test('that was never needed was never started', async () => {
    const log = collectedLog();
    const sender = sendInThread(toOutbox('/nowhere'), log);
    await sender.close();
    expect(log.lines).toEqual([]);
  });
});
