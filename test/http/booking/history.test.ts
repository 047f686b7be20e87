import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { freshVoucher } from '../../../src/application/voucher/fresh-voucher.ts';
import type { AllotmentId, ClaimId } from '../../../src/domain/ids.ts';
import { command, factsOf, placeOnRequest, wishedNow } from '../../support/booking-commands.ts';
import { fingerprint } from '../../support/examples.ts';
import { openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';

type Read = AnswerOf<'get /api/b2a/bookings/:booking_id'>;
type Entry = NonNullable<Read['history']>[number];

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

async function historyOf(id: string): Promise<readonly Entry[]> {
  const { data } = await service.get<Read>(`/api/b2a/bookings/${id}?include=history`, service.key);
  return data.history ?? [];
}

const summaryOf = (entries: readonly Entry[]) => entries.map(({ event, text, by }) => [event, by, text]);

describe("a booking's history", () => {
  test('describes the events in plain words, with the booking', async () => {
    const { data } = await service.book({ booking_date: TODAY });
    service.clock.advance(60_000);
    await service.verify({ code: data.voucher.code, gate: 'north' });
    const booking = (await service.booking(data.booking_id)).data;
    const withIt = await service.get(`/api/b2a/bookings/${data.booking_id}?include=history`, service.key);
    const [at, later] = ['2026-11-21T03:00:00.000Z', '2026-11-21T03:01:00.000Z'];
    expect(withIt.data).toEqual({
      ...booking,
      history: [
        { at, event: 'confirmed', text: 'The booking is confirmed for 2026-11-21, 2 guests.', by: 'user' },
        { at, event: 'charged', text: '241 THB were charged.', by: 'user' },
        {
          at,
          event: 'voucher_issued',
          text: `The voucher was issued, valid until ${data.voucher.valid_until}.`,
          by: 'user',
        },
        { at: later, event: 'visited', text: 'The voucher was verified at north.', by: 'venue' },
      ],
    });
    expect(booking).not.toHaveProperty('history');
  });

  test('counts one guest as one', async () => {
    const { data } = await service.book({ num_adults: 1 });
    const [confirmed] = await historyOf(data.booking_id);
    expect(confirmed?.text).toBe(`The booking is confirmed for ${data.booking_date}, 1 guest.`);
  });

  test('has changes without personal data, refunds, cancellations and mails', async () => {
    const { data } = await service.book();
    const id = data.booking_id;
    const modify = {
      type: 'Modify',
      plannedOn: 1,
      modification: { move: null, numAdults: 1, numChildren: 0, guest: null },
      taken: null,
      ...wishedNow(service, 'modify'),
    } as const;
    await command(service, id, modify, (await factsOf(service, id)).keyId);
    const mail = { messageId: '<1@waymark>', issue: 2 };
    const failed = { ...mail, attempt: 1, reason: 'RCPT TO 450', retryAtMs: Date.parse('2026-11-21T03:05:00Z') };
    await command(
      service,
      id,
      { type: 'RecordVoucherMailFailed', ...failed, at: '2026-11-21T03:04:00.000Z' },
      'mailer',
    );
    const mailed = {
      type: 'RecordVoucherMailed',
      ...mail,
      providerId: null,
      recipient: fingerprint('ADA'),
      at: '2026-11-21T03:05:00.000Z',
    } as const;
    await command(service, id, mailed, 'mailer');
    await command(
      service,
      id,
      { type: 'Cancel', reason: 'weather', ...wishedNow(service, 'cancel'), by: 'operator' },
      'admin',
    );
    await command(service, id, { type: 'EraseGuest', by: 'operator', at: '2026-11-21T03:06:00.000Z' }, 'admin');
    const entries = await historyOf(id);
    expect(summaryOf(entries).slice(3)).toEqual([
      ['modified', 'user', 'The booking was changed: adults from 2 to 1.'],
      ['refunded', 'user', expect.stringMatching(/^[\d.]+ THB were refunded\.$/)],
      ['voucher_issued', 'user', expect.stringMatching(/^The voucher was issued, valid until /)],
      [
        'voucher_mail_failed',
        'system',
        'Attempt 1 to mail the voucher failed; it is tried again at 2026-11-21T03:05:00.000Z.',
      ],
      ['voucher_mailed', 'system', 'The voucher was mailed to the guest.'],
      ['cancelled', 'operator', 'The booking was cancelled: the weather does not allow it.'],
      ['refunded', 'operator', expect.stringMatching(/^[\d.]+ THB were refunded\.$/)],
      ['guest_erased', 'operator', "The guest's personal data was erased."],
    ]);
    expect(entries.slice(-5).map(({ at }) => at)).toEqual([
      '2026-11-21T03:04:00.000Z',
      '2026-11-21T03:05:00.000Z',
      '2026-11-21T03:00:00.000Z',
      '2026-11-21T03:00:00.000Z',
      '2026-11-21T03:06:00.000Z',
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/Ada|ada@/);
  });

  test('has the request to the venue and its confirmation, but no abandoned claims', async () => {
    const id = await placeOnRequest(service, Date.parse('2026-11-21T04:00:00Z'));
    const given = { claimId: 'claim_0' as ClaimId, allotmentId: 'river-walk-2026-11-22' as AllotmentId };
    await command(service, id, { type: 'AbandonClaim', ...given }, 'claim-reaper');
    const { hours, ...facts } = await factsOf(service, id);
    if (hours === null) throw new Error('the hours are known');
    const voucher = freshVoucher(id, hours, service.node.context);
    service.clock.advance(60_000);
    await command(
      service,
      id,
      { type: 'ConfirmByVenue', voucher, activityRevision: 0, ifVersions: null, nowMs: service.clock.nowMs() },
      'admin',
    );
    const entries = await historyOf(id);
    expect(summaryOf(entries).slice(0, 2)).toEqual([
      ['placed_on_request', 'user', 'The venue was asked; it may answer until 2026-11-21T04:00:00.000Z.'],
      ['confirmed', 'operator', `The venue agreed: the booking is confirmed for ${facts.date}, 2 guests.`],
    ]);
    expect(entries.map(({ at }) => at).slice(0, 2)).toEqual(['2026-11-21T03:00:00.000Z', '2026-11-21T03:01:00.000Z']);
  });

  test('is the only value of include', async () => {
    const { data } = await service.book({ booking_date: TOMORROW });
    const { refusal } = await service.get(`/api/b2a/bookings/${data.booking_id}?include=secrets`, service.key);
    expect([refusal.status, refusal.code, refusal.details]).toEqual([
      400,
      'INVALID_REQUEST',
      'include must be history; it was "secrets".',
    ]);
  });
});
