import { cityFacts } from '../domain/activity/cities.ts';
import { LANGUAGES } from '../domain/activity/vocabulary.ts';
import { cancellationText } from './cancellation-texts.ts';
import { markedIfTest } from './details.ts';
import { formatDate, formatInstant, formatPrice } from './formats.ts';
import { html, type Markup, markup } from './html.ts';
import { MAIL_TEXTS } from './mail-texts.ts';
import { codeSection } from './page-code.ts';
import { pageDocument } from './page-document.ts';
import { GUEST_TEXTS } from './page-guest-texts.ts';
import { PAGE_STYLE } from './page-style.ts';
import { PAGE_TEXTS, type PageTexts } from './page-texts.ts';
import type { VoucherView } from './page-view.ts';
import { qrSvg } from './qr.ts';
import { supportLink } from './support.ts';

/** The start of the hint that the worker of the page shows on a saved copy, by removing `hidden`. */
export const SAVED_HINT = '<p class="saved" hidden>';
/** The path of the script that starts the worker. */
export const PAGE_SCRIPT = '/api/vouchers/page.js';

/** The voucher as an HTML page for screen and print. It works without its script, which only lets the phone keep a copy. */
export function voucherPage(given: VoucherView): string {
  const view = { ...given, activityTitle: markedIfTest(given.activityTitle, given) };
  const texts = PAGE_TEXTS[view.language];
  const isValid = view.state.kind === 'valid';
  const script = html`<script src="${PAGE_SCRIPT}" defer></script>
`;
  return pageDocument({
    language: view.language,
    title: `${view.activityTitle} · ${texts.voucher}`,
    style: PAGE_STYLE,
    ...(isValid && { head: script }),
    main: html`${savedHint(view, texts)}
<header><p><span class="kind">${texts.voucher}</span><span>Waymark</span></p><h1>${view.activityTitle}</h1></header>
<div class="sides">
${entry(view, texts)}
${details(view, texts)}
</div>
${codeSection(view)}
${help(view)}
${languages(view)}
${isValid ? html`<footer>${texts.keepPrivate}</footer>` : []}`,
  });
}

function savedHint(view: VoucherView, texts: PageTexts): Markup {
  const { clock, zone } = formatInstant(texts, cityFacts(view.city).timeZone, view.writtenAtMs);
  return html`${markup(SAVED_HINT)}${GUEST_TEXTS[view.language].savedCopy(`${clock}, ${zone}`)}</p>`;
}

/** The QR code, or the reason why the voucher is not valid and what to do next. */
function entry(view: VoucherView, texts: PageTexts): Markup {
  const { state, language } = view;
  if (state.kind === 'valid') {
    const svg = markup(qrSvg(state.qrText, texts.qrCode));
    return html`<figure class="entry"><div class="qr">${svg}</div><figcaption>${texts.show}</figcaption></figure>`;
  }
  const { heading, text } = texts[state.kind];
  // The gate staff may not read the guest's language.
  const english = language === 'en' ? [] : html`<p class="english" lang="en">${PAGE_TEXTS.en[state.kind].heading}</p>`;
  const when = state.kind === 'expired' ? [] : html`<p class="when">${instant(view, texts, state.atMs)}</p>`;
  return html`<section class="entry"><div class="stop">
<h2>${heading}</h2>${english}<p>${text}</p>${when}<p>${GUEST_TEXTS[language].next[state.kind]}</p>
</div></section>`;
}

function details(view: VoucherView, texts: PageTexts): Markup {
  const hours = view.openingHours.replace('-', '–');
  const { zone } = formatInstant(texts, cityFacts(view.city).timeZone, view.validUntilMs);
  return html`<div class="details">
${picture(view)}
<dl>
<div class="wide date"><dt>${texts.date}</dt><dd><time datetime="${view.date}">${formatDate(texts, view.date)}</time></dd></div>
<div><dt>${texts.openingHours}</dt><dd>${hours}<small>${zone}</small></dd></div>
<div><dt>${texts.guests}</dt><dd>${guests(view, texts)}</dd></div>
${guestField(view, texts)}
<div class="wide"><dt>${texts.venue}</dt><dd>${view.venueName}<small>${view.venueAddress}</small></dd></div>
</dl>
${actions(view)}
<dl>
${entryFields(view, texts)}
${bookingFields(view, texts)}
</dl>
</div>`;
}

