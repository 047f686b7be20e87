import type { Language } from '../domain/activity/vocabulary.ts';
import { FAILURE_TEXTS, type FailureReason } from './failure-page-texts.ts';
import { html, type Markup } from './html.ts';
import { MAIL_TEXTS } from './mail-texts.ts';
import { pageDocument } from './page-document.ts';
import { GUEST_TEXTS } from './page-guest-texts.ts';
import { PAGE_STYLE } from './page-style.ts';
import { supportLink } from './support.ts';

export type { FailureReason } from './failure-page-texts.ts';

export type Failed = {
  readonly reason: FailureReason;
  readonly language: Language;
  /** A mail address or URL; null: none. */
  readonly support: string | null;
  /** What a guest tells the support. */
  readonly requestId: string;
};

/** A page that says what went wrong and what to do next, for a person who opened an address of this service. */
export function failurePage({ reason, language, support, requestId }: Failed): string {
  const { heading, next } = FAILURE_TEXTS[language][reason];
  return pageDocument({
    language,
    title: heading,
    style: PAGE_STYLE,
    main: html`<header><p><span class="kind">Waymark</span></p><h1>${heading}</h1></header>
<section class="help"><p>${next}</p>${helpOf(support, language)}</section>
<footer translate="no">${requestId}</footer>`,
  });
}

function helpOf(support: string | null, language: Language): Markup | readonly Markup[] {
  if (support === null) return [];
  const { href, text } = supportLink(support);
  return html`<p>${GUEST_TEXTS[language].support}${MAIL_TEXTS[language].colon}<a href="${href}">${text}</a></p>`;
}
