import { createHash } from 'node:crypto';
import { cityFacts } from '../domain/activity/cities.ts';
import { markedIfTest, type VoucherDetails } from './details.ts';
import { formatDate, formatInstant } from './formats.ts';
import { html, type Markup, markup } from './html.ts';
import { PAGE_STYLE } from './page-style.ts';
import { PAGE_TEXTS, type PageTexts } from './page-texts.ts';
import { qrSvg } from './qr.ts';

/** Whether the voucher is valid for entry. Only a valid voucher has a QR code. Times in ms since the epoch. */
export type VoucherState =
  | { readonly kind: 'valid'; readonly qrText: string }
  | { readonly kind: 'used'; readonly atMs: number }
  | { readonly kind: 'cancelled'; readonly atMs: number }
  | { readonly kind: 'expired' };

export type VoucherView = Omit<VoucherDetails, 'guestName'> & {
  /** Null: the page names nobody. */
  readonly guestName: string | null;
  readonly state: VoucherState;
};

/**
 * HTTP headers of the page and of the images. Their URLs contain the voucher code, which is a secret, so no cache, search
 * engine or Referer header may keep them.
 */
export const VOUCHER_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'private, no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
};

/** The page loads and runs nothing; the hash allows its style sheet. */
export const VOUCHER_PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...VOUCHER_HEADERS,
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};

/** The voucher as an HTML page for screen and print, without scripts and external resources. */
export function voucherPage(given: VoucherView): string {
  const view = { ...given, activityTitle: markedIfTest(given.activityTitle, given) };
  const texts = PAGE_TEXTS[view.language];
  return html`<!doctype html>
<html lang="${view.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${view.activityTitle} · ${texts.voucher} · Waymark</title>
<style>${markup(PAGE_STYLE)}</style>
</head>
<body>
<main>
<header><p><span class="kind">${texts.voucher}</span><span>Waymark</span></p><h1>${view.activityTitle}</h1></header>
<div class="sides">
${entry(view, texts)}
${details(view, texts)}
</div>
${codeSection(view, texts)}
</main>
</body>
</html>
`.toString();
}

/** The QR code, or the reason why the voucher is not valid. */
function entry(view: VoucherView, texts: PageTexts): Markup {
  const { state } = view;
  if (state.kind === 'valid') {
    const svg = markup(qrSvg(state.qrText, texts.qrCode));
    return html`<figure class="entry">${svg}<figcaption>${texts.show}</figcaption></figure>`;
  }
  const { heading, text } = texts[state.kind];
  // The gate staff may not read the guest's language.
  const english =
    view.language === 'en' ? [] : html`<p class="english" lang="en">${PAGE_TEXTS.en[state.kind].heading}</p>`;
  const when = state.kind === 'expired' ? [] : html`<p class="when">${instant(view, texts, state.atMs)}</p>`;
  return html`<section class="entry"><div class="stop">
<h2>${heading}</h2>${english}<p>${text}</p>${when}
</div></section>`;
}

function details(view: VoucherView, texts: PageTexts): Markup {
  const hours = view.openingHours.replace('-', '–');
  return html`<dl class="details">
<div class="wide date"><dt>${texts.date}</dt><dd><time datetime="${view.date}">${formatDate(texts, view.date)}</time></dd></div>
<div><dt>${texts.openingHours}</dt><dd>${hours}</dd></div>
<div><dt>${texts.guests}</dt><dd>${guests(view, texts)}</dd></div>
${guestField(view, texts)}
<div class="wide"><dt>${texts.venue}</dt><dd>${view.venueName}<small>${view.venueAddress}</small></dd></div>
${entryFields(view, texts)}
</dl>`;
}

function guestField({ guestName }: VoucherView, texts: PageTexts): Markup | readonly Markup[] {
  if (guestName === null) return [];
  return html`<div class="wide"><dt>${texts.guest}</dt><dd><bdi>${guestName}</bdi></dd></div>`;
}

/** Adults and children; wraps between the two only. */
function guests({ numAdults, numChildren }: VoucherView, texts: PageTexts): Markup {
  const adults = texts.adults(numAdults);
  if (numChildren === 0) return html`${adults}`;
  const children = texts.children(numChildren);
  return html`<span class="count">${adults}</span>${texts.listSeparator}<span class="count">${children}</span>`;
}

/** The check-in of a valid voucher, and the end of its validity unless it is used or cancelled. */
function entryFields(view: VoucherView, texts: PageTexts): readonly Markup[] {
  const { kind } = view.state;
  const shown: Markup[] = [];
  if (kind === 'valid') {
    shown.push(html`<div class="wide"><dt>${texts.checkIn}</dt><dd class="lines">${view.checkIn}</dd></div>`);
  }
  if (kind === 'valid' || kind === 'expired') {
    const until = instant(view, texts, view.validUntilMs);
    shown.push(html`<div class="wide"><dt>${texts.validUntil}</dt><dd>${until}</dd></div>`);
  }
  return shown;
}

function codeSection(view: VoucherView, texts: PageTexts): Markup {
  const code = html`<h2>${texts.code}</h2><p translate="no">${codeGroups(view.code)}</p>`;
  if (view.state.kind !== 'valid') return html`<section class="code">${code}</section>`;
  return html`<section class="code">${code}<small>${texts.typeCode}</small></section>
<footer>${texts.keepPrivate}</footer>`;
}

/** Groups of five or six characters, for reading aloud. The gaps are CSS margins, so that copying gives the plain code. */
function codeGroups(code: string): readonly Markup[] {
  return code.split('-').flatMap((part, i, parts) => {
    const count = Math.ceil(part.length / 6);
    const groups = Array.from({ length: count }, (_, group) =>
      part.slice(Math.ceil((part.length * group) / count), Math.ceil((part.length * (group + 1)) / count)),
    );
    return groups.map((group, at) => {
      const endsPart = at === count - 1 && i < parts.length - 1;
      return endsPart ? html`<span class="dash">${group}-</span>` : html`<span>${group}</span>`;
    });
  });
}

/** An instant in the city's local time, with the name of the time zone. */
function instant(view: VoucherView, texts: PageTexts, atMs: number): Markup {
  const { clock, zone } = formatInstant(texts, cityFacts(view.city).timeZone, atMs);
  return html`<time datetime="${new Date(atMs).toISOString()}">${clock}</time> <small>${zone}</small>`;
}
