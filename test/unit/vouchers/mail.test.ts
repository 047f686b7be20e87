import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { LANGUAGES, type Language } from '../../../src/domain/activity/vocabulary.ts';
import { cancellationText } from '../../../src/vouchers/cancellation-texts.ts';
import { type VoucherMailView, voucherMail } from '../../../src/vouchers/mail.ts';
import { bidiIsolated, nameInMail } from '../../../src/vouchers/plain-text.ts';

const CODE = 'WM-7GK2M0Q9XW4T1ZC8RB5N-3H6V0YJ2PD9S4QAEK7M1XW8TGZ';
const PAGE = `https://waymark.example/api/vouchers/${CODE}`;

function aView(change: Partial<VoucherMailView> = {}): VoucherMailView {
  return {
    language: 'en',
    code: CODE,
    test: false,
    activityTitle: 'Siam Ocean World',
    guestName: 'Ada Lovelace',
    date: '2026-12-24',
    openingHours: '09:00-18:00',
    numAdults: 2,
    numChildren: 1,
    city: 'Bangkok',
    venueName: 'Ocean Hall',
    venueAddress: '991 Rama I Road, Bangkok 10330',
    checkIn: 'Show the code at gate 2.\nThen take the lift.',
    validUntilMs: Date.parse('2026-12-24T11:00:00Z'),
    bookingId: 'bk_7gk2m0q9xw4t1zc8rb5n',
    totalMinor: 207_000,
    discountMinor: 0,
    retainedMinor: 0,
    changed: false,
    support: null,
    pictureUrl: 'https://waymark.example/pictures/walk.png',
    currency: 'THB',
    cancellation: { freeUntilHours: 24, percentKept: 50 },
    pageUrl: PAGE,
    contentId: 'qr.bk_1.1@waymark.localhost',
    ...change,
  };
}

/** Expected texts of one voucher by language: subject, greeting, date, guests, price, valid until. */
const SAID: Readonly<Record<Language, readonly [subject: string, ...texts: string[]]>> = {
  en: [
    'Your voucher: Siam Ocean World, 24 Dec 2026',
    'Hello Ada Lovelace,',
    'Thursday, 24 December 2026',
    '2 adults, 1 child',
    'THB 2,070.00',
    'Indochina Time (GMT+7)',
  ],
  th: [
    'วอเชอร์ของคุณ: Siam Ocean World 24 ธ.ค. 2026',
    'เรียน คุณ Ada Lovelace',
    'วันพฤหัสบดีที่ 24 ธันวาคม ค.ศ. 2026',
    'ผู้ใหญ่ 2 คน เด็ก 1 คน',
    'THB 2,070.00',
    'เวลาอินโดจีน (GMT+7)',
  ],
  vi: [
    'Voucher của quý khách: Siam Ocean World, 24 thg 12, 2026',
    'Kính gửi Ada Lovelace,',
    'Thứ Năm, 24 tháng 12, 2026',
    '2 người lớn, 1 trẻ em',
    '2.070,00 THB',
    'Giờ Đông Dương (GMT+7)',
  ],
  id: [
    'Voucher Anda: Siam Ocean World, 24 Des 2026',
    'Halo Ada Lovelace,',
    'Kamis, 24 Desember 2026',
    '2 dewasa, 1 anak',
    'THB 2.070,00',
    'Waktu Indochina (GMT+7)',
  ],
  ms: [
    'Baucar anda: Siam Ocean World, 24 Dis 2026',
    'Salam sejahtera Ada Lovelace,',
    'Khamis, 24 Disember 2026',
    '2 dewasa, 1 kanak-kanak',
    'THB 2,070.00',
    'Waktu Indochina (GMT+7)',
  ],
  zh: [
    '您的预订凭证：Siam Ocean World，2026年12月24日',
    'Ada Lovelace，您好：',
    '2026年12月24日星期四',
    '2位成人、1位儿童',
    'THB 2,070.00',
    '中南半岛时间 (GMT+7)',
  ],
  ja: [
    '【バウチャー】Siam Ocean World（2026/12/24）',
    'Ada Lovelace 様',
    '2026年12月24日木曜日',
    '大人2名、子ども1名',
    'THB 2,070.00',
    'インドシナ時間 (GMT+7)',
  ],
  ko: [
    '[바우처] Siam Ocean World (2026. 12. 24.)',
    'Ada Lovelace 님, 안녕하십니까.',
    '2026년 12월 24일 목요일',
    '성인 2명, 어린이 1명',
    'THB 2,070.00',
    '인도차이나 시간 (GMT+7)',
  ],
};

