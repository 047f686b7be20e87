import { Elysia } from 'elysia';
import type { Static } from 'typebox';
import { excludeVisits, listExclusions } from '../../application/learning/exclude-visits.ts';
import { type Refused, refused } from '../../application/refusal.ts';
import type { DeviceId, KeyId } from '../../domain/ids.ts';
import type { Excluded, Exclusion } from '../../domain/learning/exclusions.ts';
import { WHOLE } from '../../domain/recommendation/score.ts';
import { access } from '../access.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { parseMoment } from '../fields.ts';
import * as schema from './schema.ts';

/** What the ranking does not learn from. */
export function learningRoutes(context: HttpContext) {
  return new Elysia({ name: 'learning', tags: ['Operation'] })
    .use(access(context))
    .post(
      '/api/learning/exclude',
      async ({ body, idempotencyKey, call }) => {
        const excluded = excludedIn(body);
        if (excluded.kind === 'refused') return call.refuse(excluded);
        const request = { excluded: excluded.excluded, reason: body.reason, idempotencyKey };
        const outcome = await excludeVisits(request, call.cause, context);
        return call.reply(outcome, ({ exclusion }) => presentExclusion(exclusion), commandHeaders);
      },
      {
        idempotent: true,
        operator: true,
        body: schema.EXCLUSION_BODY,
        response: schema.EXCLUSION_ANSWER,
        detail: schema.EXCLUDE_DETAIL,
      },
    )
    .get(
      '/api/learning/exclude',
      async ({ query, call }) => {
        const after = readCursor(query.cursor)?.id ?? null;
        const page = await listExclusions({ limit: query.limit ?? schema.DEFAULT_LIMIT, after }, context);
        return call.reply(page, ({ items, next }) => ({
          items: items.map(presentExclusion),
          next_cursor: writeCursor(next === null ? null : { value: '', id: next }),
        }));
      },
      {
        operator: true,
        query: schema.EXCLUSIONS_QUERY,
        response: schema.EXCLUSIONS_ANSWER,
        detail: schema.LIST_EXCLUSIONS_DETAIL,
      },
    );
}

function excludedIn({
  key,
  device_id: deviceId,
  from,
  to,
}: Static<(typeof schema.EXCLUSION_BODY)['schema']>):
  | { readonly kind: 'excluded'; readonly excluded: Excluded }
  | Refused {
  if (key === undefined && deviceId === undefined && from === undefined && to === undefined)
    return refused('INVALID_REQUEST', 'key, device_id, from and to are all missing; send at least one of them.');
  const excluded = {
    keyId: (key ?? null) as KeyId | null,
    deviceId: (deviceId ?? null) as DeviceId | null,
    fromMs: from === undefined ? null : (parseMoment(from)?.fromMs ?? null),
    toMs: to === undefined ? null : (parseMoment(to)?.toMs ?? null),
  };
  return { kind: 'excluded', excluded };
}

function presentExclusion({ exclusion, excluded, reason, at, counted, applied }: Exclusion) {
  const { keyId, deviceId, fromMs, toMs } = excluded;
  return {
    exclusion_id: exclusion,
    key: keyId,
    device_id: deviceId,
    from: timeOf(fromMs),
    to: timeOf(toMs),
    reason,
    created_at: at,
    status: applied === null ? ('pending' as const) : ('applied' as const),
    applied_at: applied?.at ?? null,
    visits: counted?.visits ?? null,
    activities: (applied?.activities ?? []).map(({ activityId, visits, groundTruthBefore, groundTruthAfter }) => ({
      activity_id: activityId,
      visits,
      ground_truth_before: groundTruthBefore / WHOLE,
      ground_truth_after: groundTruthAfter / WHOLE,
    })),
  };
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
