import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { CITY_NAMES } from '../../../src/domain/activity/cities.ts';
import { LANGUAGES, type Language } from '../../../src/domain/activity/vocabulary.ts';
import { VOUCHER_PAGE_HEADERS, type VoucherState, type VoucherView, voucherPage } from '../../../src/vouchers/page.ts';
import { PAGE_TEXTS } from '../../../src/vouchers/page-texts.ts';
import { qrSvg } from '../../../src/vouchers/qr.ts';
import { normalizeCode, signToken } from '../../../src/vouchers/token.ts';
import { someCode, someFacts, someKey } from './given.ts';

const token = signToken(someFacts, someKey);
const SPOILT: readonly Exclude<VoucherState, { kind: 'valid' }>[] = [
  { kind: 'used', atMs: Date.parse('2026-11-21T03:12:00Z') },
  { kind: 'cancelled', atMs: Date.parse('2026-11-19T17:30:00Z') },
  { kind: 'expired' },
];

const view: VoucherView = {
  language: 'en',
  state: { kind: 'valid', qrText: token },
  code: someCode,
  test: false,
  activityTitle: 'Aquarium walk',
  guestName: 'Somchai Prasertkul',
  date: '2026-11-21',
  openingHours: '10:00-18:00',
  numAdults: 2,
  numChildren: 1,
  city: 'Bangkok',
  venueName: 'Siam Ocean World',
  venueAddress: '991 Rama I Road, Bangkok 10330',
  checkIn: 'Group entrance, floor B1.\nLockers are free.',
  validUntilMs: someFacts.validUntilMs,
};

/** The visible text: without style sheet, tags and title element, entities decoded, spaces as displayed. */
function visible(page: string): string {
  const body = page.slice(page.indexOf('<body>'));
  const text = body
    .replace(/<svg.*?<\/svg>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (entity) => DECODED[entity] ?? entity);
}

const DECODED: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

describe('the page of a valid voucher', () => {
  const page = voucherPage(view);
  const text = visible(page);

  test('shows the QR code of the token', () => {
    expect(page).toContain(qrSvg(token, PAGE_TEXTS.en.qrCode));
    expect(text).toContain(PAGE_TEXTS.en.show);
  });

  test.each([
    ['activity', 'Aquarium walk'],
    ['guest', 'Guest Somchai Prasertkul'],
    ['date with its weekday', 'Saturday, 21 November 2026'],
    ['opening hours', 'Opening hours 10:00–18:00'],
    ['guests', 'Guests 2 adults , 1 child'],
    ['venue and address', 'Siam Ocean World 991 Rama I Road, Bangkok 10330'],
    ['check-in instructions', 'Group entrance, floor B1. Lockers are free.'],
    ['end at the city, with its zone', '21 November 2026 at 18:00 Indochina Time (GMT+7)'],
    ['code in groups', 'WM- 7GK2M 0Q9XW 4T1ZC 8RB5N- 3H6V0Y J2PD9 S4QAE K7M1X W8TGZ'],
    ['maker', 'Waymark'],
  ])('shows the %s', (_, expected) => {
    expect(text).toContain(expected);
  });

  test('shows a code that can be typed', () => {
    const shown = /WM- .* W8TGZ/.exec(text)?.[0] ?? '';
    expect(normalizeCode(shown)).toBe(someCode);
  });

  test('uses the singular for one guest, and leaves out zero children', () => {
    expect(visible(voucherPage({ ...view, numAdults: 1, numChildren: 0 }))).toContain('Guests 1 adult Guest');
  });

  test('does not mention use, cancellation or expiry', () => {
    const headings = SPOILT.map(({ kind }) => PAGE_TEXTS.en[kind].heading);
    expect(headings.filter((heading) => text.includes(heading))).toEqual([]);
  });
});

describe('the page of a voucher that is not valid for entry', () => {
  const cases = LANGUAGES.flatMap((language) => SPOILT.map((state) => [language, state.kind, state] as const));

  test.each(cases)('%s, %s: says so and shows neither QR code nor token', (language, kind, state) => {
    const page = voucherPage({ ...view, language, state });
    const { heading, text } = PAGE_TEXTS[language][kind];
    expect(page).toContain(`<h2>${heading}</h2>`);
    expect(visible(page)).toContain(text);
    expect(page).not.toContain('<svg');
    expect(page).not.toContain(token);
    expect(visible(page)).not.toContain(PAGE_TEXTS[language].show);
  });

  test('shows the reason in English too, for the gate staff', () => {
    const page = voucherPage({ ...view, language: 'ko', state: { kind: 'expired' } });
    expect(page).toContain('<p class="english" lang="en">Expired</p>');
  });

  test('shows when it was cancelled, in local time', () => {
    const page = voucherPage({
      ...view,
      city: 'Singapore',
      state: { kind: 'cancelled', atMs: Date.parse('2026-11-19T17:30:00Z') },
    });
    expect(visible(page)).toContain('20 November 2026 at 01:30 Singapore');
  });
});

