import { cityFacts } from '../domain/activity/cities.ts';
import { shortCodeOf } from '../domain/booking/voucher-code.ts';
import { cancellationText } from './cancellation-texts.ts';
import { type BookedPrice, markedIfTest, type VoucherDetails } from './details.ts';
import { formatDate, formatInstant, formatPrice } from './formats.ts';
import { html } from './html.ts';
import { type ComposedMail, type Row, tableRow } from './mail-layout.ts';
import { MAIL_TEXTS, type MailTexts } from './mail-texts.ts';
import { NOTICE_TEXTS } from './notice-texts.ts';
import { GUEST_TEXTS } from './page-guest-texts.ts';
import { PAGE_TEXTS, type PageTexts } from './page-texts.ts';
import { mailPicture } from './picture-path.ts';
import { bidiIsolated, nameInMail, singleLine, withoutWordJoiners } from './plain-text.ts';
import { supportLines } from './support.ts';

export type VoucherMailView = VoucherDetails &
  BookedPrice & {
    readonly bookingId: string;
    /** The voucher replaces an earlier one, whose QR code says the old date or guests. */
    readonly changed: boolean;
    /** A mail address or URL where guests ask for help; null: none. */
    readonly support: string | null;
    /** URL of the activity's picture. */
    readonly pictureUrl: string;
    /** URL of the printable page. */
    readonly pageUrl: string;
    /** Content-ID of the attached QR code image. */
    readonly contentId: string;
  };

type AllTexts = PageTexts & MailTexts;

/** Half of the image's width in pixels, so that it is sharp on a high-density screen. */
const PICTURE_PX = 225;
/** Replaces a name without visible characters. */
const NO_NAME = '–';

/** The voucher mail in the guest's language: a complete plain text part, and an HTML part with the QR code. */
export function voucherMail(given: VoucherMailView): ComposedMail {
  const activityTitle = markedIfTest(given.activityTitle, given);
  const view = { ...given, activityTitle, guestName: nameInMail(given.guestName) || NO_NAME };
  const texts = textsOf(view);
  const rows = rowsOf(view, texts).filter(({ value }) => value !== '');
  const subject = markedIfTest(texts.subject(given.activityTitle, formatDate(texts, view.date, 'medium')), view);
  return {
    subject: withoutWordJoiners(singleLine(subject)),
    text: withoutWordJoiners(textPart(view, texts, rows)),
    html: htmlPart(view, texts, rows),
  };
}

/** The heading and the subject of a changed voucher replace those of the first one. */
function textsOf({ language, changed }: VoucherMailView): AllTexts {
  const texts = { ...PAGE_TEXTS[language], ...MAIL_TEXTS[language] };
  if (!changed) return texts;
  const { subject, heading } = NOTICE_TEXTS[language].voucherChanged;
  return { ...texts, subject, confirmed: heading };
}

function rowsOf(view: VoucherMailView, texts: AllTexts): readonly Row[] {
  const { clock, zone } = formatInstant(texts, cityFacts(view.city).timeZone, view.validUntilMs);
  const children = view.numChildren === 0 ? [] : [texts.children(view.numChildren)];
  return [
    { label: texts.date, value: formatDate(texts, view.date) },
    { label: texts.openingHours, value: view.openingHours.replace('-', '–') },
    { label: texts.guests, value: [texts.adults(view.numAdults), ...children].join(texts.listSeparator) },
    { label: texts.guest, value: view.guestName, guests: true },
    { label: texts.venue, value: view.venueName, also: view.venueAddress },
    { label: texts.checkIn, value: view.checkIn },
    { label: texts.total, value: formatPrice(texts, view.totalMinor, view.currency) },
    ...(view.discountMinor === 0
      ? []
      : [{ label: texts.discount, value: formatPrice(texts, view.discountMinor, view.currency) }]),
    { label: texts.cancellation, value: cancellationText(view.cancellation, view.language) },
    ...(view.retainedMinor === 0
      ? []
      : [{ label: texts.retained, value: formatPrice(texts, view.retainedMinor, view.currency) }]),
    { label: texts.validUntil, value: clock, also: zone },
    { label: GUEST_TEXTS[view.language].shortCode, value: shortCodeInGroups(view.code) },
    { label: texts.code, value: view.code },
    { label: texts.booking, value: view.bookingId },
  ];
}

function shortCodeInGroups(code: string): string {
  const short = shortCodeOf(code);
  return short === null ? '' : `${short.slice(0, 5)} ${short.slice(5)}`;
}

function textPart(view: VoucherMailView, texts: AllTexts, rows: readonly Row[]): string {
  const line = ({ label, value, also = '', guests }: Row): string =>
    [`${label}${texts.colon}${guests ? bidiIsolated(value) : value}`, ...(also === '' ? [] : [also])].join('\n');
  return [
    texts.greeting(bidiIsolated(view.guestName)),
    texts.confirmed,
    [view.activityTitle, ...rows.map(line)].join('\n'),
    `${texts.open}${texts.colon.trimEnd()}\n${view.pageUrl}`,
    texts.noPicture,
    texts.typeCode,
    texts.keepPrivate,
    ...supportLines(view.support, view.language),
    `${texts.automatic}\nWaymark`,
  ].join('\n\n');
}

function htmlPart(view: VoucherMailView, texts: AllTexts, rows: readonly Row[]): string {
  const soft = 'color:#4b5957;font-size:14px';
  // The greeting is plain text, but the name is markup: split the greeting at a line break, which no greeting contains.
  const [before = '', after = ''] = texts.greeting('\n').split('\n');
  return html`<!doctype html>
<html lang="${view.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${view.activityTitle} · ${texts.voucher} · Waymark</title>
</head>
<body style="margin:0;padding:16px;background:#fff;color:#14201f;font:16px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif">
<div style="max-width:600px;margin:0 auto">
<p>${before}<bdi>${view.guestName}</bdi>${after}</p>
<p>${texts.confirmed}</p>
<h1 style="font-size:22px;line-height:1.25">${view.activityTitle}</h1>
<p style="text-align:center"><img src="cid:${view.contentId}" width="${PICTURE_PX}" height="${PICTURE_PX}" alt="${texts.qrCode}" style="display:inline-block;background:#fff"><br><strong>${texts.show}</strong></p>
<table role="presentation" style="width:100%;border-collapse:collapse">
${rows.map(tableRow)}
</table>
${mailPicture(view.pictureUrl)}<p><a href="${view.pageUrl}" style="color:#0b5a55">${texts.open}</a></p>
<p style="${soft}">${texts.noPicture}<br>${texts.typeCode}<br>${texts.keepPrivate}</p>
${supportLines(view.support, view.language).map(
  (line) => html`<p style="${soft}">${line}</p>
`,
)}<p style="${soft}">${texts.automatic}<br>Waymark</p>
</div>
</body>
</html>
`.toString();
}
