import { cityFacts } from '../domain/activity/cities.ts';
import type { Currency } from '../domain/activity/money.ts';
import type { VoucherDetails } from './details.ts';
import { html, type Markup } from './html.ts';
import { LABELS, type VoucherLabels } from './labels.ts';
import { MAIL_TEXTS, type MailTexts } from './mail-texts.ts';
import { dayText, momentText, priceText } from './moments.ts';
import { isolated, oneLine, unjoined } from './plain-text.ts';

/** What the voucher's mail says. */
export type VoucherMailView = VoucherDetails & {
  readonly bookingId: string;
  readonly totalMinor: number;
  /** What was taken off before; 0 for nothing. */
  readonly discountMinor: number;
  readonly currency: Currency;
  /** The printable page. */
  readonly pageUrl: string;
  /** Under which the QR code's picture comes with the mail. */
  readonly contentId: string;
};

export type VoucherMailTexts = { readonly subject: string; readonly text: string; readonly html: string };

type Words = VoucherLabels & MailTexts;
type Row = { readonly label: string; readonly value: string; readonly also?: string; readonly guests?: boolean };

/** Shown at half of its pixels, so that it stays sharp on a phone. */
const PICTURE_PX = 225;
/** For a name of characters that show nothing. */
const NAMELESS = '–';

/** The voucher's mail in the guest's language: a plain text that stands for itself, and the same with the QR code. */
export function voucherMail(given: VoucherMailView): VoucherMailTexts {
  const view = { ...given, guestName: oneLine(given.guestName) || NAMELESS };
  const words = { ...LABELS[view.language], ...MAIL_TEXTS[view.language] };
  const rows = rowsOf(view, words).filter(({ value }) => value !== '');
  const subject = words.subject(view.activityTitle, dayText(words, view.date, 'medium'));
  return {
    subject: unjoined(oneLine(subject)),
    text: unjoined(textPart(view, words, rows)),
    html: htmlPart(view, words, rows),
  };
}

function rowsOf(view: VoucherMailView, words: Words): readonly Row[] {
  const { clock, zone } = momentText(words, cityFacts(view.city).timeZone, view.validUntilMs);
  const children = view.numChildren === 0 ? [] : [words.children(view.numChildren)];
  return [
    { label: words.date, value: dayText(words, view.date) },
    { label: words.openingHours, value: view.openingHours.replace('-', '–') },
    { label: words.guests, value: [words.adults(view.numAdults), ...children].join(words.listSeparator) },
    { label: words.guest, value: view.guestName, guests: true },
    { label: words.venue, value: view.venueName, also: view.venueAddress },
    { label: words.checkIn, value: view.checkIn },
    { label: words.total, value: priceText(words, view.totalMinor, view.currency) },
    ...(view.discountMinor === 0
      ? []
      : [{ label: words.discount, value: priceText(words, view.discountMinor, view.currency) }]),
    { label: words.validUntil, value: clock, also: zone },
    { label: words.code, value: view.code },
    { label: words.booking, value: view.bookingId },
  ];
}

function textPart(view: VoucherMailView, words: Words, rows: readonly Row[]): string {
  const line = ({ label, value, also = '', guests }: Row): string =>
    [`${label}${words.colon}${guests ? isolated(value) : value}`, ...(also === '' ? [] : [also])].join('\n');
  return [
    words.greeting(isolated(view.guestName)),
    words.confirmed,
    [view.activityTitle, ...rows.map(line)].join('\n'),
    `${words.open}${words.colon.trimEnd()}\n${view.pageUrl}`,
    words.noPicture,
    words.typeCode,
    words.keepPrivate,
    `${words.automatic}\nWaymark`,
  ].join('\n\n');
}

function htmlPart(view: VoucherMailView, words: Words, rows: readonly Row[]): string {
  const soft = 'color:#4b5957;font-size:14px';
  // The name is markup here, and the greeting a text: taken apart around a mark that no greeting holds.
  const [before = '', after = ''] = words.greeting('\n').split('\n');
  return html`<!doctype html>
<html lang="${view.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${view.activityTitle} · ${words.voucher} · Waymark</title>
</head>
<body style="margin:0;padding:16px;background:#fff;color:#14201f;font:16px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif">
<div style="max-width:600px;margin:0 auto">
<p>${before}<bdi>${view.guestName}</bdi>${after}</p>
<p>${words.confirmed}</p>
<h1 style="font-size:22px;line-height:1.25">${view.activityTitle}</h1>
<p style="text-align:center"><img src="cid:${view.contentId}" width="${PICTURE_PX}" height="${PICTURE_PX}" alt="${words.qrCode}" style="display:inline-block;background:#fff"><br><strong>${words.show}</strong></p>
<table role="presentation" style="width:100%;border-collapse:collapse">
${rows.map(tableRow)}
</table>
<p><a href="${view.pageUrl}" style="color:#0b5a55">${words.open}</a></p>
<p style="${soft}">${words.noPicture}<br>${words.typeCode}<br>${words.keepPrivate}</p>
<p style="${soft}">${words.automatic}<br>Waymark</p>
</div>
</body>
</html>
`.toString();
}

function tableRow({ label, value, also = '', guests }: Row): Markup {
  const shown = guests ? html`<bdi>${value}</bdi>` : html`${value}`;
  const below = also === '' ? [] : html`<br><small style="color:#4b5957">${also}</small>`;
  return html`<tr><td style="padding:6px 12px 6px 0;vertical-align:top;color:#4b5957">${label}</td><td style="padding:6px 0;vertical-align:top;white-space:pre-line">${shown}${below}</td></tr>
`;
}