describe('in every language', () => {
  const titleOf: Readonly<Record<Language, string>> = {
    en: 'Aquarium walk',
    th: 'เดินชมอควาเรียม',
    vi: 'Tham quan thủy cung',
    id: 'Jelajah akuarium',
    ms: 'Jelajah akuarium',
    zh: '水族馆漫步',
    ja: '水族館さんぽ',
    ko: '수족관 산책',
  };

  test.each(LANGUAGES.map((language) => [language]))('%s: the page is in it', (language) => {
    const labels = PAGE_TEXTS[language];
    const page = voucherPage({ ...view, language, activityTitle: titleOf[language] });
    const text = visible(page);
    expect(page).toStartWith(`<!doctype html>\n<html lang="${language}">`);
    expect(page).toContain(`<h1>${titleOf[language]}</h1>`);
    const shown = [
      labels.voucher,
      labels.show,
      labels.guest,
      labels.date,
      labels.openingHours,
      labels.guests,
      labels.venue,
    ];
    shown.push(labels.checkIn, labels.code, labels.typeCode, labels.validUntil, labels.keepPrivate);
    shown.push(labels.adults(2), labels.children(1));
    expect(shown.filter((label) => !text.includes(label))).toEqual([]);
  });

  test.each(LANGUAGES.map((language) => [language]))(
    '%s: dates are those of the common era, in plain digits',
    (language) => {
      const text = visible(voucherPage({ ...view, language }));
      expect(text).toMatch(/2026/);
      expect(text).toMatch(/18[:.]00/);
      expect(text).not.toMatch(/2569/);
    },
  );

  test('no text is in another language', () => {
    const wordsOf = (language: Language) =>
      Object.entries(PAGE_TEXTS[language]).flatMap(([name, label]) =>
        typeof label === 'object' ? [`${name}: ${label.text}`] : typeof label === 'string' ? [`${name}: ${label}`] : [],
      );
    const sentences = /^(show|typeCode|keepPrivate|qrCode|used|cancelled|expired): /;
    const all = LANGUAGES.flatMap(wordsOf).filter((words) => sentences.test(words));
    expect(all.length).toBe(LANGUAGES.length * 7);
    expect(new Set(all).size).toBe(all.length);
  });

  test.each(CITY_NAMES.map((city) => [city]))('a zone is named at %s', (city) => {
    expect(visible(voucherPage({ ...view, city }))).toMatch(/Valid until .*\d\d:00 [A-Z][\w ]+ \(GMT\+[78]\)/);
  });
});

describe('nothing in a voucher can become markup', () => {
  const hostile = `</title></style><script>alert(1)</script><img src=x onerror="alert('1')">&lt;`;
  const texts = ['activityTitle', 'guestName', 'venueName', 'venueAddress', 'checkIn', 'code', 'openingHours'] as const;
  const tagsOf = (page: string): string[] => page.match(/<[^>]*>/g) ?? [];

  test.each(texts.map((field) => [field]))('%s', (field) => {
    const page = voucherPage({ ...view, [field]: hostile });
    const harmless = voucherPage({ ...view, [field]: 'A' });
    // The code is split into groups, so there are more of the same tags.
    const tags = field === 'code' ? new Set(tagsOf(page)) : tagsOf(page);
    expect(tags).toEqual(field === 'code' ? new Set(tagsOf(harmless)) : tagsOf(harmless));
  });

  test('a hostile name is shown as text', () => {
    expect(visible(voucherPage({ ...view, guestName: hostile }))).toContain(hostile);
  });

  test('a right-to-left name does not change the direction of the text around it', () => {
    expect(voucherPage({ ...view, guestName: 'محمد' })).toContain('<bdi>محمد</bdi>');
  });
});

describe('the page protects its secret', () => {
  const page = voucherPage(view);

  test('it runs nothing and loads nothing', () => {
    expect(page).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|url\(|@import|javascript:/i);
    expect(page.match(/https?:[^"]*/g)).toEqual(['http://www.w3.org/2000/svg']);
  });

  test('it disallows indexing and sends no referrer', () => {
    expect(page).toContain('<meta name="robots" content="noindex, nofollow">');
    expect(page).toContain('<meta name="referrer" content="no-referrer">');
  });

  test('its title does not contain the code', () => {
    expect(/<title>(.*?)<\/title>/.exec(page)?.[1]).toBe('Aquarium walk · Voucher · Waymark');
  });

  test('the headers allow its one style sheet and nothing else', () => {
    const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(VOUCHER_PAGE_HEADERS).toEqual({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'private, no-store',
      'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex, nofollow',
    });
    expect(page).not.toContain('style=');
  });
});
