import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createApp } from '../../../src/http/app.ts';
import { type DescribedRoute, describedRoutes } from '../../../src/http/reference/described-routes.ts';
import { guide } from '../../../src/http/reference/guide.ts';
import { date } from '../../support/examples.ts';
import { openService, type Service } from '../../support/service.ts';

const ABOUT = {
  version: '1.2.3',
  publicUrl: 'https://waymark.example',
  webhookTimeoutMs: 30_000,
  today: date('2026-11-21'),
};

let service: Service;
let routes: readonly DescribedRoute[];
beforeAll(async () => {
  service = await openService();
  routes = describedRoutes(createApp(service.node.context).routes);
});
afterAll(() => service.stop());

/** The route of the app with this `operationId`. */
function route(id: string): DescribedRoute {
  const found = routes.find(({ operationId }) => operationId === id);
  if (found === undefined) throw new Error(`the app has no operation ${id}`);
  return found;
}

function steps(of: readonly DescribedRoute[]): string[] {
  return guide(of, ABOUT).match(/^\d+\. .*/gm) ?? [];
}

describe('the guide for agents', () => {
  test('says where the service is', () => {
    expect(guide([], ABOUT)).toContain('- Base URL: https://waymark.example (version 1.2.3)');
  });

  test('tells the steps whose endpoints are there, in their order', () => {
    expect(steps([route('execute_booking'), route('inventory')]).map((step) => step.slice(0, 36))).toEqual([
      '1. `GET /api/b2a/inventory`: what ca',
      '2. `POST /api/b2a/execute_booking` w',
      '3. `POST /api/b2a/execute_booking` w',
    ]);
    expect(steps([route('inventory'), route('recommend')])[0]).toStartWith(
      '1. `POST /api/b2a/recommend`: activities ranked',
    );
  });

  test('lists what agents can call, and of errors only those that they can meet', () => {
    const text = guide([route('inventory'), route('create_device'), route('livez')], ABOUT);
    const endpoints = text.slice(text.indexOf('## Endpoints')).match(/^- .*/gm);
    expect(endpoints).toEqual([
      '- `GET /api/b2a/inventory` (key with `inventory`): What can still be booked for a date',
    ]);
    const choices = text.slice(text.indexOf('`choose_other`:'), text.indexOf('`retry_later`:'));
    expect(choices.match(/^- \d+ `\w+`/gm)).toEqual(['- 404 `NO_INVENTORY`', '- 404 `ACTIVITY_NOT_FOUND`']);
    expect(text).not.toContain('MISSING_TOKEN');
  });

  test('sends the examples of the requests', () => {
    const text = guide([route('execute_booking'), route('recommend')], ABOUT);
    expect(text).toContain(JSON.stringify(route('execute_booking').example));
    expect(text).toContain(`curl -s https://waymark.example/api/b2a/recommend `);
    expect(text).toContain(JSON.stringify(route('recommend').example));
    expect(guide([route('inventory')], ABOUT)).not.toContain('curl');
  });

  test('has a chapter of limits, webhooks and tools where these are there', () => {
    const chapters = (of: readonly DescribedRoute[]) => guide(of, ABOUT).match(/(?<=^## ).*/gm);
    expect(chapters([route('inventory')])).toEqual([
      'From a wish to a voucher',
      'Idempotency',
      'Dates, money, languages',
      'When it fails',
      'Endpoints for agents',
    ]);
    const withTopics = [route('inventory'), route('own_key'), route('test_webhook'), route('mcp')];
    expect(chapters(withTopics)?.slice(3, 6)).toEqual(['Limits', 'Webhooks', 'As tools (MCP)']);
    const text = guide(withTopics, { ...ABOUT, webhookTimeoutMs: 12_000 });
    expect(text).toContain('`free` 10 requests a minute and 100 a day; `basic` 60');
    expect(text).toContain('`enterprise` has none.');
    expect(text).toContain('Any 2xx within 12 seconds');
    expect(text).toContain('after 5 seconds, 30 seconds, 2 minutes, 10 minutes and 1 hour.');
    expect(text).toContain('`qr_verified`, `booking_cancelled`, `booking_modified`');
    expect(text).toContain('streamable HTTP at https://waymark.example/mcp');
    expect(text).toContain('- `POST /mcp` (open): A message to the tool server (MCP)');
  });
});
