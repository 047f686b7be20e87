import { test } from 'bun:test';
import { openService } from '../support/service.ts';
test('probe', async () => {
  await using service = await openService();
  const show = async (label: string, path: string, init: RequestInit = {}) => {
    const r = await service.send(path, init);
    console.log(label, r.status, Object.fromEntries(r.headers), (await r.text()).slice(0, 400));
  };
  const K = service.key;
  await show('HEAD', '/livez', { method: 'HEAD' });
  await show('OPTIONS', '/livez', { method: 'OPTIONS' });
  await show('badpct', '/api/b2a/bookings/%zz', { headers: K });
  await show('badpct2', '/api/vouchers/%E0%A4%A', {});
  await show('nul', '/api/b2a/bookings/%00', { headers: K });
  await show('slash', '/api/keys/', { headers: service.admin });
  await show('emptyid', '/api/b2a/bookings/', { headers: K });
  await show('del body', '/api/venues/old-pier/devices/x', {
    method: 'DELETE',
    headers: { ...service.admin, 'content-type': 'application/json' },
    body: '{nope',
  });
  await show('deactivate badjson', '/api/keys/key_x/deactivate', {
    method: 'POST',
    headers: { ...service.admin, 'content-type': 'application/json' },
    body: '{nope',
  });
  await show('gzip q0', '/api/b2a/inventory?city=Singapore', { headers: { ...K, 'accept-encoding': 'gzip;q=0' } });
  await show('idem empty', '/api/b2a/execute_booking', {
    method: 'POST',
    headers: { ...K, 'content-type': 'application/json', 'idempotency-key': '' },
    body: JSON.stringify({
      activity_id: 'river-walk',
      user_email: 'a@b.co',
      user_name: 'x',
      booking_date: '2026-11-22',
      num_adults: 1,
    }),
  });
  await show('array', '/api/b2a/execute_booking', {
    method: 'POST',
    headers: { ...K, 'content-type': 'application/json' },
    body: '[]',
  });
  await show('empty+text', '/api/b2a/execute_booking', {
    method: 'POST',
    headers: { ...K, 'content-type': 'text/plain' },
    body: '',
  });
  await show('latin', '/api/b2a/execute_booking', {
    method: 'POST',
    headers: { ...K, 'content-type': 'application/json; charset=utf-8' },
    body: '{"num_adults":1e999}',
  });
  await show('jsonp', '/api/b2a/execute_booking', {
    method: 'POST',
    headers: { ...K, 'content-type': 'application/json-patch+json' },
    body: '{}',
  });
  await show('nolen', '/api/b2a/execute_booking', {
    method: 'POST',
    headers: { ...K, 'content-type': 'application/json', 'content-length': 'abc' },
    body: '{}',
  });
  await show('post get', '/api/keys', { method: 'PUT' });
  console.log(
    Date.parse('2026-02-30T10:00:00Z'),
    Date.parse('2026-11-21T24:00:00Z'),
    Date.parse('2026-11-21T10:00:60Z'),
    Date.parse('2026-02-31T10:00:00+0700'),
  );
  const two = await Promise.all(
    [0, 1].map(() => service.post('/api/ops/projections/bookings/rebuild', {}, service.admin)),
  );
  console.log(
    two.map((a) => a.data),
    service.logged.map((l) => l.happening),
  );
  for (let i = 0; i < 5; i++) {
    const a = await service.post<{ id: string }>('/api/keys', { name: 'k' + i }, service.admin);
    const l = await service.get<{ items: { id: string }[] }>('/api/keys', {
      ...service.admin,
      'x-position': a.headers.get('x-position') ?? '',
    });
    console.log(l.data.items.some((k) => k.id === a.data.id));
  }
  await show('keys', '/api/keys', { headers: service.admin });
  await show('lone', '/api/b2a/execute_booking', {
    method: 'POST',
    headers: { ...K, 'content-type': 'application/json' },
    body: '{"activity_id":"river-walk","user_email":"a@b.co","user_name":"x\\ud800","booking_date":"2026-11-22","num_adults":1}',
  });
  await show('max days', '/api/b2a/execute_booking', {
    method: 'POST',
    headers: { ...K, 'content-type': 'application/json' },
    body: '{"activity_id":"river-walk","user_email":"a@b.co","user_name":"x","booking_date":"2027-11-21","num_adults":11}',
  });
  await show('city', '/api/b2a/inventory?city=Atlantis&limit=0', { headers: K });
  await show('nocity', '/api/b2a/inventory?date=nope', { headers: K });
  await show('dup', '/api/b2a/inventory?city=Bangkok&city=x', { headers: K });
  await show('proto', '/api/b2a/inventory?activity_id=__proto__', { headers: K });
  await show('wellknown', '/.well-known/waymark-voucher-keys.json', {});
  await show('projections', '/api/ops/projections', { headers: service.analyst });
});
