import { describe, expect, test } from 'bun:test';
import { EXECUTE_BOOKING } from '../../../src/http/declarations/bookings.ts';
import { INVENTORY } from '../../../src/http/declarations/inventory.ts';
import { LIVEZ } from '../../../src/http/declarations/operations.ts';
import { OWN_KEY } from '../../../src/http/declarations/own-key.ts';
import { RECOMMEND } from '../../../src/http/declarations/recommend.ts';
import { TOOL_MESSAGES } from '../../../src/http/declarations/tools.ts';
import { CREATE_DEVICE } from '../../../src/http/declarations/venues.ts';
import { TEST_WEBHOOK } from '../../../src/http/declarations/webhooks.ts';
import type { Declaration } from '../../../src/http/endpoint.ts';
import { guide } from '../../../src/http/reference/guide.ts';
import type { DeclaredRoute } from '../../../src/http/reference/routes.ts';

const ABOUT = { version: '1.2.3', publicUrl: 'https://waymark.example', webhookTimeoutMs: 30_000 };

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

  test('sends the examples of the declarations', () => {
    const text = guide([book, route('POST', '/api/b2a/recommend', RECOMMEND)], ABOUT);
    expect(text).toContain(JSON.stringify(EXECUTE_BOOKING.example));
    expect(text).toContain(`curl -s https://waymark.example/api/b2a/recommend `);
    expect(text).toContain(JSON.stringify(RECOMMEND.example));
    expect(guide([inventory], ABOUT)).not.toContain('curl');
  });

  test('has a chapter of limits, webhooks and tools where these are there', () => {
    const chapters = (routes: readonly DeclaredRoute[]) => guide(routes, ABOUT).match(/(?<=^## ).*/gm);
    expect(chapters([inventory])).toEqual([
      'From a wish to a voucher',
      'Idempotency',
      'Dates, money, languages',
      'When it fails',
      'Endpoints for agents',
    ]);
    const routes = [
      inventory,
      route('GET', '/api/keys/self', OWN_KEY),
      route('POST', '/api/webhooks/test', TEST_WEBHOOK),
      route('POST', '/mcp', TOOL_MESSAGES),
    ];
    expect(chapters(routes)?.slice(3, 6)).toEqual(['Limits', 'Webhooks', 'As tools (MCP)']);
    const text = guide(routes, { ...ABOUT, webhookTimeoutMs: 12_000 });
    expect(text).toContain('`free` 10 requests a minute and 100 a day; `basic` 60');
    expect(text).toContain('`enterprise` has none.');
    expect(text).toContain('Any 2xx within 12 seconds');
    expect(text).toContain('after 5 seconds, 30 seconds, 2 minutes, 10 minutes and 1 hour.');
    expect(text).toContain('`qr_verified`, `booking_cancelled`, `booking_modified`');
    expect(text).toContain('streamable HTTP at https://waymark.example/mcp');
    expect(text).toContain('- `POST /mcp` (open): A message to the tool server (MCP)');
  });
});
