import { expect, test } from 'bun:test';
import { startService } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('given a service with CORS_ORIGINS, a page of this origin may send a key and read the answer', async () => {
  using directory = temporaryDirectory();
  const origin = 'http://localhost:5173';
  await using service = await startService({ DATA_DIR: directory.file('data'), PORT: '0', CORS_ORIGINS: origin });
  const asked = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-api-key' };
  const url = `${service.url}/api/keys/self`;
  const preflight = await fetch(url, { method: 'OPTIONS', headers: { origin, ...asked } });
  const answer = await fetch(url, { headers: { origin, 'x-api-key': service.apiKey } });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
});
