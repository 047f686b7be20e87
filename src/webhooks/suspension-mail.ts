import type { EndpointFacts } from '../domain/endpoint/endpoint.ts';
import { DAY_MS } from '../eventsourcing/durations.ts';
import { html } from '../vouchers/html.ts';

/** Content of a suspension mail. Times are ISO 8601 UTC. */
export type SuspensionView = {
  readonly facts: EndpointFacts;
  readonly keyName: string;
  /** The public prefix of the key. */
  readonly keyPrefix: string;
  readonly failingSince: string;
  readonly suspendedSince: string;
  /** Error of the last attempt. */
  readonly error: string;
  /** Days during which events can be sent again. */
  readonly logDays: number;
  /** Without a trailing slash. */
  readonly publicUrl: string;
};

type SuspensionTexts = { readonly subject: string; readonly text: string; readonly html: string };

/**
 * The mail to a key's contact: what failed, since when, and what to do. Contains only the host of the receiver's URL.
 */
export function suspensionMail(view: SuspensionView): SuspensionTexts {
  const { facts, keyName, keyPrefix, publicUrl, logDays, error } = view;
  const host = URL.parse(facts.origin)?.host ?? facts.origin;
  const paragraphs = [
    'Hello,',
    `Waymark has stopped sending webhooks to ${host}, ${ownerOf(facts)} the API key "${keyName}" (${keyPrefix}).`,
    `Every attempt has failed since ${moment(view.failingSince)}; the last error: ${error}. The receiver has been suspended since ${moment(view.suspendedSince)}.`,
    `Nothing is lost: the delivery log lists new events as failed, and they can be sent again for ${logDays} days.`,
  ];
  const steps = [
    `Fix the receiver. POST ${publicUrl}/api/webhooks/test with {"event_type": "booking_confirmed", "webhook_url": "…"} sends it an example.`,
    `POST ${publicUrl}/api/webhooks/enable with ${enableBody(facts)} ends the suspension.`,
    `POST ${publicUrl}/api/webhooks/recover with {"since": "${recoverSince(view)}"} sends the failed events, oldest first.`,
  ];
  const end = [
    'All three requests need the API key in the header x-api-key.',
    'This mail was sent automatically.\nWaymark',
  ];
  const numbered = steps.map((step, at) => `${at + 1}. ${step}`).join('\n');
  return {
    // Without the host, which a caller chose.
    subject: `Webhooks of the API key ${keyPrefix} are suspended`,
    text: [...paragraphs, `What to do:\n${numbered}`, ...end].join('\n\n'),
    html: html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Webhooks are suspended · Waymark</title>
</head>
<body style="margin:0;padding:16px;background:#fff;color:#14201f;font:16px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif">
<div style="max-width:600px;margin:0 auto">
${paragraphs.map((paragraph) => html`<p>${paragraph}</p>\n`)}
<p>What to do:</p>
<ol>
${steps.map((step) => html`<li>${step}</li>\n`)}
</ol>
${end.map((paragraph) => html`<p style="white-space:pre-line">${paragraph}</p>\n`)}
</div>
</body>
</html>
`.toString(),
  };
}

/**
 * `since` of a recovery is compared with the time a delivery was scheduled, up to a day before its attempts fail;
 * longer if the receiver's Retry-After asked for it.
 */
function recoverSince({ failingSince }: SuspensionView): string {
  return new Date(Date.parse(failingSince) - DAY_MS).toISOString();
}

function ownerOf({ kind }: EndpointFacts): string {
  return kind === 'key' ? 'the receiver of' : 'a receiver that bookings name, made with';
}

function enableBody({ kind, origin }: EndpointFacts): string {
  return kind === 'key' ? 'an empty body' : `{"webhook_url": "${origin}"}`;
}

/** To the minute. */
function moment(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}
