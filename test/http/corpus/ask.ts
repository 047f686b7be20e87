import type { ToolClient } from '../../support/mcp.ts';
import type { Service } from '../../support/service.ts';
import type { Members, Operation } from './entry.ts';

/** What a client gets: the data of a success, or the texts of a refusal. */
export type Reply =
  | { readonly kind: 'data'; readonly data: Members }
  | { readonly kind: 'refusal'; readonly code: string; readonly text: string };

export type Asked = {
  readonly operation: Operation;
  readonly request: Members | string;
  /** The booking that is modified or cancelled. */
  readonly bookingId: string;
  /** Of the tool `book`. */
  readonly idempotencyKey: string;
};

/** Sends one request as an agent does. */
export async function ask(service: Service, tools: ToolClient, asked: Asked): Promise<Reply> {
  const { operation, request } = asked;
  if (operation.startsWith('tool:')) {
    // Without an idempotency key, the tool answers the same arguments with the booking of an earlier entry.
    const own = operation === 'tool:book' && typeof request !== 'string' && { idempotency_key: asked.idempotencyKey };
    return call(tools, operation.slice('tool:'.length), typeof request === 'string' ? {} : { ...own, ...request });
  }
  const { method, path } = routeOf(asked);
  const query = method === 'GET' && typeof request !== 'string' ? `?${queryOf(request, operation).toString()}` : '';
  const headers = { ...service.key, ...(method === 'POST' && { 'content-type': 'application/json' }) };
  const body = typeof request === 'string' ? request : JSON.stringify(request);
  const response = await service.send(`${path}${query}`, { method, headers, ...(method === 'POST' && { body }) });
  const answer = (await response.json()) as Envelope;
  if (answer.success) return { kind: 'data', data: answer.data };
  const { error, code, details, alternatives = [] } = answer;
  return { kind: 'refusal', code, text: `${error}\n${details}\n${JSON.stringify(alternatives)}` };
}

/** Other tests check its members. */
type Envelope =
  | { readonly success: true; readonly data: Members }
  | {
      readonly success: false;
      readonly error: string;
      readonly code: string;
      readonly details: string;
      readonly alternatives?: readonly object[];
    };

async function call(tools: ToolClient, name: string, args: Members): Promise<Reply> {
  const { failed, texts, content } = await tools.call(name, args);
  if (!failed) return { kind: 'data', data: content ?? {} };
  const text = texts.join('\n');
  return { kind: 'refusal', code: /^([A-Z_]+):/.exec(text)?.[1] ?? '', text };
}

function routeOf({ operation, request, bookingId }: Asked): { readonly method: string; readonly path: string } {
  const get = (path: string) => ({ method: 'GET', path: `/api/b2a/${path}` });
  const post = (path: string) => ({ method: 'POST', path: `/api/b2a/${path}` });
  switch (operation) {
    case 'recommend':
      return post('recommend');
    case 'book':
      return post('execute_booking');
    case 'hold':
      return post('holds');
    case 'modify':
    case 'cancel':
      return post(`bookings/${bookingId}/${operation}`);
    case 'activity':
      return get(`activities/${encodeURIComponent(String((request as Members)['id']))}`);
    default:
      return get(operation);
  }
}

/** A list is a parameter that is sent several times. */
function queryOf(request: Members, operation: Operation): URLSearchParams {
  const members = Object.entries(request).filter(([name]) => operation !== 'activity' || name !== 'id');
  return new URLSearchParams(
    members.flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, String(each)])),
  );
}

/** What an answer says was understood, by the names that entries use. */
export function factsOf(operation: Operation, data: Members): Members {
  const items = itemsOf(data);
  const only = (member: string): unknown => {
    const values = [...new Set(items.map((item) => item[member]))];
    return values.length === 1 ? values[0] : values;
  };
  switch (operation.replace('tool:', '')) {
    case 'recommend': {
      const context = data['context'] as { user_profile_summary: string; environment_summary: string };
      return {
        city: context.environment_summary.split(',')[0],
        profile: context.user_profile_summary,
        date: only('available_date'),
        categories: only('category'),
        count: items.length,
      };
    }
    case 'inventory': {
      const { city, query_date: date, query_date_to: dateTo } = data['metadata'] as Members;
      return { city, date, date_to: dateTo, categories: only('category'), count: items.length };
    }
    case 'book':
    case 'hold':
    case 'modify':
    case 'cancel': {
      const pricing = (data['new_pricing'] ?? data['pricing']) as Members | undefined;
      return { ...data, total: pricing?.['total'] };
    }
    default:
      return { activity_id: items[0]?.['id'] ?? items[0]?.['activity_id'], ...namedOnly() };
  }

  function namedOnly(): Members {
    return { city: only('city'), categories: only('category'), status: only('status') };
  }
}

function itemsOf(data: Members): readonly Members[] {
  const items = data['recommendations'] ?? data['inventory'] ?? data['items'] ?? [];
  return items as readonly Members[];
}
