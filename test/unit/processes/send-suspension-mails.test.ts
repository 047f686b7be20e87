import { test } from 'bun:test';
import type { EndpointEvent } from '../../../src/domain/endpoint/endpoint.ts';
import { sendSuspensionMails } from '../../../src/processes/send-suspension-mails/process-manager.ts';
import { endpointId, keyId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';

const NOW_MS = Date.parse('2026-11-26T03:00:00Z');
const AT = '2026-11-26T03:00:00.000Z';
const FACTS = { keyId: keyId('key_1'), kind: 'key', origin: 'https://agent.example' } as const;
const MAIL = { type: 'MailSuspension', endpoint: endpointId('ep_1') } as const;

/** The log of one test: events of the endpoint `ep_1`. */
function happenings() {
  const record = recorder();
  const recorded = (event: EndpointEvent) => record<EndpointEvent>('endpoint-ep_1', event);
  const mail = { issue: 1, messageId: '<ep_1.1@waymark.example>', at: AT };
  return {
    failing: () => recorded({ type: 'EndpointFailing', data: { ...FACTS, since: AT } }),
    recovered: () => recorded({ type: 'EndpointRecovered', data: { at: AT } }),
    suspended: () =>
      recorded({
        type: 'EndpointSuspended',
        data: { ...FACTS, failingSince: AT, error: 'answered 500', issue: 1, at: AT },
      }),
    enabled: () => recorded({ type: 'EndpointEnabled', data: { at: AT } }),
    mailed: () => recorded({ type: 'SuspensionMailed', data: { ...mail, providerId: null } }),
    failed: (retryAtMs: number | null) =>
      recorded({ type: 'SuspensionMailFailed', data: { ...mail, attempt: 1, reason: 'RCPT TO 450', retryAtMs } }),
  };
}

test('only a suspension is mailed, at once', () => {
  const { failing, recovered, suspended } = happenings();
  givenEvents(sendSuspensionMails, failing(), recovered()).thenDue(NOW_MS, []).thenOldestOpen(null);
  givenEvents(sendSuspensionMails, suspended()).thenDue(0, [MAIL]).thenOldestOpen(positionAt(3));
});

test('a failed mail is due again at its retry time, until the last attempt', () => {
  const { suspended, failed } = happenings();
  const [first, later, last] = [suspended(), failed(NOW_MS), failed(null)];
  givenEvents(sendSuspensionMails, first, later)
    .thenDue(NOW_MS - 1, [])
    .thenDue(NOW_MS, [MAIL]);
  givenEvents(sendSuspensionMails, first, later, last).thenDue(NOW_MS, []).thenOldestOpen(null);
});

test('no mail is pending once it was sent, or the suspension ended', () => {
  const { suspended, mailed, enabled } = happenings();
  const [first, sent, ended] = [suspended(), mailed(), enabled()];
  givenEvents(sendSuspensionMails, first, sent).thenDue(NOW_MS, []).thenOldestOpen(null);
  givenEvents(sendSuspensionMails, first, ended).thenDue(NOW_MS, []).thenOldestOpen(null);
});
