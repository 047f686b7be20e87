import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { KeyFacts } from '../../../src/domain/apikey/apikey.ts';
import type { Mode } from '../../../src/domain/ids.ts';
import type { MailOutcome } from '../../../src/ports/mailer.ts';
import { runSendSuspensionMails } from '../../../src/processes/send-suspension-mails/run.ts';
import type { Running } from '../../../src/runtime/running.ts';
import { endpointId, keyId } from '../../support/examples.ts';
import { seededIds } from '../../support/ids.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { type MailScene, openMailScene } from './mail-scene.ts';

const KEY = keyId('key_4c9a1f70b2de');
const ENDPOINT = endpointId('ep_2m7x0k4q9w1t6c8r3z5v0n7d');
const ACCEPTED: MailOutcome = { kind: 'accepted', providerId: '250 OK' };
const REFUSED: MailOutcome = { kind: 'failed', reason: 'RCPT TO 450', permanent: false };
const MESSAGE_ID = `<${ENDPOINT}.1@waymark.example>`;

let scene: MailScene;
let mails: Running;

beforeEach(() => {
  scene = openMailScene();
});
afterEach(async () => {
  await mails.stop();
  await scene[Symbol.asyncDispose]();
});

async function start(domain = 'waymark.example'): Promise<void> {
  mails = await runSendSuspensionMails({
    webhooks: {
      ...scene,
      ids: seededIds(2),
      webhookLimits: { timeoutMs: 30_000, logDays: 90, suspendDays: 5 },
    },
    config: { from: { name: 'Waymark', address: `no-reply@${domain}` }, connections: 2 },
    publicUrl: () => 'https://waymark.example',
    onFatal: () => {},
    sender: scene.sender,
    mailLimiter: scene.mailLimiter,
  });
}

/** A key, and its receiver that has failed for five days. */
async function suspend(contactEmail: string | null = 'ops@agent.example', mode: Mode = 'live'): Promise<void> {
  const deadlineMs = scene.clock.nowMs() + 60_000;
  const at = '2026-11-21T03:00:00.000Z';
  const facts: KeyFacts = {
    keyId: KEY,
    name: 'Trip\nplanner',
    plan: 'free',
    permissions: [],
    webhookUrl: 'https://agent.example/hooks/t0ken',
    webhookEvents: null,
    ipAllowlist: null,
    contactEmail,
    expiresAt: null,
    hash: 'HASH',
    prefix: 'pk_9c41d7',
    webhookSecret: 'SEALED',
    at,
  };
  await scene.streams.apiKeys.handle(KEY, { type: 'CreateKey', mode, facts }, SOME_CAUSE, deadlineMs);
  const gaveUpAt = '2026-11-26T03:00:00.000Z';
  const report = {
    type: 'ReportAttempts',
    facts: { keyId: KEY, kind: 'key', origin: 'https://agent.example' },
    report: { succeededAt: null, failures: { firstAt: at, lastAt: gaveUpAt, gaveUpAt, error: 'answered 503' } },
    suspendAfterMs: 1,
    at: gaveUpAt,
  } as const;
  expect(await scene.streams.endpoints.handle(ENDPOINT, report, SOME_CAUSE, deadlineMs)).toMatchObject({
    kind: 'accepted',
  });
}

const recordedAt = () => new Date(scene.clock.nowMs()).toISOString();

describe('the mail about a suspension', () => {
  test("goes to the key's contact, and contains only the host of the URL", async () => {
    await start();
    await suspend();
    const { mail, answer } = await scene.mailNumber(1);
    expect(mail).toMatchObject({
      messageId: MESSAGE_ID,
      from: { name: 'Waymark', address: 'no-reply@waymark.example' },
      to: { name: '', address: 'ops@agent.example' },
      subject: 'Webhooks of the API key pk_9c41d7 are suspended',
      language: 'en',
      dateMs: scene.clock.nowMs(),
      qr: null,
    });
    expect(mail.text).toContain('the API key "Trip planner" (pk_9c41d7)');
    expect(`${mail.text}${mail.html}`).not.toContain('t0ken');
    answer(ACCEPTED);
    const data = { issue: 1, messageId: MESSAGE_ID, providerId: '250 OK', at: recordedAt() };
    expect(await scene.mailEvents(1)).toEqual([{ type: 'SuspensionMailed.v1', data }]);
  });

  test('of a test key says so', async () => {
    await start();
    await suspend('ops@agent.example', 'test');
    const { mail, answer } = await scene.mailNumber(1);
    expect(mail.subject).toBe('[TEST] Webhooks of the API key pk_9c41d7 are suspended');
    answer(ACCEPTED);
  });

  test('is tried again with the same Message-ID, also by a sender of another domain after a restart', async () => {
    await start();
    await suspend();
    (await scene.mailNumber(1)).answer(REFUSED);
    const data = { issue: 1, messageId: MESSAGE_ID, attempt: 1, reason: 'RCPT TO 450', at: recordedAt() };
    expect(await scene.mailEvents(1)).toEqual([
      { type: 'SuspensionMailFailed.v1', data: { ...data, retryAtMs: scene.clock.nowMs() + 10_000 } },
    ]);
    await mails.stop();
    scene.outbox.length = 0;
    await start('tours.example');
    scene.clock.advance(10_000);
    const { mail, answer } = await scene.mailNumber(1);
    expect(mail.messageId).toBe(MESSAGE_ID);
    answer(ACCEPTED);
    expect(await scene.mailEvents(2)).toMatchObject([
      { type: 'SuspensionMailFailed.v1' },
      { type: 'SuspensionMailed.v1' },
    ]);
  });

  test('in flight at a stop is repeated after the start, and not recorded as failed', async () => {
    await start();
    await suspend();
    await scene.mailNumber(1);
    await mails.stop();
    scene.outbox.length = 0;
    await start();
    const { mail, answer } = await scene.mailNumber(1);
    expect(mail.messageId).toBe(MESSAGE_ID);
    answer(ACCEPTED);
    expect(await scene.mailEvents(1)).toMatchObject([{ type: 'SuspensionMailed.v1' }]);
  });

  test('is not sent if the key has no contact; the suspension is logged', async () => {
    await start();
    await suspend(null);
    expect(await scene.mailEvents(1)).toMatchObject([
      { type: 'SuspensionMailFailed.v1', data: { reason: 'no contact address', retryAtMs: null } },
    ]);
    expect(scene.outbox).toEqual([]);
    expect(scene.log.lines.map(({ level, happening }) => `${level} ${happening}`)).toEqual([
      'warn webhook endpoint suspended',
      'warn suspension mail failed',
    ]);
  });
});
