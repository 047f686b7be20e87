import { WARNING_PERCENT } from '../domain/spending/spending.ts';
import { html } from './html.ts';

/** Content of a mail about a day's spending. Amounts in units of `currency`; times are ISO 8601 UTC. */
type SpendingView = {
  readonly keyName: string;
  /** The public prefix of the key. */
  readonly keyPrefix: string;
  /** The day in UTC. */
  readonly day: string;
  readonly use: number;
  readonly bound: number;
  readonly currency: string;
  readonly resetsAt: string;
  /** Without a trailing slash. */
  readonly publicUrl: string;
};

type SpendingTexts = { readonly subject: string; readonly text: string; readonly html: string };

/** The mail to a key's contact: what the key has spent of its limit, and what happens next. */
export function spendingMail(view: SpendingView): SpendingTexts {
  const { keyName, keyPrefix, day, use, bound, currency, resetsAt, publicUrl } = view;
  const subject = `The API key ${keyPrefix} has used ${WARNING_PERCENT} % of its spending limit of ${day}`;
  const paragraphs = [
    'Hello,',
    `The bookings that the API key "${keyName}" (${keyPrefix}) made on ${day} (UTC) cost ${use} ${currency}. Its limit is ${bound} ${currency} a day.`,
    `A booking that would exceed the limit is refused with SPENDING_LIMIT until ${resetsAt}. Bookings that exist are not affected.`,
    `GET ${publicUrl}/api/keys/self shows the limit and its use. Only the operator of Waymark can change the limit.`,
    'This mail was sent automatically, at most once a day.\nWaymark',
  ];
  return {
    subject,
    text: paragraphs.join('\n\n'),
    html: html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Spending limit · Waymark</title>
</head>
<body style="margin:0;padding:16px;background:#fff;color:#14201f;font:16px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif">
<div style="max-width:600px;margin:0 auto">
${paragraphs.map((paragraph) => html`<p style="white-space:pre-line">${paragraph}</p>\n`)}
</div>
</body>
</html>
`.toString(),
  };
}
