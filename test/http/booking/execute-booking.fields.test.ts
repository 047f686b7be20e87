import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ErrorCode } from '../../../src/application/refusal.ts';
import { openService, type Service } from '../../support/service.ts';
import { faulty, refused } from '../../support/service-answers.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

const refusalOf = async (change: object) => (await service.book({ ...change, dry_run: true })).refusal;

/** The codes of each field, its rule in words, and values that break it with how the answer shows them. */
const FIELDS: readonly (readonly [field: string, code: ErrorCode, rule: string, values: readonly unknown[]])[] = [
  ['activity_id', 'INVALID_REQUEST', 'an activity_id from inventory', ['', 7, {}, 'x'.repeat(81)]],
  [
    'user_email',
    'INVALID_EMAIL',
    'a valid e-mail address',
    ['', 'ada', 'ada@', '@example.com', 'ada@example', 'ada@@example.com', 'a da@example.com', 'ada@example..com', 7],
  ],
  [
    'user_email',
    'INVALID_EMAIL',
    'a valid e-mail address',
    [
      'Ada <ada@example.com>',
      '"a"@b.co',
      ' ada@example.com',
      'ada(guest)@example.com',
      'ada@example.com,eve@example.com',
      'ada..lovelace@example.com',
      'ada.@example.com',
      `${'a'.repeat(65)}@example.com`,
      'ada@-a.example',
      'ada@example.com.',
      'ada@ex%61mple.com',
      'ada@192.0.2.1',
      'ada@0x7f.1',
      'ada@[192.0.2.1]',
      'ada@xn--zz.example',
      `ada@${'a'.repeat(64)}.example`,
    ],
  ],
  ['user_name', 'INVALID_REQUEST', "the guest's name, 1 to 200 characters in one line", ['', '  ', '\u00a0', true]],
  [
    'num_adults',
    'INVALID_REQUEST',
    'a whole number from 1 to 20',
    [0, -1, 1.5, 20.5, ' 2', '2.0', 'two', '', true, [2]],
  ],
  ['num_adults', 'BOOKING_LIMIT_EXCEEDED', 'a whole number from 1 to 20', [21, 1_000_000]],
  ['num_children', 'INVALID_REQUEST', 'a whole number from 0 to 20', [-1, 0.5, '1e0', false]],
  ['num_children', 'BOOKING_LIMIT_EXCEEDED', 'a whole number from 0 to 20', [21]],
  ['context_log_id', 'INVALID_REQUEST', 'the log_id of a recommendation', [7, 'x'.repeat(81)]],
  ['special_requests', 'INVALID_REQUEST', 'a text of at most 1000 characters in one line', [7, 'x'.repeat(1_001)]],
  [
    'webhook_url',
    'INVALID_REQUEST',
    'an http:// or https:// URL of a public host or this machine, without user name and password, at most 2000 characters',
    [
      '',
      'agent.example',
      'ftp://agent.example/',
      'https://me:secret@agent.example/',
      'https://169.254.169.254/latest/meta-data',
      'http://[fd00:ec2::254]/',
      'http://167772161/',
      `https://a.example/${'x'.repeat(2_000)}`,
    ],
  ],
  ['hold_id', 'INVALID_REQUEST', 'the id of a hold', [7, 'x'.repeat(81)]],
];
const CASES = FIELDS.flatMap(([field, code, rule, values]) =>
  values.map((value) => [field, value, code, rule] as const),
);

test.each(CASES)('%s of %j is %s', async (field, value, code, rule) => {
  const shown = JSON.stringify(value);
  const sentence = `${field} must be ${rule}; it was ${shown.length > 80 ? `${shown.slice(0, 77)}…` : shown}.`;
  expect(await refusalOf({ [field]: value })).toEqual(faulty(code, sentence));
});

test.each([
  ['activity_id', 'INVALID_REQUEST', 'an activity_id from inventory'],
  ['user_email', 'INVALID_EMAIL', 'a valid e-mail address'],
  ['user_name', 'INVALID_REQUEST', "the guest's name, 1 to 200 characters in one line"],
  ['num_adults', 'INVALID_REQUEST', 'a whole number from 1 to 20'],
] as const)('%s that is missing, or null, is %s', async (field, code, rule) => {
  const expected = faulty(code, `${field} is missing; it must be ${rule}.`);
  expect(await refusalOf({ [field]: undefined })).toEqual(expected);
  expect(await refusalOf({ [field]: null })).toEqual(expected);
});

describe('booking_date must be exact: INVALID_DATE suggests the date that is meant and says today’s date there,', () => {
  const rule = 'a real calendar date as YYYY-MM-DD';
  const today = 'today in Bangkok is 2026-11-21, tomorrow 2026-11-22';
  test.each([
    ['', '""'],
    ['soon', '"soon"'],
    ['2026-02-30', '"2026-02-30"'],
    [20261122, '20261122'],
    ['x'.repeat(100), `"${'x'.repeat(56)}…`],
    ['tomorrow', '"tomorrow" (did you mean "2026-11-22"?)'],
    ['Saturday', '"Saturday" (did you mean "2026-11-21"?)'],
    ['22-11-2026', '"22-11-2026" (did you mean "2026-11-22"?)'],
    ['2026-11-22T00:00:00Z', '"2026-11-22T00:00:00Z" (did you mean "2026-11-22"?)'],
    ['03/04/2027', '"03/04/2027" (did you mean "2027-04-03" or "2027-03-04"?)'],
  ])('given %j', async (value, shown) => {
    const sentence = `booking_date must be ${rule}; it was ${shown}; ${today}.`;
    expect(await refusalOf({ booking_date: value })).toEqual(faulty('INVALID_DATE', sentence));
  });

  test('given none', async () => {
    const sentence = `booking_date is missing; it must be ${rule}; ${today}.`;
    expect(await refusalOf({ booking_date: undefined })).toEqual(faulty('INVALID_DATE', sentence));
    expect(await refusalOf({ booking_date: null })).toEqual(faulty('INVALID_DATE', sentence));
  });

  test('given an unknown activity: in UTC', async () => {
    const { error } = await refusalOf({ activity_id: 'atlantis', booking_date: 'tomorrow' });
    expect(error).toEndWith('; today in UTC is 2026-11-21, tomorrow 2026-11-22.');
  });
});

