import { describe, expect, test } from 'bun:test';
import { excludeVisits } from '../../../src/application/learning/exclude-visits.ts';
import { evidenceOf } from '../../support/evidence.ts';
import { deviceId } from '../../support/examples.ts';
import { headOf } from '../../support/log-of-service.ts';
import { NOW, openService, type Service, TODAY, TOMORROW, withDevice, withKey } from '../../support/service.ts';
import { type AnswerOf, faulty, refused } from '../../support/service-answers.ts';

type Exclusion = AnswerOf<'post /api/learning/exclude'>;
type Listed = AnswerOf<'get /api/learning/exclude'>;

const HOUR = 3_600_000;
const REASON = 'Scripted bookings.';
const AT = new Date(NOW).toISOString();

const exclude = (service: Service, conditions: object, headers: Record<string, string> = {}) =>
  service.post<Exclusion>('/api/learning/exclude', { reason: REASON, ...conditions }, { ...service.admin, ...headers });
const listed = async (service: Service, query = '') =>
  (await service.get<Listed>(`/api/learning/exclude?${query}`, service.admin)).data;

/** Books the river walk for today with a key and scans the voucher at a gate. @returns the booking's id */
async function visit(service: Service, key = service.key, gate = service.gates.pier): Promise<string> {
  const { log_id } = (await service.recommend({}, key)).data.context;
  const wish = { booking_date: TODAY, context_log_id: log_id, num_adults: 1 };
  const { booking_id, voucher } = (await service.book(wish, key)).data;
  expect((await service.verify({ code: voucher.code }, gate)).status).toBe(200);
  return booking_id;
}

/** Visits, the counts of the next evidence included. */
async function visits(service: Service, count: number, key = service.key, gate = service.gates.pier): Promise<void> {
  const before = (await evidenceOf(service, 0)).length;
  for (let number = 0; number < count; number++) await visit(service, key, gate);
  await evidenceOf(service, before + count);
}

async function groundTruth(service: Service): Promise<number | undefined> {
  const { recommendations } = (await service.recommend({}, { 'x-position': await headOf(service) })).data;
  return recommendations.find(({ id }) => id === 'river-walk')?.score_breakdown.ground_truth;
}

/** The bookings from which the ranking learns. */
async function credited(service: Service): Promise<readonly string[]> {
  return (await service.documents('evidence')).filter(({ doc }) => doc !== null).map(({ id }) => id);
}

