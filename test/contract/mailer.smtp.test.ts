import { describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { readSmtpUrl, type SmtpServer } from '../../src/adapters/smtp/server.ts';
import { providerIdOf, smtpMailer } from '../../src/adapters/smtp/smtp-mailer.ts';
import type { Mailer } from '../../src/ports/mailer.ts';
import { LOCALHOST } from '../support/localhost-certificate.ts';
import { SmtpPeer } from '../support/smtp-peer.ts';
import { aMail } from './mailer/scene.ts';
import { mailerContract } from './mailer.suite.ts';

const ATTEMPT_MS = 20_000;
const NEVER = 'a1b2c3 secret';

function serverOf(url: string, change: Partial<SmtpServer> = {}): SmtpServer {
  const read = readSmtpUrl(url);
  if (read.kind === 'fault') throw new Error(read.rule);
  return { ...read.server, ...change };
}

function mailerTo({ url }: Pick<SmtpPeer, 'url'>, change: Partial<SmtpServer> = {}, ca: string | null = null): Mailer {
  return smtpMailer({ server: serverOf(url, change), ca, connections: 4, attemptMs: ATTEMPT_MS });
}

mailerContract('SMTP', async () => {
  const peer = await SmtpPeer.listen();
  const mailer = mailerTo(peer);
  return {
    mailer,
    arrived: async () => peer.arrived,
    async [Symbol.asyncDispose]() {
      await mailer.close();
      await peer.close();
    },
  };
});

describe('encryption', () => {
  test.each([
    ['a server on this machine that offers it, with any certificate', {}, {}, null],
    ['a server whose certificate is trusted by SMTP_CA', {}, { tls: 'required', verified: true }, LOCALHOST.cert],
    ['smtps, from the start', { secure: true }, { verified: true }, LOCALHOST.cert],
  ] as const)('is used with %s', async (_, options, change, ca) => {
    await using peer = await SmtpPeer.listen(options);
    const mailer = mailerTo(peer, change, ca);
    expect(await mailer.send(aMail())).toMatchObject({ kind: 'accepted' });
    expect(peer.arrived.map(({ encrypted }) => encrypted)).toEqual([true]);
    await mailer.close();
  });

  test.each([
    ['does not offer it', { disabledCommands: ['STARTTLS'] }, { tls: 'required' }],
    ['has an untrusted certificate', {}, { tls: 'required', verified: true }],
    ['has an untrusted certificate, and STARTTLS is optional', {}, { tls: 'offered', verified: true }],
    ['has an untrusted certificate and smtps', { secure: true }, { verified: true }],
  ] as const)(
    'that is required but impossible sends nothing, not even a password: the server %s',
    async (_, options, change) => {
      await using peer = await SmtpPeer.listen({ ...options, user: 'waymark', password: NEVER });
      const mailer = mailerTo(peer, change);
      expect(await mailer.send(aMail())).toMatchObject({ kind: 'failed', permanent: false });
      expect(peer.arrived).toEqual([]);
      await mailer.close();
    },
  );

  test('is omitted on this machine if the server does not offer it', async () => {
    await using peer = await SmtpPeer.listen({ disabledCommands: ['STARTTLS'] });
    const mailer = mailerTo(peer);
    expect(await mailer.send(aMail())).toMatchObject({ kind: 'accepted' });
    expect(peer.arrived.map(({ encrypted }) => encrypted)).toEqual([false]);
    await mailer.close();
  });
});

describe('a login', () => {
  test('uses user and password of the URL, with every character', async () => {
    await using peer = await SmtpPeer.listen({ user: 'way@mark', password: 'p:/?#@% ü' });
    const mailer = mailerTo(peer);
    expect(await mailer.send(aMail())).toMatchObject({ kind: 'accepted' });
    expect(peer.arrived.map(({ user }) => user)).toEqual(['way@mark']);
    await mailer.close();
  });

  test('that is refused fails the mail temporarily, without a secret in the reason', async () => {
    await using peer = await SmtpPeer.listen({ user: 'waymark', password: 'right' });
    const mailer = mailerTo(peer, { auth: { user: 'waymark', password: NEVER } });
    const outcome = await mailer.send(aMail());
    expect(outcome).toEqual({ kind: 'failed', reason: 'AUTH PLAIN 535', permanent: false });
    expect(JSON.stringify(outcome)).not.toContain(NEVER);
    await mailer.close();
  });
});

describe('a server that', () => {
  test.each([
    ['defers the recipient', 'recipientReplies', 450, 'RCPT TO 450', false],
    ['refuses the recipient', 'recipientReplies', 550, 'RCPT TO 550', true],
    ['defers the mail', 'mailReplies', 451, 'DATA 451', false],
    ['refuses the mail', 'mailReplies', 554, 'DATA 554', true],
  ] as const)('%s is reported by its code, without the address', async (_, replies, code, reason, permanent) => {
    await using peer = await SmtpPeer.listen();
    peer[replies].push(code);
    const mailer = mailerTo(peer);
    expect(await mailer.send(aMail())).toEqual({ kind: 'failed', reason, permanent });
    expect(await mailer.send(aMail())).toMatchObject({ kind: 'accepted' });
    expect(peer.arrived).toHaveLength(1);
    await mailer.close();
  });

  test('closes the connection within the mail has not accepted it', async () => {
    await using peer = await SmtpPeer.listen();
    peer.mailReplies.push('hang-up');
    const mailer = mailerTo(peer);
    expect(await mailer.send(aMail())).toMatchObject({ kind: 'failed', permanent: false });
    expect(peer.arrived).toEqual([]);
    expect(await mailer.send(aMail())).toMatchObject({ kind: 'accepted' });
    await mailer.close();
  });

  test('has closed an idle connection gets the mail over another one', async () => {
    await using peer = await SmtpPeer.listen();
    const mailer = mailerTo(peer);
    await mailer.send(aMail());
    peer.hangUp();
    expect(await mailer.send(aMail())).toMatchObject({ kind: 'accepted' });
    expect(peer.connections).toBe(2);
    await mailer.close();
  });

  test('gets many mails gets them over few connections', async () => {
    await using peer = await SmtpPeer.listen();
    const mailer = mailerTo(peer);
    await Promise.all(Array.from({ length: 40 }, () => mailer.send(aMail())));
    expect(peer.connections).toBeLessThanOrEqual(4);
    await mailer.close();
  });

  test('is unavailable has not accepted the mail', async () => {
    const peer = await SmtpPeer.listen();
    const { url } = peer;
    await peer.close();
    const mailer = mailerTo({ url });
    expect(await mailer.send(aMail())).toEqual({ kind: 'failed', reason: 'ECONNREFUSED', permanent: false });
    await mailer.close();
  });

  test('stops answering fails the attempt at its deadline', async () => {
    await using peer = await SmtpPeer.listen();
    peer.mailReplies.push('silence');
    const mailer = smtpMailer({ server: serverOf(peer.url), ca: null, connections: 1, attemptMs: 100 });
    expect(await mailer.send(aMail())).toMatchObject({ kind: 'failed', permanent: false });
    await mailer.close();
  });

  test('never greets does not delay `close`', async () => {
    const mute = createServer(() => {});
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const address = mute.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const mailer = smtpMailer({
      server: serverOf(`smtp://127.0.0.1:${port}`),
      ca: null,
      connections: 1,
      attemptMs: 100,
    });
    const outcomes = [mailer.send(aMail()), mailer.send(aMail())];
    await mailer.close();
    expect(await Promise.all(outcomes)).toMatchObject([{ kind: 'failed' }, { kind: 'failed' }]);
    mute.close();
  });
});

describe('the id that a server assigns to the mail', () => {
  test.each([
    ['250 2.0.0 Ok: queued as 4XyZ1A2b3C', '4XyZ1A2b3C'],
    ['250 OK id=1rABcd-0001Ab-2c', '1rABcd-0001Ab-2c'],
    ['250 Ok 0100018b5c3c0a4f-1b2c3d4e-0000', '0100018b5c3c0a4f-1b2c3d4e-0000'],
    ['250 2.0.0 OK <PS1@APCPR01.prod.outlook.com> [Hostname=x]', '<PS1@APCPR01.prod.outlook.com>'],
    ['250 2.0.0 OK  1700000000 d9443c01a7336-1ce5sm - gsmtp', null],
    ['250 OK', null],
    ['250 Message accepted for delivery', null],
    ['', null],
  ])('in %p is %p', (response, id) => {
    expect(providerIdOf(response)).toBe(id);
  });
});