test('dry_run is true or false, and nothing else', async () => {
  for (const value of ['on', 1, 'yes']) {
    const { refusal } = await service.book({ dry_run: value });
    expect(refusal).toEqual(
      faulty('INVALID_REQUEST', `dry_run must be true or false; it was ${JSON.stringify(value)}.`),
    );
  }
});

describe('at its bounds', () => {
  test.each([
    ['one adult', { num_adults: 1 }],
    ['twenty adults', { num_adults: 20 }],
    ['a number with decimals that are zero', { num_adults: 2.0 }],
    ['no child, told', { num_children: 0 }],
    ['ten adults and twenty children: thirty guests', { num_adults: 10, num_children: 20 }],
    ['a long name', { user_name: 'x'.repeat(200) }],
    ['a name in another script', { user_name: 'สมชาย ใจดี 山田 😀' }],
    ['a long text', { special_requests: 'x'.repeat(1_000) }],
    ['an address with a plus and a dash', { user_email: "o'hara+waymark@mail-1.example.co.th" }],
    ['a receiver in plain HTTP, outside production', { webhook_url: 'http://127.0.0.1:9000/hook' }],
  ])('%s is accepted', async (_what, change) => {
    expect((await service.book({ ...change, activity_id: 'sea-tunnel', dry_run: true })).status).toBe(200);
  });

  test('twenty adults and eleven children are BOOKING_LIMIT_EXCEEDED together', async () => {
    const sentence =
      'num_adults and num_children are 31 guests together; one booking takes at most 30. Make several bookings.';
    expect(await refusalOf({ num_adults: 20, num_children: 11 })).toEqual(faulty('BOOKING_LIMIT_EXCEEDED', sentence));
  });
});

describe('an object instead of a number', () => {
  test('is refused, even if it cannot be converted', async () => {
    const objects: unknown[] = [{ valueOf: 1, toString: 1 }, { toJSON: 1 }, [], {}];
    for (const num_adults of objects) {
      const refusal = await refusalOf({ num_adults, num_children: 20 });
      expect([refusal.code, refusal.error]).toEqual([
        'INVALID_REQUEST',
        `num_adults must be a whole number from 1 to 20; it was ${JSON.stringify(num_adults)}.`,
      ]);
    }
  });
});

describe('of several faults', () => {
  test('the first in the field table gives the code, and details name all', async () => {
    const refusal = await refusalOf({
      user_name: '',
      num_adults: 21,
      user_email: 'ada',
      webhook_url: 'x',
      num_children: -1,
    });
    const sentences = [
      'user_email must be a valid e-mail address; it was "ada".',
      'user_name must be the guest\'s name, 1 to 200 characters in one line; it was "".',
      'num_adults must be a whole number from 1 to 20; it was 21.',
      'num_children must be a whole number from 0 to 20; it was -1.',
      'webhook_url must be an http:// or https:// URL of a public host or this machine, without user name and password, at most 2000 characters; it was "x".',
    ];
    const details = sentences.join(' ');
    expect(refusal).toEqual(refused(400, 'INVALID_EMAIL', sentences[0] ?? '', { details }));
  });

  test.each([
    [{ activity_id: 7, user_email: 7 }, 'INVALID_REQUEST', 'activity_id'],
    [{ booking_date: 'soon', num_adults: 21 }, 'INVALID_DATE', 'booking_date'],
    [{ num_adults: 21, num_children: -1 }, 'BOOKING_LIMIT_EXCEEDED', 'num_adults'],
    [{ num_adults: 0, num_children: 21 }, 'INVALID_REQUEST', 'num_adults'],
  ] as const)('%j is %s', async (change, code, field) => {
    const refusal = await refusalOf(change);
    expect(refusal.code).toBe(code);
    expect(refusal.error).toStartWith(`${field} must be `);
    for (const name of Object.keys(change)) expect(refusal.details).toInclude(`${name} must be `);
  });

  test('too many guests come before a bad webhook_url', async () => {
    const refusal = await refusalOf({ num_adults: 20, num_children: 20, webhook_url: 'x' });
    expect(refusal.code).toBe('BOOKING_LIMIT_EXCEEDED');
    expect(refusal.details).toInclude('webhook_url must be ');
  });
});

test('an Idempotency-Key has 1 to 255 characters', async () => {
  for (const [key, length] of [
    ['', 0],
    ['x'.repeat(256), 256],
  ] as const) {
    const sentence = `The header Idempotency-Key must be 1 to 255 characters; it was ${length}.`;
    expect((await service.book({}, { 'idempotency-key': key })).refusal).toEqual(
      refused(400, 'INVALID_REQUEST', sentence),
    );
  }
  expect((await service.book({ dry_run: true }, { 'idempotency-key': 'x'.repeat(255) })).status).toBe(200);
});