describe('the operator excludes from learning', () => {
  test('a key: its visits are withdrawn, as if they had not happened, and the answer says what changed', async () => {
    await using service = await openService();
    await visits(service, 2);
    const before = await groundTruth(service);
    const kept = await credited(service);
    const scripted = await service.createKey();
    await visits(service, 5, withKey(scripted.key));
    const raised = await groundTruth(service);
    const { data, headers } = await exclude(service, { key: scripted.id });
    expect(data).toEqual({
      exclusion_id: data.exclusion_id,
      key: scripted.id,
      device_id: null,
      from: null,
      to: null,
      reason: REASON,
      created_at: AT,
      status: 'applied',
      applied_at: AT,
      visits: 5,
      activities: [
        {
          activity_id: 'river-walk',
          visits: 5,
          ground_truth_before: data.activities[0]?.ground_truth_before ?? 0,
          ground_truth_after: data.activities[0]?.ground_truth_after ?? 0,
        },
      ],
    });
    expect(headers.get('x-position')).toMatch(/^\d+$/);
    const [river] = data.activities;
    expect(river?.ground_truth_before).toBeGreaterThan(river?.ground_truth_after ?? 1);
    expect(raised).toBeGreaterThan(before ?? 1);
    expect([await groundTruth(service), await credited(service)]).toEqual([before, kept]);
    expect(await listed(service)).toEqual({ items: [data], next_cursor: null });
    for (const name of ['groundtruth', 'evidence'])
      expect([name, await service.rebuild(name)]).toMatchObject([name, { kind: 'rebuilt', differences: 0 }]);
    expect([await groundTruth(service), await credited(service)]).toEqual([before, kept]);
  });

  test('a key: its later visits are passed over, also after a restart', async () => {
    await using service = await openService();
    const scripted = await service.createKey();
    expect((await exclude(service, { key: scripted.id })).data).toMatchObject({
      status: 'applied',
      visits: 0,
      activities: [],
    });
    await visits(service, 1, withKey(scripted.key));
    await service.restart();
    await visits(service, 1, withKey(scripted.key));
    await visits(service, 1);
    const said = (await evidenceOf(service, 3)).map(({ type, data }) => ('why' in data ? [type, data.why] : [type]));
    expect(said).toEqual([['VisitPassedOver', 'excluded'], ['VisitPassedOver', 'excluded'], ['VisitCredited']]);
  });

  test('a device in a span of time, which is half-open', async () => {
    await using service = await openService();
    const { device_id, device_key } = await service.createDevice('old-pier');
    for (let hour = 0; hour < 4; hour++) {
      await visits(service, 1, service.key, withDevice(device_key));
      await visits(service, 1);
      service.clock.advance(HOUR);
    }
    const hour = (number: number) => new Date(NOW + number * HOUR).toISOString();
    const span = { from: hour(1), to: hour(3) };
    expect((await exclude(service, { device_id, ...span })).data).toMatchObject({ ...span, visits: 2 });
    expect((await exclude(service, span)).data).toMatchObject({ device_id: null, visits: 2 });
    expect((await exclude(service, { from: TODAY, to: TODAY })).data).toMatchObject({ visits: 4 });
    expect(await credited(service)).toEqual([]);
    const ids = (await listed(service)).items.map(({ visits: count }) => count);
    expect(ids).toEqual([4, 2, 2]);
  });

  test('once per Idempotency-Key', async () => {
    await using service = await openService();
    await visits(service, 1);
    const keyed = { 'idempotency-key': 'exclusion-1' };
    const first = await exclude(service, { from: TODAY }, keyed);
    const again = await exclude(service, { from: TODAY }, keyed);
    expect(again.data).toEqual(first.data);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await exclude(service, { from: TOMORROW }, keyed)).refusal.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect((await listed(service)).items).toHaveLength(1);
  });

  test('and gets the list page by page, newest first', async () => {
    await using service = await openService();
    const one = (await exclude(service, { from: TODAY })).data;
    const two = (await exclude(service, { from: TOMORROW })).data;
    const first = await listed(service, 'limit=1');
    const second = await listed(service, `limit=1&cursor=${first.next_cursor}`);
    expect([first.items, second]).toEqual([[two], { items: [one], next_cursor: null }]);
  });
});

describe('an exclusion is refused', () => {
  test('without a condition, without a reason, and of a key or device that does not exist', async () => {
    await using service = await openService();
    expect((await exclude(service, {})).refusal).toEqual(
      refused(400, 'INVALID_REQUEST', 'key, device_id, from and to are all missing; send at least one of them.'),
    );
    expect((await exclude(service, { from: TOMORROW, to: TODAY })).refusal).toEqual(
      faulty('INVALID_REQUEST', `from ${TOMORROW} is after to ${TODAY}; send a from that is not after to.`),
    );
    expect((await exclude(service, { from: TODAY, reason: undefined })).refusal).toEqual(
      faulty('INVALID_REQUEST', 'reason is missing; it must be a text of 1 to 200 characters in one line.'),
    );
    expect((await exclude(service, { key: 'key_none' })).refusal).toEqual(
      refused(404, 'NOT_FOUND', 'There is no API key with the id "key_none"; GET /api/keys lists them.'),
    );
    expect((await exclude(service, { device_id: 'dev_none' })).refusal).toEqual(
      refused(404, 'NOT_FOUND', 'There is no gate device with the id "dev_none"; check device_id.'),
    );
    expect((await listed(service)).items).toEqual([]);
  });

  test('while a read model may lack the device', async () => {
    await using service = await openService();
    const excluded = { keyId: null, deviceId: deviceId('dev_0'), fromMs: null, toMs: null };
    const cause = { correlationId: 'exclude', causationId: 'exclude', by: 'admin', at: AT };
    for (const name of ['devices', 'devicevisits']) {
      const caughtUp = (asked: string) => Promise.resolve(asked !== name);
      const request = { excluded, reason: REASON, idempotencyKey: null };
      expect(await excludeVisits(request, cause, { ...service.node.context, caughtUp })).toMatchObject({
        kind: 'refused',
        refusal: { code: 'SERVICE_UNAVAILABLE' },
      });
    }
  });
});
