import { createHash } from 'node:crypto';
import { cityFacts } from '../domain/activity/cities.ts';
import type { Language } from '../domain/activity/vocabulary.ts';
import { formatInstant } from './formats.ts';
import { html, type Markup } from './html.ts';
import { MAIL_TEXTS } from './mail-texts.ts';
import { requestRows } from './notice-mail.ts';
import { pageDocument } from './page-document.ts';
import { VOUCHER_HEADERS } from './page-headers.ts';
import { PAGE_TEXTS } from './page-texts.ts';
import type { VenueRequestView } from './venue-request-mail.ts';
import { VENUE_TEXTS, type VenueRequestStatus, type VenueTexts } from './venue-texts.ts';

/** `atMs`: ms since the epoch. Null while nobody has decided. */
export type VenueDecision = { readonly by: keyof VenueTexts['decidedBy']; readonly atMs: number };

export type VenueRequestPage = Omit<VenueRequestView, 'pageUrl'> & {
  readonly status: VenueRequestStatus;
  readonly decision: VenueDecision | null;
  /** The guests' own words; null for none. */
  readonly specialRequests: string | null;
  /** Last segment of this page's path; the forms send the answer below it. */
  readonly path: string;
};

const STYLE = `
*{box-sizing:border-box}
:root{color-scheme:light dark;--ink:#14201f;--soft:#4b5957;--line:#c6d0ce;--accent:#0b5a55;--paper:#fff;--on:#fff}
@media (prefers-color-scheme:dark){:root{--ink:#eef4f3;--soft:#b3c1bf;--line:#3d4a48;--accent:#5fd0c5;--paper:#101817;--on:#101817}}
body{margin:0;padding:1rem;background:var(--paper);color:var(--ink);
font:1.125rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:36rem;margin:0 auto;overflow-wrap:anywhere}
:lang(ja){word-break:auto-phrase}
:lang(ko){word-break:keep-all}
h1{font-size:1.5rem;line-height:1.25}
h2{font-size:1.25rem;line-height:1.3}
dt,small{color:var(--soft);font-size:.9375rem}
small{display:block}
dd{margin:0 0 .75rem;font-weight:600}
.lines{white-space:pre-line;font-weight:400}
button{width:100%;min-height:3.5rem;margin-top:.75rem;padding:.75rem;border:2px solid var(--accent);border-radius:.75rem;
background:var(--paper);color:var(--accent);font:inherit;font-weight:700}
.yes{background:var(--accent);color:var(--on)}
`;

/** The page runs nothing. Its forms can only be sent to this service. */
export const VENUE_PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...VOUCHER_HEADERS,
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
};

/** The request of a booking, for its venue: what is asked, and two buttons, or how it was decided. */
export function venueRequestPage(view: VenueRequestPage): string {
  const { language, status } = view;
  const texts = { ...PAGE_TEXTS[language], ...MAIL_TEXTS[language] };
  const venue = VENUE_TEXTS[language];
  const rows = [
    ...requestRows(view),
    { label: texts.booking, value: view.bookingId },
    ...(status === 'waiting' ? [{ label: venue.answerBy, ...instant(view, view.answerByMs) }] : []),
  ].filter(({ value }) => value !== '');
  return page(
    language,
    venue.heading[status],
    html`<h1>${venue.heading[status]}</h1>
${decided(view)}
<h2>${view.activityTitle}</h2>
<dl>
${rows.map(({ label, value, also = '' }) => row(label, html`${value}`, also))}
${wishes(view)}
</dl>
${forms(view)}`,
  );
}

/** A page of one sentence in English, for a link that leads nowhere or an answer that could not be recorded. */
export function venueProblemPage(text: string): string {
  return page('en', 'Waymark', html`<h1>${text}</h1>`);
}

function page(language: Language, title: string, body: Markup): string {
  return pageDocument({
    language,
    title,
    style: STYLE,
    main: html`<p><small>Waymark</small></p>
${body}`,
  });
}

function row(label: string, value: Markup, also = ''): Markup {
  const below = also === '' ? [] : html`<small>${also}</small>`;
  return html`<dt>${label}</dt><dd>${value}${below}</dd>
`;
}

function decided(view: VenueRequestPage): Markup | readonly Markup[] {
  const { decision, language } = view;
  if (decision === null) return [];
  const venue = VENUE_TEXTS[language];
  const { value, also } = instant(view, decision.atMs);
  return html`<p>${venue.decidedAt}${MAIL_TEXTS[language].colon}${value}<small>${also}</small><small>${venue.decidedBy[decision.by]}</small></p>`;
}

function wishes({ specialRequests, language }: VenueRequestPage): Markup | readonly Markup[] {
  if (specialRequests === null || specialRequests === '') return [];
  return html`<dt>${VENUE_TEXTS[language].specialRequests}</dt><dd class="lines"><bdi>${specialRequests}</bdi></dd>`;
}

function forms({ status, language, path }: VenueRequestPage): Markup | readonly Markup[] {
  if (status !== 'waiting') return [];
  const venue = VENUE_TEXTS[language];
  return html`<p>${venue.please}</p>
<form method="post" action="${path}/confirm"><button class="yes">${venue.confirm}</button></form>
<form method="post" action="${path}/decline"><button>${venue.decline}</button></form>
<p><small>${venue.keepPrivate}</small></p>`;
}

function instant({ language, city }: Pick<VenueRequestPage, 'language' | 'city'>, atMs: number) {
  const { clock, zone } = formatInstant(PAGE_TEXTS[language], cityFacts(city).timeZone, atMs);
  return { value: clock, also: zone };
}
