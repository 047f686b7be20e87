import type { Language } from '../domain/activity/vocabulary.ts';
import { MAIL_TEXTS } from './mail-texts.ts';
import { GUEST_TEXTS } from './page-guest-texts.ts';

/** Where guests ask for help: `href` of a link, and the text that a mail or page shows. */
export type SupportLink = { readonly href: string; readonly text: string };

/** The line of a mail that says where guests ask for help; none without a contact. */
export function supportLines(contact: string | null, language: Language): readonly string[] {
  if (contact === null) return [];
  return [`${GUEST_TEXTS[language].support}${MAIL_TEXTS[language].colon}${supportLink(contact).text}`];
}

/** @param contact `WAYMARK_SUPPORT_CONTACT`: a mail address or an `https://` or `http://` URL */
export function supportLink(contact: string): SupportLink {
  const isUrl = /^https?:\/\//i.test(contact);
  return isUrl
    ? { href: contact, text: contact.replace(/^https?:\/\//i, '').replace(/\/$/, '') }
    : { href: `mailto:${contact}`, text: contact };
}
