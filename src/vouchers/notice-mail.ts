import { cityFacts } from '../domain/activity/cities.ts';
import { cancellationText } from './cancellation-texts.ts';
import { type BookedPrice, markedIfTest, type VoucherDetails } from './details.ts';
import { formatDate, formatInstant, formatPrice } from './formats.ts';
import { type ComposedMail, plainHtml, plainText, type Row } from './mail-layout.ts';
import { MAIL_TEXTS } from './mail-texts.ts';
import { NOTICE_TEXTS } from './notice-texts.ts';
import { PAGE_TEXTS } from './page-texts.ts';
import { nameInMail, singleLine, withoutWordJoiners } from './plain-text.ts';
import { supportLines } from './support.ts';

/** What happened to a booking. `answerByMs`: ms since the epoch. */
export type News =
  | { readonly kind: 'pending'; readonly changed: boolean; readonly answerByMs: number }
  | { readonly kind: 'rejected' }
  /** `charged`: the booking had been confirmed. */
  | { readonly kind: 'cancelled'; readonly charged: boolean; readonly refundMinor: number };

export type NoticeView = Omit<VoucherDetails, 'code' | 'checkIn' | 'validUntilMs'> &
  Pick<BookedPrice, 'totalMinor' | 'currency' | 'cancellation'> & {
    readonly bookingId: string;
    /** A mail address or URL where guests ask for help; null: none. */
    readonly support: string | null;
    /** URL of the activity's picture. */
    readonly pictureUrl: string;
    readonly news: News;
  };

/** Replaces a name without visible characters. */
const NO_NAME = '–';

/** The mail that tells the guest about a booking without a valid voucher, in the guest's language. */
export function noticeMail(view: NoticeView): ComposedMail {
  const { language, news } = view;
  const notice = NOTICE_TEXTS[language];
  const texts = { ...PAGE_TEXTS[language], ...MAIL_TEXTS[language] };
  const { subject, heading } = notice[news.kind === 'pending' && news.changed ? 'pendingChanged' : news.kind];
  const mail = {
    language,
    colon: texts.colon,
    greeting: { around: texts.greeting('\n'), name: nameInMail(view.guestName) || NO_NAME },
    intro: heading,
    title: markedIfTest(view.activityTitle, view),
    rows: rowsOf(view).filter(({ value }) => value !== ''),
    after: afterOf(view),
    pictureUrl: view.pictureUrl,
    link: null,
    small: [...supportLines(view.support, language), texts.automatic],
  };
  const line = markedIfTest(subject(view.activityTitle, formatDate(texts, view.date, 'medium')), view);
  return { subject: withoutWordJoiners(singleLine(line)), text: plainText(mail), html: plainHtml(mail) };
}

function rowsOf(view: NoticeView): readonly Row[] {
  const { language, news } = view;
  const notice = NOTICE_TEXTS[language];
  const texts = { ...PAGE_TEXTS[language], ...MAIL_TEXTS[language] };
  const total = { label: texts.total, value: formatPrice(texts, view.totalMinor, view.currency) };
  const rows: Row[] = [...requestRows(view), ...(news.kind === 'rejected' ? [] : [total])];
  if (news.kind === 'pending') {
    const { clock, zone } = formatInstant(texts, cityFacts(view.city).timeZone, news.answerByMs);
    rows.push({ label: texts.cancellation, value: cancellationText(view.cancellation, language) });
    rows.push({ label: notice.answerBy, value: clock, also: zone });
  }
  if (news.kind === 'cancelled' && news.refundMinor > 0)
    rows.push({ label: notice.refund, value: formatPrice(texts, news.refundMinor, view.currency) });
  return [...rows, { label: texts.booking, value: view.bookingId }];
}

/** What was booked, for the guest and for the venue. */
export function requestRows(
  view: Pick<
    NoticeView,
    'language' | 'date' | 'openingHours' | 'numAdults' | 'numChildren' | 'venueName' | 'venueAddress'
  >,
): readonly Row[] {
  const texts = PAGE_TEXTS[view.language];
  const children = view.numChildren === 0 ? [] : [texts.children(view.numChildren)];
  return [
    { label: texts.date, value: formatDate(texts, view.date) },
    { label: texts.openingHours, value: view.openingHours.replace('-', '–') },
    { label: texts.guests, value: [texts.adults(view.numAdults), ...children].join(texts.listSeparator) },
    { label: texts.venue, value: view.venueName, also: view.venueAddress },
  ];
}

function afterOf({ language, news }: NoticeView): readonly string[] {
  const notice = NOTICE_TEXTS[language];
  if (news.kind === 'pending') return [notice.notChargedYet];
  if (news.kind === 'rejected' || !news.charged) return [notice.nothingCharged];
  return [...(news.refundMinor === 0 ? [notice.nothingRefunded] : []), notice.voucherInvalid];
}
