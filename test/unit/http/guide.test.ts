import { describe, expect, test } from 'bun:test';
import { EXECUTE_BOOKING } from '../../../src/http/declarations/bookings.ts';
import { INVENTORY } from '../../../src/http/declarations/inventory.ts';
import { LIVEZ } from '../../../src/http/declarations/operations.ts';
import { CREATE_DEVICE } from '../../../src/http/declarations/venues.ts';
import type { Declaration } from '../../../src/http/endpoint.ts';
import { guide } from '../../../src/http/reference/guide.ts';
import type { DeclaredRoute } from '../../../src/http/reference/routes.ts';

const ABOUT = { version: '1.2.3', publicUrl: 'https://waymark.example' };
const RECOMMEND = { ...INVENTORY, id: 'recommend', tag: 'Recommendations' } as const;

function route(method: string, path: string, declaration: Declaration): DeclaredRoute {
  return { method, path, declaration, form: null };
}

const inventory = route('GET', '/api/b2a/inventory', INVENTORY);
const book = route('POST', '/api/b2a/execute_booking', EXECUTE_BOOKING);

function steps(routes: readonly DeclaredRoute[]): string[] {
  return guide(routes, ABOUT).match(/^\d+\. .*/gm) ?? [];
}

describe('the guide for agents', () => {
  test('says where the service is', () => {
    expect(guide([], ABOUT)).toContain('- Base URL: https://waymark.example (version 1.2.3)');
  });

  test('tells the steps whose endpoints are there, in their order', () => {
    expect(steps([book, inventory]).map((step) => step.slice(0, 36))).toEqual([
      '1. `GET /api/b2a/inventory`: what ca',
      '2. `POST /api/b2a/execute_booking` w',
      '3. `POST /api/b2a/execute_booking` w',
    ]);
    expect(steps([inventory, route('POST', '/api/b2a/recommend', RECOMMEND)])[0]).toStartWith(
      '1. `POST /api/b2a/recommend`: activities ranked',
    );
  });

  test('lists what agents can call, and of errors only those that they can meet', () => {
    const text = guide([inventory, route('POST', '/d', CREATE_DEVICE), route('GET', '/livez', LIVEZ)], ABOUT);
    const endpoints = text.slice(text.indexOf('## Endpoints')).match(/^- .*/gm);
    expect(endpoints).toEqual([
      '- `GET /api/b2a/inventory` (key with `inventory`): What can still be booked for a date',
    ]);
    const choices = text.slice(text.indexOf('`choose_other`:'), text.indexOf('`retry_later`:'));
    expect(choices.match(/^- \d+ `\w+`/gm)).toEqual(['- 404 `NO_INVENTORY`', '- 404 `ACTIVITY_NOT_FOUND`']);
    expect(text).not.toContain('MISSING_TOKEN');
  });

  test('sends the example of the booking itself', () => {
    expect(guide([book], ABOUT)).toContain(JSON.stringify(EXECUTE_BOOKING.example));
  });
});
