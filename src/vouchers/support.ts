/** Where guests ask for help: `href` of a link, and the text that a mail or page shows. */
export type SupportLink = { readonly href: string; readonly text: string };

/** @param contact `WAYMARK_SUPPORT_CONTACT`: a mail address or an `https://` or `http://` URL */
export function supportLink(contact: string): SupportLink {
  const isUrl = /^https?:\/\//i.test(contact);
  return isUrl
    ? { href: contact, text: contact.replace(/^https?:\/\//i, '').replace(/\/$/, '') }
    : { href: `mailto:${contact}`, text: contact };
}
