import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeEntry } from '../../../src/supply/activity-entry.ts';
import { NOW, openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import { type AnswerOf, faulty, refused } from '../../support/service-answers.ts';
import { writeServiceCatalogue } from '../../support/service-catalogue.ts';

type Shown = AnswerOf<'get /api/activities/:activity_id'>;

const RIVER_WALK = '/api/activities/river-walk';
const NEW_ONE = '/api/activities/pier-concert';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

const shown = async (of: Service, path = RIVER_WALK) => (await of.get<Shown>(path, of.admin)).data;
const priceOf = async (of: Service, id: string, on = TODAY) =>
  (await of.inventory(`activity_id=${id}&date=${on}`)).data.inventory[0]?.price;
const activityEvents = async (of: Service, id: string) =>
  (await of.events()).filter(({ stream }) => stream === `activity-${id}`);

/** The entry without its state. */
function entryOf({ listed: _listed, revision: _revision, updated_at: _at, override: _override, ...entry }: Shown) {
  return entry;
}

describe('an activity', () => {
  test('is returned to operators in the format of a catalogue file, with its venue', async () => {
    const { activity } = service.node.context.catalogue.get('river-walk') ?? {};
    if (activity === undefined) throw new Error('the river walk is not listed');
    const expected: object = JSON.parse(JSON.stringify(writeEntry(activity)));
    const answer = await service.get<Shown>(RIVER_WALK, service.analyst);
    expect<object>(answer.data).toEqual({
      ...expected,
      listed: true,
      revision: 0,
      updated_at: new Date(NOW).toISOString(),
      override: null,
    });
  });

  test('that was never listed is ACTIVITY_NOT_FOUND for GET and DELETE', async () => {
    const unknown = refused(
      404,
      'ACTIVITY_NOT_FOUND',
      'activity_id "pier-disco" does not exist; take one from inventory.',
      {
        resolution: 'choose_other',
      },
    );
    expect((await service.get('/api/activities/pier-disco', service.admin)).refusal).toEqual(unknown);
    expect((await service.delete('/api/activities/pier-disco', service.admin)).refusal).toEqual(unknown);
  });

  test('can be changed by sending back what GET returned; inventory, recommend and bookings use the change', async () => {
    await using own = await openService();
    const before = await shown(own);
    own.clock.advance(60_000);
    const since = new Date(own.clock.nowMs()).toISOString();
    const answer = await own.put<Shown>(RIVER_WALK, { ...before, price: 200, capacity: 3 }, own.admin);
    expect(answer.data).toEqual({
      ...before,
      price: 200,
      capacity: 3,
      revision: 1,
      updated_at: since,
      override: { by: 'admin', since, catalogue: entryOf(before) },
    });
    expect(answer.headers.get('x-position')).not.toBeNull();
    expect(await shown(own)).toEqual(answer.data);
    expect((await own.inventory('activity_id=river-walk')).data.inventory).toMatchObject([
      { price: 200, available_slots: 3, last_updated: since },
    ]);
    const { recommendations } = (await own.recommend()).data;
    expect(recommendations.find(({ id }) => id === 'river-walk')?.price).toBe(200);
    expect((await own.book({ num_adults: 3 })).data.pricing).toMatchObject({ unit_price: 200, total: 600 });
    expect((await own.book()).refusal.code).toBe('INVENTORY_EXHAUSTED');
    expect(await activityEvents(own, 'river-walk')).toMatchObject([
      { type: 'ActivityListed.v2', cause: { by: 'catalogue' } },
      { type: 'ActivityOverridden.v1', cause: { by: 'admin', at: since } },
    ]);
  });

  test('does not change if the same entry is sent again', async () => {
    await using own = await openService();
    const dearer = { ...(await shown(own)), price: 210 };
    const first = await own.put<Shown>(RIVER_WALK, dearer, own.admin);
    own.clock.advance(86_400_000);
    const second = await own.put<Shown>(RIVER_WALK, dearer, own.admin);
    expect(second.data).toEqual(first.data);
    expect(second.headers.has('x-position')).toBe(false);
    expect(await activityEvents(own, 'river-walk')).toHaveLength(2);
  });
});

describe('an override', () => {
  test('overrides the catalogue across restarts; withdrawn, the present catalogue entry applies', async () => {
    await using own = await openService();
    await own.put(RIVER_WALK, { ...(await shown(own)), price: 210 }, own.admin);
    writeServiceCatalogue(own.catalogueDirectory, [], { 'river-walk': { price: 150 } });
    await own.restart();
    expect((await shown(own)).override?.catalogue?.price).toBe(150);
    expect(await priceOf(own, 'river-walk')).toBe(210);
    const { data } = await own.delete<Shown>(RIVER_WALK, own.admin);
    expect(data).toMatchObject({ price: 150, listed: true, override: null });
    expect(await priceOf(own, 'river-walk')).toBe(150);
    expect(
      (await own.events()).filter(({ stream }) => stream === 'activity-river-walk').map(({ type }) => type),
    ).toEqual(['ActivityListed.v2', 'ActivityOverridden.v1', 'ActivityUpdated.v2', 'OverrideWithdrawn.v1']);
  });

  test('of an activity that left the catalogue stays; withdrawn, the activity is retired', async () => {
    await using own = await openService();
    await own.put(RIVER_WALK, { ...(await shown(own)), price: 210 }, own.admin);
    writeServiceCatalogue(own.catalogueDirectory, ['river-walk']);
    await own.restart();
    expect(await shown(own)).toMatchObject({ listed: true, price: 210, override: { catalogue: null } });
    expect((await own.book()).status).toBe(200);
    expect((await own.delete<Shown>(RIVER_WALK, own.admin)).data).toMatchObject({ listed: false, override: null });
    expect((await own.inventory('activity_id=river-walk')).refusal.code).toBe('ACTIVITY_NOT_FOUND');
    expect((await own.book()).refusal.code).toBe('ACTIVITY_NOT_FOUND');
  });

  test('that does not exist can be withdrawn without effect', async () => {
    const before = await shown(service, '/api/activities/sea-tunnel');
    const answer = await service.delete<Shown>('/api/activities/sea-tunnel', service.admin);
    expect([answer.status, answer.data, answer.headers.has('x-position')]).toEqual([200, before, false]);
  });
});

describe('an activity that is not in the catalogue', () => {
  const entry = async (of: Service) => {
    const { id: _id, ...rest } = await shown(of);
    const venue = {
      id: 'pier-stage',
      name: 'Pier Stage',
      address: '9 Pier Road, Bangkok 10200',
      lat: 13.75,
      lon: 100.49,
    };
    return { ...rest, venue, price: 450, exclusive_to: null };
  };

  test('is listed with its venue, can be booked at once and verified there, and is retired when withdrawn', async () => {
    await using own = await openService();
    const answer = await own.put<Shown>(NEW_ONE, await entry(own), own.admin);
    expect(answer.data).toMatchObject({ id: 'pier-concert', listed: true, override: { by: 'admin', catalogue: null } });
    expect(await priceOf(own, 'pier-concert', TOMORROW)).toBe(450);
    const booked = await own.book({ activity_id: 'pier-concert', booking_date: TODAY });
    expect(booked.data.status).toBe('confirmed');
    const gate = await own.createDevice('pier-stage');
    const visit = await own.verify({ code: booked.data.voucher.code }, { 'x-device-key': gate.device_key });
    expect(visit.data.booking_id).toBe(booked.data.booking_id);
    await own.restart();
    expect(await shown(own, NEW_ONE)).toEqual(answer.data);
    expect((await own.delete<Shown>(NEW_ONE, own.admin)).data.listed).toBe(false);
    expect((await own.book({ activity_id: 'pier-concert' })).refusal.code).toBe('ACTIVITY_NOT_FOUND');
    expect((await own.booking(booked.data.booking_id)).data.activity.title).toBe('River Walk (en)');
  });

  test("takes the catalogue's entry if the catalogue lists it later and the override is withdrawn", async () => {
    await using own = await openService();
    writeServiceCatalogue(own.catalogueDirectory, ['river-walk']);
    const taken = await shown(own);
    await own.restart();
    await own.put(RIVER_WALK, { ...taken, price: 210 }, own.admin);
    writeServiceCatalogue(own.catalogueDirectory);
    await own.restart();
    expect(await priceOf(own, 'river-walk')).toBe(210);
    expect((await own.delete<Shown>(RIVER_WALK, own.admin)).data).toMatchObject({ price: 120.5, listed: true });
  });

  test('needs a city', async () => {
    const nowhere = { ...(await entry(service)), city: null };
    expect((await service.put(NEW_ONE, nowhere, service.admin)).refusal).toEqual(
      refused(400, 'INVALID_REQUEST', 'city is missing; add it.', { details: 'city is missing; add it.' }),
    );
  });
});

test('an entry that is sent back as it was read changes nothing', async () => {
  await using own = await openService();
  const before = await shown(own);
  const answer = await own.put<Shown>(RIVER_WALK, before, own.admin);
  expect(entryOf(answer.data)).toEqual(entryOf(before));
});

test.each([
  [{ estimated_on: null }, 'estimated_on must be a calendar date, "YYYY-MM-DD", not null.'],
  [{ listed: false }, 'listed must be true or be left out: to withdraw the activity, use DELETE.'],
  [{ currency: 'USD' }, "currency must be THB, the city's, or be left out."],
])('an entry with %j is refused', async (change, sentence) => {
  const before = await shown(service);
  const { refusal } = await service.put(RIVER_WALK, { ...before, ...change }, service.admin);
  expect(refusal).toEqual(faulty('INVALID_REQUEST', sentence));
  expect(await shown(service)).toEqual(before);
});

describe('an invalid entry', () => {
  test('is INVALID_REQUEST with every faulty field, and changes nothing', async () => {
    const before = await shown(service);
    const { texts: _texts, ...rest } = before;
    const sent = { ...rest, price: 5, capacity: 'ten', venue: { ...(rest['venue'] as object), lat: 1 } };
    const { refusal } = await service.put(RIVER_WALK, sent, service.admin);
    expect(refusal.code).toBe('INVALID_REQUEST');
    expect(refusal.error).toBe('texts is missing; add it.');
    expect(refusal.details).toMatch(
      /^texts is missing; add it\. venue\.lat with lon is \d+ km .* capacity must be a whole number from 1 to 100000, not "ten"\. price must be an amount in THB from 50 to 20000, not 5\./,
    );
    expect(await shown(service)).toEqual(before);
  });

  test('with an unsupported city is INVALID_CITY', async () => {
    const { refusal } = await service.put(RIVER_WALK, { ...(await shown(service)), city: 'Atlantis' }, service.admin);
    expect([refusal.status, refusal.code]).toEqual([400, 'INVALID_CITY']);
    expect(refusal.error).toStartWith('city "Atlantis" is not a supported city; use one of ');
  });

  test('can be a body that is not an object', async () => {
    for (const body of [[], 'river', 7])
      expect((await service.put(RIVER_WALK, body, service.admin)).refusal).toEqual(
        refused(400, 'INVALID_REQUEST', 'The body must be a JSON object.'),
      );
  });
});
