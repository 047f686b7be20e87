import { test } from 'bun:test';
import type { EndpointEvent } from '../../../src/domain/endpoint/endpoint.ts';
import { suspensionMailer } from '../../../src/domain/endpoint/suspension-mailer.ts';
import { endpointId, keyId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';

const NOW_MS = Date.parse('2026-11-26T03:00:00Z');
const AT = '2026-11-26T03:00:00.000Z';
const FACTS = { keyId: keyId('key_1'), kind: 'key', origin: 'https://agent.example' } as const;
const MAIL = { type: 'MailSuspension', endpoint: endpointId('ep_1') } as const;

/** The log of one test: what happens to the receiver `ep_1`. */
function happenings() {
  const record = recorder();
  const told = (event: EndpointEvent) => record<EndpointEvent>('endpoint-ep_1', event);
  const mail = { issue: 1, messageId: '<ep_1.1@waymark.example>', at: AT };
  return {
    failing: () => told({ type: 'EndpointFailing', data: { ...FACTS, since: AT } }),
    recovered: () => told({ type: 'EndpointRecovered', data: { at: AT } }),
    suspended: () =>
      told({
        type: 'EndpointSuspended',
        data: { ...FACTS, failingSince: AT, error: 'answered 500', issue: 1, at: AT },
      }),
    enabled: () => told({ type: 'EndpointEnabled', data: { at: AT } }),
    mailed: () => told({ type: 'SuspensionMailed', data: { ...mail, providerId: null } }),
    failed: (retryAtMs: number | null) =>
      told({ type: 'SuspensionMailFailed', data: { ...mail, attempt: 1, reason: 'RCPT TO 450', retryAtMs } }),
  };
}

test('a suspension is owed its mail at once, and nothing else is', () => {
  const { failing, recovered, suspended } = happenings();
  givenEvents(suspensionMailer, failing(), recovered()).thenDue(NOW_MS, []).thenOldestOpen(null);
  givenEvents(suspensionMailer, suspended()).thenDue(0, [MAIL]).thenOldestOpen(positionAt(3));
});

test('a mail that failed is owed again when its time has come, until it is given up', () => {
  const { suspended, failed } = happenings();
  const [begun, later, last] = [suspended(), failed(NOW_MS), failed(null)];
  givenEvents(suspensionMailer, begun, later)
    .thenDue(NOW_MS - 1, [])
    .thenDue(NOW_MS, [MAIL]);
  givenEvents(suspensionMailer, begun, later, last).thenDue(NOW_MS, []).thenOldestOpen(null);
});

test('none is owed any more once it was mailed, or the suspension was ended', () => {
  const { suspended, mailed, enabled } = happenings();
  const [begun, sent, ended] = [suspended(), mailed(), enabled()];
  givenEvents(suspensionMailer, begun, sent).thenDue(NOW_MS, []).thenOldestOpen(null);
  givenEvents(suspensionMailer, begun, ended).thenDue(NOW_MS, []).thenOldestOpen(null);
});