/** Decorative: the title says what it shows. */
function picture({ picture: path }: VoucherView): Markup | readonly Markup[] {
  if (path === null) return [];
  return html`<img class="picture" src="${path}" width="1200" height="800" alt="">`;
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

/** The map and the calendar. A cancelled booking has the calendar too: its entry cancels an earlier one. */
function actions({ position, language, state, url }: VoucherView): Markup | readonly Markup[] {
  if (state.kind === 'used' || state.kind === 'expired') return [];
  const { map, calendar } = GUEST_TEXTS[language];
  const place =
    position === null ? [] : html`<a href="${mapUrl(position)}" rel="noopener noreferrer" target="_blank">${map}</a>`;
  const calendarUrl = `${new URL(url).pathname}/calendar.ics?lang=${language}`;
  return html`<p class="actions">${place}<a href="${calendarUrl}">${calendar}</a></p>`;
}

/** OpenStreetMap works in every browser without an app, unlike a `geo:` address. */
function mapUrl({ lat, lon }: { readonly lat: number; readonly lon: number }): string {
  return `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lon}#map=17/${lat}/${lon}`;
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

/** Price, cancellation and booking id, named as in the mail. */
function bookingFields(view: VoucherView, texts: PageTexts): readonly Markup[] {
  const labels = MAIL_TEXTS[view.language];
  const { state, currency } = view;
  const price = (minor: number): string => formatPrice(texts, minor, currency);
  const small = (label: string, minor: number): Markup | readonly Markup[] =>
    minor === 0 ? [] : html`<small>${label}${labels.colon}${price(minor)}</small>`;
  const also = [small(labels.discount, view.discountMinor)];
  if (state.kind === 'valid') also.push(small(labels.retained, view.retainedMinor));
  const refund =
    state.kind === 'cancelled'
      ? html`<div><dt>${GUEST_TEXTS[view.language].refund}</dt><dd>${price(state.refundMinor)}</dd></div>`
      : [];
  const policy =
    state.kind === 'valid'
      ? html`<div class="wide"><dt>${labels.cancellation}</dt><dd class="lines">${cancellationText(view.cancellation, view.language)}</dd></div>`
      : [];
  const fields = [
    html`<div class="${state.kind === 'cancelled' ? '' : 'wide'}"><dt>${labels.total}</dt><dd>${price(view.totalMinor)}${also.flat()}</dd></div>`,
    refund,
    policy,
    html`<div class="wide"><dt>${labels.booking}</dt><dd translate="no">${view.bookingId}</dd></div>`,
  ];
  return fields.flat();
}

function help({ support, language }: VoucherView): Markup | readonly Markup[] {
  if (support === null) return [];
  const { href, text } = supportLink(support);
  return html`<section class="help"><p>${GUEST_TEXTS[language].support}${MAIL_TEXTS[language].colon}<a href="${href}">${text}</a></p></section>`;
}

function languages({ language: shown }: VoucherView): Markup {
  const links = LANGUAGES.map((language) => {
    const current = language === shown ? markup(' aria-current="true"') : [];
    return html`<li><a href="?lang=${language}" hreflang="${language}" lang="${language}"${current}>${GUEST_TEXTS[language].name}</a></li>`;
  });
  return html`<nav class="languages" aria-labelledby="languages"><h2 id="languages">${GUEST_TEXTS[shown].language}</h2><ul>${links}</ul></nav>`;
}

/** An instant in the city's local time, with the name of the time zone. */
function instant(view: VoucherView, texts: PageTexts, atMs: number): Markup {
  const { clock, zone } = formatInstant(texts, cityFacts(view.city).timeZone, atMs);
  return html`<time datetime="${new Date(atMs).toISOString()}">${clock}</time> <small>${zone}</small>`;
}
