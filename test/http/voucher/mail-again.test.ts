import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { START } from '../../../src/eventsourcing/message.ts';
import { headOf } from '../../support/log-of-service.ts';
import { eventsOf, modify } from '../../support/modifications.ts';
import { createOperator } from '../../support/operators.ts';
import { type Credentials, openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import type { Answer, AnswerOf } from '../../support/service-answers.ts';
import { SmtpPeer } from '../../support/smtp-peer.ts';

type Mailed = AnswerOf<'post /api/bookings/:booking_id/voucher-mail'>;

let service: Service;
let peer: SmtpPeer;
beforeEach(async () => {
  peer = await SmtpPeer.listen();
  service = await openService({ mails: 'sent', settings: { SMTP_URL: peer.url } });
});
afterEach(async () => {
  await service.stop();
  await peer.close();
});

function mailAgain(id: string, headers: Credentials = {}): Promise<Answer<Mailed>> {
  return service.post(`/api/bookings/${id}/voucher-mail`, {}, { ...service.admin, ...headers });
}

function recipients(): readonly string[] {
  return peer.arrived.map(({ to }) => to);
}

/** Resolves once the log has `count` events of a type. */
async function recorded(type: string, count: number): Promise<void> {
  let found = 0;
  const signal = AbortSignal.timeout(9_000);
  for await (const { events } of service.node.stores.store.subscribe({ after: START, signal })) {
    found += events.filter((event) => event.type === type).length;
    if (found >= count) return;
  }
}

describe('a voucher that is mailed again', () => {
  test('reaches the guest before the answer, with the same code and another Message-ID', async () => {
    const { data: booked } = await service.book();
    service.clock.advance(60_000);
    const { data, headers } = await mailAgain(booked.booking_id);
    expect([data.email_sent, data.email_sent_at]).toEqual([true, '2026-11-21T03:01:00.000Z']);
    expect([data.voucher, headers.get('etag'), headers.get('idempotent-replayed')]).toEqual([
      booked.voucher,
      '"1"',
      null,
    ]);
    expect(recipients()).toEqual(['ada@example.com', 'ada@example.com']);
    const ids = peer.arrived.map(({ mail }) => mail.messageId);
    expect(new Set(ids).size).toBe(2);
    for (const { raw } of peer.arrived) expect(raw).toContain(booked.voucher.code);
  });

  test('goes to the present address', async () => {
    const { data } = await service.book();
    await modify(service, data, { user_email: 'augusta@example.org' });
    await mailAgain(data.booking_id);
    expect(recipients()).toEqual(['ada@example.com', 'augusta@example.org', 'augusta@example.org']);
  });

  test('counts for the bounds of mails: the sixth within an hour is not sent, and the answer says why', async () => {
    const { data } = await service.book();
    for (let n = 2; n <= 5; n++) expect((await mailAgain(data.booking_id)).data.email_sent).toBe(true);
    const limited = { email_sent: false, email_sent_at: null, email_reason: 'MAIL_LIMIT' };
    expect((await mailAgain(data.booking_id)).data).toMatchObject(limited);
    expect(peer.arrived).toHaveLength(5);
    service.clock.advance(3_600_000);
    expect((await mailAgain(data.booking_id)).data.email_sent).toBe(true);
  });

  test('with an Idempotency-Key is mailed once, also after a restart', async () => {
    const { data } = await service.book();
    const key = { 'idempotency-key': 'again-1' };
    expect((await mailAgain(data.booking_id, key)).headers.get('idempotent-replayed')).toBeNull();
    for (const restarted of [false, true]) {
      if (restarted) await service.restart();
      const { data: repeated, headers } = await mailAgain(data.booking_id, key);
      expect([repeated.email_sent, headers.get('idempotent-replayed'), headers.get('x-position')]).toEqual([
        true,
        'true',
        null,
      ]);
    }
    expect(peer.arrived).toHaveLength(2);
  });

  test('is mailed after a restart if the mail server was away, once', async () => {
    const { data } = await service.book();
    peer.recipientReplies.push(450);
    expect((await mailAgain(data.booking_id)).data.email_sent).toBe(false);
    await service.restart();
    service.clock.advance(10_000);
    await recorded('VoucherMailed.v3', 2);
    expect(peer.arrived).toHaveLength(2);
    expect((await service.booking(data.booking_id)).data.email_sent).toBe(true);
  });

  test('is in the history, for agents by the operator, and survives a rebuild', async () => {
    const support = await createOperator(service, 'support');
    const { data } = await service.book();
    await mailAgain(data.booking_id, support.headers);
    const own = await service.get<AnswerOf<'get /api/b2a/bookings/:booking_id'>>(
      `/api/b2a/bookings/${data.booking_id}?include=history`,
      service.key,
    );
    const events = (own.data.history ?? []).map(({ event, by }) => `${event} ${by}`);
    expect(events.slice(-3)).toEqual([
      'voucher_mailed system',
      'voucher_mail_requested operator',
      'voucher_mailed system',
    ]);
    expect(JSON.stringify(own.data.history)).not.toContain(support.id);
    const before = await service.documents('bookings');
    await service.rebuild('bookings');
    expect(await service.documents('bookings')).toEqual(before);
    expect(peer.arrived).toHaveLength(2);
  });
});

describe('a voucher is not mailed again', () => {
  const refusedFor = async (id: string) => {
    const { code, details } = (await mailAgain(id)).refusal;
    return `${code}, ${details}`;
  };

  test('if the booking waits for its venue, was visited or cancelled, or its date is over', async () => {
    const { data: pending } = await service.book({ activity_id: 'village-kitchen' });
    expect((await mailAgain(pending.booking_id)).refusal.error).toBe(
      'The booking is pending, so its voucher cannot be mailed; confirm it first.',
    );
    const { data: visited } = await service.book({ booking_date: TODAY });
    await service.verify({ code: visited.voucher.code });
    const { data: cancelled } = await service.book();
    await service.post(`/api/bookings/${cancelled.booking_id}/cancel`, { reason: 'weather' }, service.admin);
    const { data: past } = await service.book({ booking_date: TOMORROW });
    service.clock.advance(3 * 86_400_000);
    const ids = [visited, cancelled, past].map(({ booking_id: id }) => id);
    expect(await Promise.all(ids.map(refusedFor))).toEqual([
      'BOOKING_NOT_MODIFIABLE, status: completed',
      'BOOKING_NOT_MODIFIABLE, status: cancelled',
      'BOOKING_NOT_MODIFIABLE, status: past',
    ]);
    expect((await mailAgain('bk_00000000000000000000')).refusal.code).toBe('BOOKING_NOT_FOUND');
  });

  test('if the guest was erased', async () => {
    const { data } = await service.book();
    await service.post(`/api/bookings/${data.booking_id}/erase`, {}, service.admin);
    expect(await refusedFor(data.booking_id)).toBe('BOOKING_NOT_MODIFIABLE, status: erased');
    expect(peer.arrived).toHaveLength(1);
  });

  test('for a viewer or an analyst', async () => {
    const { data } = await service.book();
    const viewer = await createOperator(service, 'viewer');
    const position = await headOf(service);
    for (const headers of [viewer.headers, service.analyst])
      expect((await mailAgain(data.booking_id, headers)).refusal.code).toBe('FORBIDDEN');
    expect(await headOf(service)).toBe(position);
    expect((await eventsOf(service, data)).some(({ type }) => type.startsWith('VoucherMailRequested'))).toBe(false);
  });
});