/** The visible text of an HTML part. */
function shown(html: string): string {
  const body = html.slice(html.indexOf('<body'));
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return body.replace(/<[^>]*>/g, '').replace(/&(\w+|#39);/g, (all, name: string) => entities[name] ?? all);
}

const evenly = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ').replaceAll('\u2060', '');

describe('the mail', () => {
  test.each(LANGUAGES)('in %s says when, who, how much and until when, as one writes there', (language) => {
    const mail = voucherMail(aView({ language }));
    const [subject, ...texts] = SAID[language];
    expect(evenly(mail.subject)).toBe(subject);
    for (const text of texts) {
      expect(evenly(mail.text)).toContain(text);
      expect(evenly(shown(mail.html))).toContain(text);
    }
    expect(mail.html).toContain(`<html lang="${language}">`);
  });

  test.each(LANGUAGES)('in %s has everything that the guest needs, also where no picture is shown', (language) => {
    const { text, html } = voucherMail(aView({ language }));
    const needed = [
      'Siam Ocean World',
      '09:00–18:00',
      'Ocean Hall',
      '991 Rama I Road, Bangkok 10330',
      'Show the code at gate 2.\nThen take the lift.',
      '18:00',
      CODE,
      'bk_7gk2m0q9xw4t1zc8rb5n',
      cancellationText({ freeUntilHours: 24, percentKept: 50 }, language),
    ];
    for (const one of needed) {
      // Indonesian times are written with a point.
      expect(text.replace('pukul 18.00', '18:00')).toContain(one);
      expect(shown(html).replace('pukul 18.00', '18:00')).toContain(one);
    }
    expect(text).toContain(PAGE);
    expect(html).toContain(`href="${PAGE}"`);
    expect(html).toContain('src="cid:qr.bk_1.1@waymark.localhost"');
  });

  test('has its own texts in every language', () => {
    const subjects = LANGUAGES.map((language) => voucherMail(aView({ language })).subject);
    expect(new Set(subjects).size).toBe(LANGUAGES.length);
  });

  test('leaves out fields that the catalogue no longer has', () => {
    const { text } = voucherMail(aView({ checkIn: '', openingHours: '', venueAddress: '' }));
    expect(text).not.toContain('Check-in');
    expect(text).not.toContain('Opening hours');
    expect(text).toContain('Venue: Ocean Hall\nTotal price');
  });

  test.each([
    ['VND', 450_000, '450.000 VND'],
    ['IDR', 45_000_050, '450.000,50 IDR'],
    ['SGD', 3_990, '39,90 SGD'],
  ] as const)('writes %s in its own precision', (currency, totalMinor, price) => {
    expect(evenly(voucherMail(aView({ language: 'vi', currency, totalMinor })).text)).toContain(price);
  });

  test('shows a discount below the total, in every language, and no discount of 0', () => {
    const labels = LANGUAGES.map((language) => {
      const { text, html } = voucherMail(aView({ language, discountMinor: 82_800 }));
      const [label = ''] =
        text
          .split('\n')
          .find((line) => /828[.,]00/.test(line))
          ?.split(/[:：]/) ?? [];
      expect([text.includes(label), shown(html).includes(label)]).toEqual([true, true]);
      expect(voucherMail(aView({ language })).text).not.toContain(label);
      return label;
    });
    expect(new Set(labels).size).toBe(LANGUAGES.length);
    expect(evenly(voucherMail(aView({ discountMinor: 82_800 })).text)).toContain(
      'Total price: THB 2,070.00\nDiscount included: THB 828.00\n',
    );
  });

  test('uses the singular for one adult, and leaves out zero children', () => {
    expect(voucherMail(aView({ numAdults: 1, numChildren: 0 })).text).toContain('Guests: 1 adult\n');
  });
});

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\r\n',
        '\n',
        '\u2028',
        '\0',
        '\u202e',
        '\u2066',
        '\u200f',
        'שלום',
        'مرحبا',
        '"',
        "'",
        '<',
        '&',
        '>',
      ),
      fc.constantFrom('<img src=x onerror=alert(1)>', '</bdi>', '<script>', '&lt;', 'Bcc: eve@example.com', 'cid:x'),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(''));

describe("any guest's name", () => {
  test('is one line of the text, and does not change the direction of other text', () => {
    const plain = voucherMail(aView({ guestName: 'X' })).text.split('\n').length;
    fc.assert(
      fc.property(hostile, fc.constantFrom(...LANGUAGES), (guestName, language) => {
        const { text, subject } = voucherMail(aView({ guestName, language }));
        expect(text.split(/\r\n|[\n\r\u2028\u2029]/)).toHaveLength(plain);
        expect(subject).not.toMatch(/[\p{Control}\u2028\u2029]/u);
        expect(text).not.toMatch(/[\u202a-\u202e\u2066\u2067\0]/);
        expect(text.split('\u2068')).toHaveLength(text.split('\u2069').length);
      }),
    );
  });

  test('adds no markup', () => {
    const elements = (html: string): string[] => html.match(/<[^>]*>/g) ?? [];
    fc.assert(
      fc.property(hostile, hostile, fc.constantFrom(...LANGUAGES), (guestName, activityTitle, language) => {
        const { html } = voucherMail(aView({ guestName, activityTitle, language }));
        expect(elements(html)).toEqual(elements(voucherMail(aView({ language })).html));
        expect(shown(html)).toContain(nameInMail(guestName) || '–');
      }),
    );
  });

  test('is isolated only if it is right-to-left', () => {
    expect([bidiIsolated('Ada  Lovelace\n'), bidiIsolated('שלום')]).toEqual(['Ada Lovelace', '\u2068שלום\u2069']);
  });
});

test.each(LANGUAGES.map((language) => [language]))(
  '%s: says what is not refundable, and only if something is',
  (language) => {
    const view = aView({ language });
    const rows = (mail: string) => mail.split('\n').length;
    const usual = voucherMail(view);
    const retaining = voucherMail({ ...view, retainedMinor: 103_500 });
    expect(rows(retaining.text)).toBe(rows(usual.text) + 1);
    expect(retaining.text).toMatch(/1[.,]035/);
    expect(retaining.html).toMatch(/1[.,]035/);
    expect(usual.text).not.toMatch(/1[.,]035/);
  },
);

test('names the short code, and where guests ask for help if that is set', () => {
  const { text, html } = voucherMail(aView({ support: 'help@waymark.example' }));
  for (const part of [text, html]) {
    expect(part).toMatch(/Short code.{1,200}K7M1X W8TGZ/s);
    expect(part).toContain('Support: help@waymark.example');
  }
  expect(html).toContain('<img src="https://waymark.example/pictures/walk.png" width="600" alt=""');
  expect(voucherMail(aView()).text).not.toContain('Support');
});
