import { expect, test } from 'bun:test';
import { type SuspensionView, suspensionMail } from '../../../src/webhooks/suspension-mail.ts';
import { keyId } from '../../support/examples.ts';

const VIEW: SuspensionView = {
  facts: { keyId: keyId('key_1'), kind: 'key', origin: 'https://agent.example:8443' },
  keyName: 'Trip <planner>',
  keyPrefix: 'pk_9c41d7',
  failingSince: '2026-11-21T03:00:00.500Z',
  suspendedSince: '2026-11-26T04:13:40.000Z',
  error: 'answered 503',
  logDays: 90,
  publicUrl: 'https://waymark.example',
};

test('the mail says what failed since when, and what to do', () => {
  const { subject, text } = suspensionMail(VIEW);
  expect(subject).toBe('Webhooks of the API key pk_9c41d7 are suspended');
  expect(text).toBe(`Hello,

Waymark has stopped sending webhooks to agent.example:8443, the receiver of the API key "Trip <planner>" (pk_9c41d7).

Every attempt has failed since 2026-11-21 03:00 UTC; the last error: answered 503. The receiver has been suspended since 2026-11-26 04:13 UTC.

Nothing is lost: the delivery log lists new events as failed, and they can be sent again for 90 days.

What to do:
1. Fix the receiver. POST https://waymark.example/api/webhooks/test with {"event_type": "booking_confirmed", "webhook_url": "…"} sends it an example.
2. POST https://waymark.example/api/webhooks/enable with an empty body ends the suspension.
3. POST https://waymark.example/api/webhooks/recover with {"since": "2026-11-20T03:00:00.500Z"} sends the failed events, oldest first.

All three requests need the API key in the header x-api-key.

This mail was sent automatically.
Waymark`);
});

test('the mail about a booking’s own receiver says how to enable it', () => {
  const { text } = suspensionMail({ ...VIEW, facts: { ...VIEW.facts, kind: 'booking' } });
  expect(text).toContain('agent.example:8443, a receiver that bookings name, made with the API key "Trip <planner>"');
  expect(text).toContain('/api/webhooks/enable with {"webhook_url": "https://agent.example:8443"} ends');
});

test('the HTML part has the same text, and escapes names', () => {
  const { html } = suspensionMail(VIEW);
  expect(html).toContain('the API key &quot;Trip &lt;planner&gt;&quot; (pk_9c41d7).</p>');
  expect(html).toContain(
    '<li>POST https://waymark.example/api/webhooks/enable with an empty body ends the suspension.</li>',
  );
});
