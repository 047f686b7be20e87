import { expect, test } from 'bun:test';
import { nearestPath } from '../../../src/http/nearest-path.ts';

const ROUTES = [
  ['POST', '/api/b2a/recommend'],
  ['POST', '/api/b2a/execute_booking'],
  ['GET', '/api/b2a/bookings'],
  ['GET', '/api/b2a/bookings/:booking_id'],
  ['POST', '/api/b2a/bookings/:booking_id/cancel'],
  ['GET', '/api/b2a/inventory'],
  ['POST', '/api/b2a/inventory/refresh'],
  ['POST', '/api/b2a/holds'],
  ['GET', '/api/b2a/holds/:hold_id'],
  ['DELETE', '/api/b2a/holds/:hold_id'],
  ['GET', '/api/bookings'],
  ['GET', '/api/bookings/:booking_id'],
  ['GET', '/api/keys/self'],
  ['GET', '/api/keys/:id'],
  ['GET', '/api/health'],
  ['GET', '/llms.txt'],
  ['GET', '/openapi.json'],
] as const;
const nearest = nearestPath(ROUTES.map(([method, path]) => ({ method, path })));

test.each([
  ['POST', '/recommend', 'POST /api/b2a/recommend'],
  ['POST', '/api/v1/recommend', 'POST /api/b2a/recommend'],
  ['GET', '/api/b2a/recomend', 'POST /api/b2a/recommend'],
  ['POST', '/api/b2a/recommendations', 'POST /api/b2a/recommend'],
  ['POST', '/api/b2a/execute-booking', 'POST /api/b2a/execute_booking'],
  ['POST', '/api/b2a/executeBooking', 'POST /api/b2a/execute_booking'],
  ['GET', '/api/b2a/booking/bk_06h0hyrjbma73wkbp85g', 'GET /api/b2a/bookings/{booking_id}'],
  ['POST', '/api/b2a/bookings/bk_06h0hyrjbma73wkbp85g/cancellation', 'POST /api/b2a/bookings/{booking_id}/cancel'],
  ['DELETE', '/api/b2a/hold/hd_06h0hyrj8xdwwxqs377g', 'DELETE /api/b2a/holds/{hold_id}'],
  ['PATCH', '/b2a/holds/hd_06h0hyrj8xdwwxqs377g', 'GET or DELETE /api/b2a/holds/{hold_id}'],
  ['GET', '/api/key/self', 'GET /api/keys/self'],
  ['GET', '/llm.txt', 'GET /llms.txt'],
  ['GET', '/api/openapi.json', 'GET /openapi.json'],
  ['GET', '/health', 'GET /api/health'],
])('%s %s may mean %s', (method, path, expected) => {
  expect(nearest(method, path)).toBe(expected);
});

test.each(['/', '/api', '/api/b2a', '/wp-login.php', `/${'a/'.repeat(5_000)}${'b'.repeat(5_000)}`])(
  'a path without a word of a route is near to none: %.20s',
  (path) => {
    expect(nearest('GET', path)).toBeNull();
  },
);
