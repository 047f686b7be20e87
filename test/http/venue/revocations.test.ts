import { describe, expect, test } from 'bun:test';
import {
  checkVoucherToken,
  type PublishedKeys,
  readRevocations,
  verdict,
} from '../../../examples/check-voucher-token.ts';
import { listRevocations } from '../../../src/application/venue/list-revocations.ts';
import { date, venueId } from '../../support/examples.ts';
import { scanPng } from '../../support/scan.ts';
import { NOW, openService, type Service, TODAY, TOMORROW, withDevice } from '../../support/service.ts';
import type { Booking } from '../../support/service-answers.ts';
import { testGate, testKey } from '../../support/test-mode.ts';

type Listed = {
  readonly venue_id: string;
  readonly date: string;
  readonly issued_at: string;
  readonly count: number;
  readonly list: string;
};

/** A gate of the old pier with its keys, as it knows things offline. */
async function gateOf(service: Service, headers = service.gates.pier) {
  const keys = (await (await service.send('/.well-known/waymark-voucher-keys.json')).json()) as PublishedKeys;
  const listOn = async (on: string) => {
    await service.documents('revocations');
    return (await service.get<Listed>(`/api/venue/revocations?date=${on}`, headers)).data;
  };
  return {
    listOn,
    verdictOn: async (on: string, token: string, now = new Date(service.clock.nowMs())) => {
      const voucher = checkVoucherToken(token, keys);
      const list = readRevocations((await listOn(on)).list, keys);
      return verdict(voucher, list, { venueId: 'old-pier', date: on, now });
    },
  };
}

async function tokenOf(service: Service, { voucher }: Booking): Promise<string> {
  const answer = await service.send(`/api/vouchers/${voucher.code}/qr.png`);
  return scanPng(await answer.arrayBuffer());
}

describe('the revocation list', () => {
  test('is signed like a token, names the venue and the date, and contains no code', async () => {
    await using service = await openService();
    const { data } = await service.book();
    await service.post(`/api/b2a/bookings/${data.booking_id}/cancel`, {}, service.key);
    const { listOn } = await gateOf(service);
    const answer = await listOn(TOMORROW);
    const issued_at = new Date(NOW).toISOString();
    const list = expect.stringMatching(
      /^WR1\.[0-9A-Z]{8}\.OLD-PIER\.20261122\.[0-9A-Z]+\.[0-9A-Z]{26}-X\.[0-9A-Z]{103}$/,
    );
    expect<object>(answer).toEqual({ venue_id: 'old-pier', date: TOMORROW, issued_at, count: 1, list });
    expect(JSON.stringify(answer)).not.toContain(data.voucher.code);
    expect(await listOn(TODAY)).toMatchObject({ count: 0 });
  });

  test('is of today at the venue without a date, and needs a device', async () => {
    await using service = await openService({ startMs: Date.parse('2026-11-21T17:00:00Z') });
    const path = '/api/venue/revocations';
    expect((await service.get<Listed>(path, service.gates.pier)).data.date).toBe(TOMORROW);
    expect((await service.get(path)).refusal.code).toBe('MISSING_DEVICE_KEY');
    expect((await service.get(`${path}?date=soon`, service.gates.pier)).refusal.code).toBe('INVALID_DATE');
  });

  test('has neither other venues’ bookings nor test bookings, which the list of a test device has', async () => {
    await using service = await openService();
    const key = await testKey(service);
    const live = (await service.book({ activity_id: 'night-market' })).data;
    const ofTests = (await service.book({}, key)).data;
    await service.post(`/api/b2a/bookings/${live.booking_id}/cancel`, {}, service.key);
    expect((await service.post(`/api/b2a/bookings/${ofTests.booking_id}/cancel`, {}, key)).status).toBe(200);
    expect((await (await gateOf(service)).listOn(TOMORROW)).count).toBe(0);
    const atTests = await gateOf(service, await testGate(service));
    expect((await atTests.listOn(TOMORROW)).count).toBe(1);
  });

  test('has no request that was never confirmed', async () => {
    await using service = await openService();
    const { data } = await service.book({ activity_id: 'village-kitchen' });
    expect(data.status).toBe('pending');
    await service.post(`/api/b2a/bookings/${data.booking_id}/cancel`, {}, service.key);
    const { device_key } = await service.createDevice('rice-terrace');
    expect((await (await gateOf(service, withDevice(device_key))).listOn(TOMORROW)).count).toBe(0);
    expect(await service.documents('revocations')).toHaveLength(1);
  });

  test('has a booking that the read model of bookings lacks as yet', async () => {
    await using service = await openService();
    const { data } = await service.book();
    await service.post(`/api/b2a/bookings/${data.booking_id}/cancel`, {}, service.key);
    await service.documents('revocations');
    const { context } = service.node;
    const { readModels } = context;
    const behind = { find: readModels.find.bind(readModels), load: () => Promise.resolve(new Map()) };
    const asked = { venueId: venueId('old-pier'), date: date(TOMORROW), mode: 'live' } as const;
    expect(await listRevocations(asked, { ...context, readModels: behind })).toMatchObject({ kind: 'list', count: 1 });
  });

  test('is refused while its read model is behind the log, because its time would promise changes that it lacks', async () => {
    await using service = await openService();
    const { data } = await service.book();
    await service.post(`/api/b2a/bookings/${data.booking_id}/cancel`, {}, service.key);
    const asked = { venueId: venueId('old-pier'), date: date(TOMORROW), mode: 'live' } as const;
    const behind = { ...service.node.context, caughtUp: () => Promise.resolve(false) };
    expect(await listRevocations(asked, behind)).toMatchObject({ refusal: { code: 'SERVICE_UNAVAILABLE' } });
    // Without a wait in the test: the list itself waits.
    const path = `/api/venue/revocations?date=${TOMORROW}`;
    expect((await service.get<Listed>(path, service.gates.pier)).data.count).toBe(1);
  });

  test('is the same after a rebuild', async () => {
    await using service = await openService();
    const { data } = await service.book({ num_adults: 3 });
    const { listOn } = await gateOf(service);
    await service.post(`/api/b2a/bookings/${data.booking_id}/modify`, { num_adults: 2 }, service.key);
    const before = await listOn(TOMORROW);
    expect(before.count).toBe(1);
    expect(await service.rebuild('revocations')).toMatchObject({ kind: 'rebuilt', differences: 0 });
    expect(await listOn(TOMORROW)).toEqual(before);
  });
});

