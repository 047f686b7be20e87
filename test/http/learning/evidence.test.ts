import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { evidenceOf } from '../../support/evidence.ts';
import { headOf } from '../../support/log-of-service.ts';
import { NOW, openService, type Service, TODAY } from '../../support/service.ts';
import { testGate, testKey } from '../../support/test-mode.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

async function answerOf(service: Service): Promise<string> {
  return (await service.recommend()).data.context.log_id;
}

/** Books the river walk for today and scans the voucher. @returns the booking's id */
async function visit(service: Service, change: object = {}): Promise<string> {
  const { booking_id, voucher } = (await service.book({ booking_date: TODAY, ...change })).data;
  expect((await service.verify({ code: voucher.code })).status).toBe(200);
  return booking_id;
}

async function voidVisit(service: Service, booking_id: string): Promise<void> {
  await service.post('/api/visits/void', { booking_id, reason: 'A mistake.' }, service.admin);
}

/** The factor of each activity in an answer to a couple, after all events. */
async function groundTruths(service: Service): Promise<Readonly<Record<string, number>>> {
  const { recommendations } = (await service.recommend({}, { 'x-position': await headOf(service) })).data;
  return Object.fromEntries(recommendations.map(({ id, score_breakdown }) => [id, score_breakdown.ground_truth]));
}

/** What each event of evidence says: its type, why, and the booking. */
async function said(service: Service, count: number): Promise<readonly (readonly string[])[]> {
  return (await evidenceOf(service, count)).map(({ type, data }) => {
    const booking = 'evidence' in data ? data.evidence.bookingId : data.bookingId;
    return 'why' in data ? [type, data.why, booking] : [type, booking];
  });
}

describe('a verified visit', () => {
  test('is credited with the shown activities, and raises the ground truth of its own', async () => {
    await using service = await openService();
    const log_id = await answerOf(service);
    const before = await groundTruths(service);
    const booking_id = await visit(service, { context_log_id: log_id });
    const [credited] = await evidenceOf(service, 1);
    const [verified] = (await service.events()).filter(({ type }) => type.startsWith('VisitVerified'));
    const { keyId, deviceId: device } = Object(verified?.data) as { keyId: string; deviceId: string };
    expect<object | undefined>(credited).toEqual({
      type: 'VisitCredited',
      data: {
        evidence: {
          bookingId: booking_id,
          activityId: 'river-walk',
          city: 'Bangkok',
          category: 'cultural',
          keyId,
          deviceId: device,
          verifiedAtMs: NOW,
          travelType: 'couple',
          answer: {
            logId: log_id,
            ids: ['river-walk', 'paper-museum', 'night-market'],
            expected: [4810, 2961, 2229],
            places: 'places-1',
          },
        },
        at: new Date(NOW).toISOString(),
      },
    });
    const after = await groundTruths(service);
    expect(before['river-walk']).toBe(0.5);
    expect(after['river-walk']).toBeGreaterThan(0.5);
    expect(after['paper-museum']).toBeLessThan(0.5);
  });

  test('without a recommendation is a walk-in', async () => {
    await using service = await openService();
    const booking_id = await visit(service);
    const [credited] = await evidenceOf(service, 1);
    expect(credited).toMatchObject({ data: { evidence: { bookingId: booking_id, travelType: null, answer: null } } });
    const streams = (await service.events()).filter(({ type }) => type.startsWith('VisitCredited'));
    expect(streams.map(({ stream }) => stream)).toEqual([`evidence-${booking_id}`]);
    expect((await groundTruths(service))['river-walk']).toBeGreaterThan(0.5);
  });

  test('counts once per answer and activity: twenty bookings on one log move as much as one', async () => {
    await using service = await openService();
    await service.put(`/api/activities/river-walk/allotments/${TODAY}`, { capacity: 100 }, service.admin);
    const context_log_id = await answerOf(service);
    await visit(service, { context_log_id });
    await evidenceOf(service, 1);
    const afterOne = await groundTruths(service);
    for (let number = 2; number <= 20; number++) await visit(service, { context_log_id });
    const events = await said(service, 20);
    expect(events.map(([type, why]) => (type === 'VisitPassedOver' ? why : type))).toEqual([
      'VisitCredited',
      ...Array.from({ length: 19 }, () => 'counted'),
    ]);
    expect(await groundTruths(service)).toEqual(afterOne);
    await visit(service, { context_log_id: await answerOf(service) });
    await evidenceOf(service, 21);
    expect((await groundTruths(service))['river-walk']).toBeGreaterThan(afterOne['river-walk'] ?? 1);
  });

  test('reported late by a device that was offline is credited with the time of its scan', async () => {
    await using service = await openService();
    const { voucher } = (await service.book({ booking_date: TODAY })).data;
    service.clock.advance(5 * HOUR);
    const verified_at = new Date(NOW + HOUR).toISOString();
    expect((await service.verify({ code: voucher.code, verified_at })).status).toBe(200);
    const [credited] = await evidenceOf(service, 1);
    expect(credited).toMatchObject({ data: { evidence: { verifiedAtMs: NOW + HOUR } } });
  });
});

