import { describe, expect, test } from 'bun:test';
import { voidVisits } from '../../../src/application/venue/void-visits.ts';
import { deviceId } from '../../support/examples.ts';
import { NOW, openService, type Service, TODAY } from '../../support/service.ts';
import { type AnswerOf, faulty, refused } from '../../support/service-answers.ts';

const REASON = 'The device was stolen.';

const voiding = (service: Service, visits: object) =>
  service.post<AnswerOf<'post /api/visits/void'>>('/api/visits/void', { reason: REASON, ...visits }, service.admin);

describe('no visit is voided', () => {
  test('of an unknown booking, or of a device that recorded none', async () => {
    await using service = await openService();
    const { device_id } = await service.createDevice('old-pier');
    expect((await voiding(service, { booking_id: 'bk_0' })).refusal.code).toBe('BOOKING_NOT_FOUND');
    expect((await voiding(service, { device_id })).refusal).toEqual(
      refused(404, 'NOT_FOUND', `No visit was recorded by a device with the id "${device_id}"; check device_id.`),
    );
    const { booking_id } = (await service.book()).data;
    expect((await voiding(service, { booking_id })).data).toEqual({ voided: 0, complete: true });
    expect((await service.events()).filter(({ type }) => type.startsWith('VisitVoided'))).toEqual([]);
  });

  test('by a request that does not say whose, or says it twice, or gives no reason', async () => {
    await using service = await openService();
    const reason = 'a text of 1 to 200 characters in one line';
    const wrong: readonly (readonly [object, string])[] = [
      [{}, 'booking_id or device_id is missing; send one of them.'],
      [{ from: TODAY }, 'booking_id or device_id is missing; send one of them.'],
      [
        { booking_id: 'bk_0', device_id: 'dev_0', to: TODAY },
        'device_id, to must be left out with booking_id: a booking has one visit.',
      ],
    ];
    for (const [visits, sentence] of wrong)
      expect((await voiding(service, visits)).refusal).toEqual(refused(400, 'INVALID_REQUEST', sentence));
    expect((await voiding(service, { device_id: 'dev_0', from: TODAY, to: '2026-11-20' })).refusal).toEqual(
      faulty('INVALID_REQUEST', `from ${TODAY} is after to 2026-11-20; send a from that is not after to.`),
    );
    for (const text of ['', 'x'.repeat(201)])
      expect((await voiding(service, { device_id: 'dev_0', reason: text })).refusal.error).toStartWith(
        `reason must be ${reason}`,
      );
    expect((await service.post('/api/visits/void', { device_id: 'dev_0' }, service.admin)).refusal).toEqual(
      faulty('INVALID_REQUEST', `reason is missing; it must be ${reason}.`),
    );
  });

  test('while the read model has not passed the visits that were reported', async () => {
    await using service = await openService();
    const { context } = service.node;
    const behind = { ...context, caughtUp: () => Promise.resolve(false) };
    const cause = { correlationId: 'void', causationId: 'void', by: 'admin', at: new Date(NOW).toISOString() };
    const visits = { kind: 'device', deviceId: deviceId('dev_0'), fromMs: null, toMs: null } as const;
    expect(await voidVisits(visits, REASON, cause, behind)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'SERVICE_UNAVAILABLE' },
    });
  });
});
