import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { NOW, openService, type Service, TODAY, withDevice } from '../../support/service.ts';
import { faulty, refused } from '../../support/service-answers.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

const INVALID_DEVICE = refused(
  401,
  'INVALID_DEVICE_KEY',
  'The device key in x-device-key is not known; register the device again.',
  { resolution: 'contact_operator' },
);

async function scanWith(deviceKey: string) {
  const { code } = (await service.book({ booking_date: TODAY, num_adults: 1 })).data.voucher;
  return service.verify({ code }, withDevice(deviceKey));
}

describe('a gate device', () => {
  test('gets a key that is shown once and works immediately', async () => {
    const answer = await service.post('/api/venues/old-pier/devices', { name: 'North gate' }, service.admin);
    const { device_id, device_key } = await service.createDevice('old-pier', 'North gate');
    expect(device_id).toMatch(/^dev_[0-9a-z]{16}$/);
    expect(device_key).toMatch(/^[0-9a-f]{64}$/);
    expect(answer.data).toEqual({
      device_id: expect.stringMatching(/^dev_[0-9a-z]{16}$/),
      venue_id: 'old-pier',
      name: 'North gate',
      mode: 'live',
      device_key: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-position')).toMatch(/^\d+$/);
    expect((await scanWith(device_key)).status).toBe(200);
  });

  test('can have the name of another device', async () => {
    const [one, two] = [await service.createDevice('old-pier'), await service.createDevice('old-pier')];
    expect(one.device_id).not.toBe(two.device_id);
    expect((await scanWith(two.device_key)).status).toBe(200);
  });

  test('is in the list of its venue, without its key, until it is removed', async () => {
    await using own = await openService();
    const [lost, kept] = [await own.createDevice('old-pier', 'Lost'), await own.createDevice('old-pier', 'Kept')];
    type Listed = { readonly items: readonly { readonly device_id: string; readonly name: string }[] };
    const list = async () => (await own.get<Listed>('/api/venues/old-pier/devices', own.admin)).data.items;
    const shown = {
      device_id: lost.device_id,
      venue_id: 'old-pier',
      name: 'Lost',
      mode: 'live',
      paused: false,
      pause_reason: null,
      created_at: new Date(NOW).toISOString(),
    };
    expect(await list()).toContainEqual(shown);
    expect(JSON.stringify(await list())).not.toContain(lost.device_key);
    await own.delete(`/api/venues/old-pier/devices/${lost.device_id}`, own.admin);
    await own.restart();
    const ids = (await list()).map(({ device_id }) => device_id);
    expect([ids.includes(lost.device_id), ids.includes(kept.device_id)]).toEqual([false, true]);
    expect((await own.get('/api/venues/nowhere/devices', own.admin)).refusal.code).toBe('NOT_FOUND');
  });

  test('is removed immediately, and no other device', async () => {
    const [lost, kept] = [await service.createDevice('old-pier'), await service.createDevice('old-pier')];
    const path = `/api/venues/old-pier/devices/${lost.device_id}`;
    expect((await service.delete(path, service.admin)).data).toEqual({
      device_id: lost.device_id,
      venue_id: 'old-pier',
      removed: true,
    });
    expect((await scanWith(lost.device_key)).refusal).toEqual(INVALID_DEVICE);
    expect((await scanWith(kept.device_key)).status).toBe(200);
    const again = refused(404, 'NOT_FOUND', `Venue "old-pier" has no device with the id "${lost.device_id}".`);
    expect((await service.delete(path, service.admin)).refusal).toEqual(again);
  });

  test('that is paused verifies nothing until it is resumed, also after a restart', async () => {
    await using own = await openService();
    const { device_id, device_key } = await own.createDevice('old-pier');
    const { code } = (await own.book({ booking_date: TODAY })).data.voucher;
    const to = (change: 'pause' | 'resume') =>
      own.post<{ paused: boolean }>(
        `/api/venues/old-pier/devices/${device_id}/${change}`,
        { reason: `A ${change}.` },
        own.admin,
      );
    const scan = () => own.verify({ code }, withDevice(device_key));
    const paused = refused(
      403,
      'KEY_INACTIVE',
      `The gate device ${device_id} is paused; ask the operator to resume it, and verify with another device.`,
      { resolution: 'contact_operator' },
    );
    for (const _ of ['once', 'again'])
      expect<object>((await to('pause')).data).toEqual({ device_id, venue_id: 'old-pier', paused: true });
    expect((await scan()).refusal).toEqual(paused);
    expect((await own.get('/api/venue/revocations', withDevice(device_key))).refusal.code).toBe('KEY_INACTIVE');
    expect((await own.verify({ code: 'unknown' })).refusal.code).toBe('VOUCHER_NOT_FOUND');
    type Listed = { readonly items: readonly { readonly device_id: string; readonly paused: boolean }[] };
    const { items } = (await own.get<Listed>('/api/venues/old-pier/devices', own.admin)).data;
    expect(items.filter((device) => device.paused)).toMatchObject([{ device_id, pause_reason: 'A pause.' }]);
    await own.restart();
    expect((await scan()).refusal).toEqual(paused);
    expect((await to('resume')).data.paused).toBe(false);
    expect((await scan()).status).toBe(200);
    const stored = (await own.events()).filter(({ type }) => /^Device(Paused|Resumed)/.test(type));
    expect(stored.map(({ type, data }) => [type, 'reason' in data && data.reason])).toEqual([
      ['DevicePaused.v2', 'A pause.'],
      ['DeviceResumed.v2', 'A resume.'],
    ]);
  });

  test('that is paused gets another reason by another pause, and keeps its own by one without a reason', async () => {
    const { device_id } = await service.createDevice('rail-yard');
    type Listed = { readonly items: readonly { readonly device_id: string; readonly pause_reason: string | null }[] };
    const reasonAfter = async (body: object) => {
      await service.post(`/api/venues/rail-yard/devices/${device_id}/pause`, body, service.admin);
      const { items } = (await service.get<Listed>('/api/venues/rail-yard/devices', service.admin)).data;
      return items.find((device) => device.device_id === device_id)?.pause_reason;
    };
    expect(await reasonAfter({})).toBeNull();
    expect(await reasonAfter({ reason: 'stolen' })).toBe('stolen');
    expect(await reasonAfter({ reason: 'found' })).toBe('found');
    expect([await reasonAfter({ reason: 'found' }), await reasonAfter({})]).toEqual(['found', 'found']);
    const pauses = (await service.events()).filter(
      ({ type, data }) => type.startsWith('DevicePaused') && 'deviceId' in data && data.deviceId === device_id,
    );
    expect(pauses.length).toBe(3);
  });

  test('is paused and resumed without a reason, and without a body', async () => {
    const { device_id } = await service.createDevice('rail-yard');
    type Listed = { readonly items: readonly { readonly device_id: string }[] };
    const shown = async () => (await service.get<Listed>('/api/venues/rail-yard/devices', service.admin)).data.items;
    const path = `/api/venues/rail-yard/devices/${device_id}`;
    for (const [change, paused] of [
      ['pause', true],
      ['resume', false],
    ] as const) {
      expect((await service.send(`${path}/${change}`, { method: 'POST', headers: service.admin })).status).toBe(200);
      expect((await shown()).filter((device) => device.device_id === device_id)).toMatchObject([
        { paused, pause_reason: null },
      ]);
    }
    const sentence = 'reason must be a text of 1 to 200 characters in one line; it was "".';
    const { refusal } = await service.post(`${path}/pause`, { reason: '' }, service.admin);
    expect<object>(refusal).toEqual(faulty('INVALID_REQUEST', sentence));
  });

  test('is not paused under another venue, nor by an unknown id', async () => {
    const { device_id } = await service.createDevice('old-pier');
    for (const path of [`rail-yard/devices/${device_id}`, 'old-pier/devices/dev_0'])
      for (const change of ['pause', 'resume'])
        expect((await service.post(`/api/venues/${path}/${change}`, {}, service.admin)).refusal.code).toBe('NOT_FOUND');
  });

  test('cannot be removed under another venue', async () => {
    const { device_id, device_key } = await service.createDevice('old-pier');
    const { refusal } = await service.delete(`/api/venues/rail-yard/devices/${device_id}`, service.admin);
    expect(refusal).toEqual(refused(404, 'NOT_FOUND', `Venue "rail-yard" has no device with the id "${device_id}".`));
    expect((await scanWith(device_key)).status).toBe(200);
  });

  test('stays registered, or removed, after a restart', async () => {
    await using own = await openService();
    const [removed, kept] = [await own.createDevice('old-pier'), await own.createDevice('old-pier')];
    await own.delete(`/api/venues/old-pier/devices/${removed.device_id}`, own.admin);
    const { code } = (await own.book({ booking_date: TODAY })).data.voucher;
    await own.restart();
    expect((await own.verify({ code }, withDevice(removed.device_key))).refusal).toEqual(INVALID_DEVICE);
    expect((await own.verify({ code }, withDevice(kept.device_key))).status).toBe(200);
  });
});

describe('no device', () => {
  test('is registered at an unknown venue', async () => {
    const sentence = 'The catalogue has no venue "new-pier"; inventory names the venue_id of each activity.';
    expect((await service.post('/api/venues/new-pier/devices', { name: 'Gate' }, service.admin)).refusal).toEqual(
      refused(404, 'NOT_FOUND', sentence),
    );
    expect((await service.delete('/api/venues/new-pier/devices/dev_0', service.admin)).refusal).toEqual(
      refused(404, 'NOT_FOUND', 'The catalogue has no venue "new-pier".'),
    );
  });

  test.each([
    [undefined, 'name is missing; it must be a name of 1 to 80 characters.'],
    [null, 'name is missing; it must be a name of 1 to 80 characters.'],
    ['', 'name must be a name of 1 to 80 characters; it was "".'],
    [7, 'name must be a name of 1 to 80 characters; it was 7.'],
    ['x'.repeat(81), `name must be a name of 1 to 80 characters; it was "${'x'.repeat(76)}….`],
  ])('is named %p', async (name, sentence) => {
    const { refusal } = await service.post('/api/venues/old-pier/devices', { name }, service.admin);
    expect(refusal).toEqual(faulty('INVALID_REQUEST', sentence));
  });
});