describe('what happens later corrects what was learnt', () => {
  test('a cancelled booking without a visit leaves nothing', async () => {
    await using service = await openService();
    const { booking_id } = (await service.book({ context_log_id: await answerOf(service) })).data;
    await service.post(`/api/b2a/bookings/${booking_id}/cancel`, {}, service.key);
    const walkIn = await visit(service);
    expect(await said(service, 1)).toEqual([['VisitCredited', walkIn]]);
  });

  test('a visit of a booking that was refunded in full moves nothing', async () => {
    await using service = await openService();
    const { booking_id, voucher } = (await service.book({ context_log_id: await answerOf(service) })).data;
    const before = await groundTruths(service);
    service.clock.set(Date.parse('2026-11-21T17:30:00Z'));
    await service.post(`/api/bookings/${booking_id}/cancel`, { reason: 'weather' }, service.admin);
    const verified_at = '2026-11-21T17:15:00Z';
    expect((await service.verify({ code: voucher.code, verified_at })).status).toBe(200);
    expect(await said(service, 1)).toEqual([['VisitPassedOver', 'disputed', booking_id]]);
    expect(await groundTruths(service)).toEqual(before);
  });

  test('a voided visit is withdrawn, and the next one of the answer counts in its place', async () => {
    await using service = await openService();
    const context_log_id = await answerOf(service);
    const before = await groundTruths(service);
    const first = await visit(service, { context_log_id });
    await evidenceOf(service, 1);
    const afterOne = await groundTruths(service);
    service.clock.advance(MINUTE);
    const second = await visit(service, { context_log_id });
    await evidenceOf(service, 2);
    await voidVisit(service, first);
    expect((await said(service, 4)).slice(2)).toEqual([
      ['VisitWithdrawn', 'voided', first],
      ['VisitCredited', second],
    ]);
    expect(await groundTruths(service)).toEqual(afterOne);
    await voidVisit(service, second);
    expect((await said(service, 5)).slice(4)).toEqual([['VisitWithdrawn', 'voided', second]]);
    expect(await groundTruths(service)).toEqual(before);
  });

  test('and a rebuild ends in the same numbers', async () => {
    await using service = await openService();
    const context_log_id = await answerOf(service);
    const first = await visit(service, { context_log_id });
    await visit(service, { context_log_id });
    await visit(service);
    await voidVisit(service, first);
    await evidenceOf(service, 5);
    const documents = async () => [await service.documents('groundtruth'), await service.documents('evidence')];
    const before = (await documents()).map((each) => each.map(({ doc }) => doc));
    for (const name of ['groundtruth', 'evidence'])
      expect([name, await service.rebuild(name)]).toMatchObject([name, { kind: 'rebuilt', differences: 0 }]);
    expect((await documents()).map((each) => each.map(({ doc }) => doc))).toEqual(before);
  });
});

test('a process manager that folds the whole log again credits nothing twice', async () => {
  await using service = await openService();
  const context_log_id = await answerOf(service);
  const first = await visit(service, { context_log_id });
  await visit(service, { context_log_id });
  await voidVisit(service, first);
  const before = await said(service, 4);
  await service.restart(() => {
    using events = new Database(join(service.directory, 'events.db'));
    events.run("DELETE FROM appends WHERE stream = 'checkpoint-visit-crediting'");
  });
  // The repeated commands are done when the one of a later visit is.
  const later = await visit(service);
  expect(await said(service, 5)).toEqual([...before, ['VisitCredited', later]]);
});

test('a visit of a test booking is no evidence', async () => {
  await using service = await openService();
  const { voucher } = (await service.book({ booking_date: TODAY }, await testKey(service))).data;
  expect((await service.verify({ code: voucher.code }, await testGate(service))).status).toBe(200);
  const live = await visit(service);
  expect(await said(service, 1)).toEqual([['VisitCredited', live]]);
});
