import { cityFacts } from '../domain/activity/cities.ts';
import { formatDate, formatInstant } from './formats.ts';
import { type ComposedMail, plainHtml, plainText } from './mail-layout.ts';
import { MAIL_TEXTS } from './mail-texts.ts';
import { type NoticeView, requestRows } from './notice-mail.ts';
import { PAGE_TEXTS } from './page-texts.ts';
import { singleLine, withoutWordJoiners } from './plain-text.ts';
import { VENUE_TEXTS } from './venue-texts.ts';

/** In the language of the venue's contact. It names no guest. */
export type VenueRequestView = Omit<
  NoticeView,
  'guestName' | 'test' | 'totalMinor' | 'currency' | 'cancellation' | 'support' | 'pictureUrl' | 'news'
> & {
  /** Ms since the epoch. */
  readonly answerByMs: number;
  /** URL of the page that answers the request; it is a secret. */
  readonly pageUrl: string;
};

/** The mail that asks a venue to answer a booking. The guests' texts are on its page only: the mail contains none. */
export function venueRequestMail(view: VenueRequestView): ComposedMail {
  const { language } = view;
  const venue = VENUE_TEXTS[language];
  const texts = { ...PAGE_TEXTS[language], ...MAIL_TEXTS[language] };
  const { clock, zone } = formatInstant(texts, cityFacts(view.city).timeZone, view.answerByMs);
  const mail = {
    language,
    colon: texts.colon,
    greeting: null,
    intro: venue.please,
    title: view.activityTitle,
    rows: [
      ...requestRows(view),
      { label: venue.answerBy, value: clock, also: zone },
      { label: texts.booking, value: view.bookingId },
    ].filter(({ value }) => value !== ''),
    after: [],
    pictureUrl: null,
    link: { label: venue.open, url: view.pageUrl },
    small: [venue.keepPrivate, texts.automatic],
  };
  const subject = venue.subject(view.activityTitle, formatDate(texts, view.date, 'medium'));
  return { subject: withoutWordJoiners(singleLine(subject)), text: plainText(mail), html: plainHtml(mail) };
}
