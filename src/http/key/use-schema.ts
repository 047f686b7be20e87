import { Type } from 'typebox';
import { COUNT, nullable, TIMESTAMP } from '../answer-fields.ts';

const LEFT = { limit: COUNT, used: COUNT, remaining: COUNT };
export const USAGE = Type.Object(
  { minute: Type.Object(LEFT), day: Type.Object({ ...LEFT, resets_at: TIMESTAMP }) },
  {
    $id: 'Usage',
    description: '`minute` is a sliding window of 60 seconds, `day` a day in UTC. Null if the plan has no limits.',
  },
);
export const USAGE_EXAMPLE = {
  minute: { limit: 60, used: 1, remaining: 59 },
  day: { limit: 1000, used: 12, remaining: 988, resets_at: '2026-11-22T00:00:00.000Z' },
};

export const USE = Type.Object(
  {
    today: Type.Object({
      requests: COUNT,
      by_endpoint: Type.Record(Type.String(), Type.Object({ ok: COUNT, refused: COUNT, failed: COUNT }), {
        description: 'By the `operationId` of this reference: successes, refusals (4xx), failures (5xx).',
      }),
    }),
  },
  {
    $id: 'Use',
    description: 'All answered requests of this key today (UTC), including those that do not count against limits.',
  },
);
export const USE_EXAMPLE = {
  today: {
    requests: 14,
    by_endpoint: { execute_booking: { ok: 2, refused: 1, failed: 0 }, own_key: { ok: 11, refused: 0, failed: 0 } },
  },
};

export const LAST_USED_AT = nullable(TIMESTAMP);
/** Until when the replaced webhook secret signs too. */
export const SECRET_OVERLAP = nullable(
  Type.String({ format: 'date-time', description: 'Until then the replaced webhook secret signs too; else null.' }),
);