describe('an offline gate with the list', () => {
  test('admits a current voucher, and refuses a cancelled one', async () => {
    await using service = await openService();
    const [kept, gone] = [(await service.book()).data, (await service.book()).data];
    const tokens = [await tokenOf(service, kept), await tokenOf(service, gone)];
    await service.post(`/api/b2a/bookings/${gone.booking_id}/cancel`, {}, service.key);
    service.clock.set(Date.parse('2026-11-22T03:00:00Z'));
    const { verdictOn } = await gateOf(service);
    expect(await Promise.all(tokens.map((token) => verdictOn(TOMORROW, token)))).toEqual(['admit', 'refuse']);
  });

  test('refuses the old voucher of a changed booking and admits the new one, on both dates', async () => {
    await using service = await openService();
    const { data } = await service.book();
    const old = await tokenOf(service, data);
    const change = (body: object) => service.post(`/api/b2a/bookings/${data.booking_id}/modify`, body, service.key);
    await change({ user_name: 'Ada King' });
    const { verdictOn } = await gateOf(service);
    const tomorrow = new Date('2026-11-22T03:00:00Z');
    service.clock.set(tomorrow.getTime() - 60_000);
    expect(await verdictOn(TOMORROW, old, tomorrow)).toBe('admit');
    await change({ num_adults: 3 });
    const grown = await tokenOf(service, data);
    expect(await verdictOn(TOMORROW, old, tomorrow)).toBe('refuse');
    expect(await verdictOn(TOMORROW, grown, tomorrow)).toBe('admit');
    await change({ booking_date: '2026-11-24' });
    const moved = await tokenOf(service, data);
    expect(await verdictOn(TOMORROW, grown, tomorrow)).toBe('refuse');
    service.clock.set(Date.parse('2026-11-24T03:00:00Z'));
    expect(await verdictOn('2026-11-24', moved)).toBe('admit');
    expect(await verdictOn('2026-11-24', grown)).toBe('refuse');
    await service.post(`/api/b2a/bookings/${data.booking_id}/cancel`, {}, service.key);
    expect(await verdictOn('2026-11-24', moved)).toBe('refuse');
  });

  test('asks where it cannot know: the list is older than 15 minutes, or of another date', async () => {
    await using service = await openService();
    const token = await tokenOf(service, (await service.book()).data);
    service.clock.set(Date.parse('2026-11-22T03:00:00Z'));
    const { verdictOn } = await gateOf(service);
    const later = (minutes: number) => new Date(service.clock.nowMs() + minutes * 60_000);
    expect(await verdictOn(TOMORROW, token, later(15))).toBe('admit');
    expect(await verdictOn(TOMORROW, token, later(16))).toBe('ask');
  });
});
