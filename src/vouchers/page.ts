import { createHash } from 'node:crypto';
import { cityFacts } from '../domain/activity/cities.ts';
import type { VoucherDetails } from './details.ts';
import { html, type Markup, markup } from './html.ts';
import { LABELS, type VoucherLabels } from './labels.ts';
import { dayText, momentText } from './moments.ts';
import { PAGE_STYLE } from './page-style.ts';
import { qrSvg } from './qr.ts';

/** Whether the voucher still lets its guests in. Only a valid one has a token to show. Times in ms since the epoch. */
export type VoucherState =
  | { readonly kind: 'valid'; readonly token: string }
  | { readonly kind: 'used'; readonly atMs: number }
  | { readonly kind: 'cancelled'; readonly atMs: number }
  | { readonly kind: 'expired' };

/** What the page shows. */
export type VoucherView = VoucherDetails & { readonly state: VoucherState };

/**
 * What the page is to be served with. The address holds the code, which is a secret: nothing may keep it, index it or
 * pass it on. Nothing may be loaded or run, and the one style sheet is allowed by its hash.
 */
export const VOUCHER_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'private, no-store',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
};

/** The voucher as an HTML page for phone and paper, in the view's language, without script or outside resource. */
export function voucherPage(view: VoucherView): string {
  const labels = LABELS[view.language];
  return html`<!doctype html>
<html lang="${view.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${view.activityTitle} · ${labels.voucher} · Waymark</title>
<style>${markup(PAGE_STYLE)}</style>
</head>
<body>
<main>
<header><p><span class="kind">${labels.voucher}</span><span>Waymark</span></p><h1>${view.activityTitle}</h1></header>
<div class="sides">
${entry(view, labels)}
${details(view, labels)}
</div>
${codeSection(view, labels)}
</main>
</body>
</html>
`.toString();
}

/** The QR code, or in its place why there is none. */
function entry(view: VoucherView, labels: VoucherLabels): Markup {
  const { state } = view;
  if (state.kind === 'valid') {
    const svg = markup(qrSvg(state.token, labels.qrCode));
    return html`<figure class="entry">${svg}<figcaption>${labels.show}</figcaption></figure>`;
  }
  const { heading, text } = labels[state.kind];
  // The person at the gate may not read the guest's language.
  const english = view.language === 'en' ? [] : html`<p class="english" lang="en">${LABELS.en[state.kind].heading}</p>`;
  const when = state.kind === 'expired' ? [] : html`<p class="when">${moment(view, labels, state.atMs)}</p>`;
  return html`<section class="entry"><div class="stop">
<h2>${heading}</h2>${english}<p>${text}</p>${when}
</div></section>`;
}

function details(view: VoucherView, labels: VoucherLabels): Markup {
  const hours = view.openingHours.replace('-', '–');
  return html`<dl class="details">
<div class="wide date"><dt>${labels.date}</dt><dd><time datetime="${view.date}">${dayText(labels, view.date)}</time></dd></div>
<div><dt>${labels.openingHours}</dt><dd>${hours}</dd></div>
<div><dt>${labels.guests}</dt><dd>${guests(view, labels)}</dd></div>
<div class="wide"><dt>${labels.guest}</dt><dd><bdi>${view.guestName}</bdi></dd></div>
<div class="wide"><dt>${labels.venue}</dt><dd>${view.venueName}<small>${view.venueAddress}</small></dd></div>
${whileUsable(view, labels)}
</dl>`;
}

/** Adults and children, on two lines where one is too short. */
function guests({ numAdults, numChildren }: VoucherView, labels: VoucherLabels): Markup {
  const adults = labels.adults(numAdults);
  if (numChildren === 0) return html`${adults}`;
  const children = labels.children(numChildren);
  return html`<span class="count">${adults}</span>${labels.listSeparator}<span class="count">${children}</span>`;
}

/** What concerns nobody once the voucher was used or cancelled. */
function whileUsable(view: VoucherView, labels: VoucherLabels): readonly Markup[] {
  const { kind } = view.state;
  const shown: Markup[] = [];
  if (kind === 'valid') {
    shown.push(html`<div class="wide"><dt>${labels.checkIn}</dt><dd class="lines">${view.checkIn}</dd></div>`);
  }
  if (kind === 'valid' || kind === 'expired') {
    const until = moment(view, labels, view.validUntilMs);
    shown.push(html`<div class="wide"><dt>${labels.validUntil}</dt><dd>${until}</dd></div>`);
  }
  return shown;
}

function codeSection(view: VoucherView, labels: VoucherLabels): Markup {
  const code = html`<h2>${labels.code}</h2><p translate="no">${codeGroups(view.code)}</p>`;
  if (view.state.kind !== 'valid') return html`<section class="code">${code}</section>`;
  return html`<section class="code">${code}<small>${labels.typeCode}</small></section>
<footer>${labels.keepPrivate}</footer>`;
}

/** Groups of five or six characters, as many as one holds in mind. The gaps are drawn: a copied code has none. */
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

/** A moment as the clocks at the city show it, and whose clocks those are. */
function moment(view: VoucherView, labels: VoucherLabels, atMs: number): Markup {
  const { clock, zone } = momentText(labels, cityFacts(view.city).timeZone, atMs);
  return html`<time datetime="${new Date(atMs).toISOString()}">${clock}</time> <small>${zone}</small>`;
}
