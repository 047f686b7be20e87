import { Elysia } from 'elysia';
import type { ActivityDocument } from '../../../projections/activities/read-model.ts';
import { type Accepted, overrideActivity, withdrawOverride } from '../../application/activity/override-activity.ts';
import { activityNotFound, type Refused, refused } from '../../application/refusal.ts';
import { findCity } from '../../domain/activity/cities.ts';
import { type EntryFault, readEntry, writeEntry } from '../../supply/activity-entry.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { waitForPosition } from '../wait-for-position.ts';
import {
  ACTIVITY_ANSWER,
  ACTIVITY_ENTRY_BODY,
  ACTIVITY_PATH,
  CHANGED_ACTIVITY_ANSWER,
  WITHDRAWN_ACTIVITY_ANSWER,
} from './schema.ts';

/** Maximum time that an answer waits until this node's memory holds the change. */
const PASSED_MS = 2_000;

export function activityRoutes(context: HttpContext) {
  const { catalogue, hotels, clock } = context;
  return new Elysia({ name: 'activity', tags: ['Catalogue'] })
    .use(access(context))
    .get(
      '/api/activities/:activity_id',
      async ({ params, call, request }) => {
        await waitForPosition(['candidates'], request.headers, context);
        const document = catalogue.get(params.activity_id);
        if (document === undefined) return call.refuse(activityNotFound(params.activity_id.slice(0, 80)));
        return success(presentActivity(document));
      },
      {
        operator: 'analyst',
        params: ACTIVITY_PATH,
        response: ACTIVITY_ANSWER,
        detail: {
          operationId: 'get_activity',
          summary: 'Read an activity',
          description:
            "The entry in force. If `override` is null, it is the catalogue's; otherwise it is an operator's, and " +
            "`override.catalogue` is the catalogue's.",
        },
      },
    )
    .put(
      '/api/activities/:activity_id',
      async ({ params, body, call }) => {
        const id = params.activity_id;
        // The type describes a valid entry, for typed clients. The handler checks the entry itself.
        const entry: Readonly<Record<string, unknown>> = body;
        const read = readEntry(entry, {
          id,
          present: catalogue.get(id)?.activity ?? null,
          listed: catalogue.values(),
          hotels: hotels().values(),
          nowMs: clock.nowMs(),
        });
        if (read.kind === 'faults') return call.refuse(faulty(read.faults, entry['city']));
        const changed = await changedBy(await overrideActivity(read.activity, call.cause, context), id, context);
        return call.reply(changed, ({ document }) => presentActivity(document), commandHeaders);
      },
      {
        operator: 'admin',
        params: ACTIVITY_PATH,
        body: ACTIVITY_ENTRY_BODY,
        response: CHANGED_ACTIVITY_ANSWER,
        detail: {
          operationId: 'put_activity',
          summary: 'Change an activity, or list a new one',
          description: [
            'The whole entry, as in a catalogue file, with its city and its venue. It overrides the entry of the catalogue ' +
              'until DELETE withdraws it. A repeated request changes nothing. What GET returns can be sent back.',
            'It applies at once to every later query and booking. Bookings and holds keep their price. A date that has ' +
              'bookings keeps its capacity and price.',
          ].join('\n\n'),
        },
      },
    )
    .delete(
      '/api/activities/:activity_id',
      async ({ params, call }) => {
        const id = params.activity_id;
        if (catalogue.get(id) === undefined) return call.refuse(activityNotFound(id.slice(0, 80)));
        const changed = await changedBy(await withdrawOverride(id, call.cause, context), id, context);
        return call.reply(changed, ({ document }) => presentActivity(document), commandHeaders);
      },
      {
        operator: 'admin',
        params: ACTIVITY_PATH,
        response: WITHDRAWN_ACTIVITY_ANSWER,
        detail: {
          operationId: 'withdraw_activity',
          summary: 'Withdraw an override',
          description:
            'The present entry of the catalogue applies again; an activity that the catalogue does not contain is retired. ' +
            'Without an override nothing changes.',
        },
      },
    );
}

/** The activity of the public contract: its entry and its owner. */
function presentActivity({ activity, listed, revision, updatedAt, override }: ActivityDocument) {
  return {
    ...writeEntry(activity),
    listed,
    revision,
    updated_at: updatedAt,
    override: override && {
      by: override.by,
      since: override.at,
      catalogue: override.catalogue && writeEntry(override.catalogue),
    },
  };
}

/** The document after a command. @throws if this node's memory does not hold it in time */
async function changedBy(outcome: Accepted | Refused, id: string, context: HttpContext) {
  if (outcome.kind === 'refused') return outcome;
  const { position } = outcome;
  if (position !== null) await context.candidatesPassed(position, PASSED_MS);
  const document = context.catalogue.get(id);
  if (document === undefined) throw new Error(`activity ${id} was changed, and is not known after ${PASSED_MS} ms`);
  return { kind: 'changed' as const, document, position };
}

function faulty(faults: readonly EntryFault[], city: unknown): Refused {
  const sentences = faults.map(({ field, message }) => `${field} ${message}.`);
  const unknownCity = faults[0]?.field === 'city' && typeof city === 'string' && findCity(city) === null;
  const details = sentences.join(' ');
  return refused(unknownCity ? 'INVALID_CITY' : 'INVALID_REQUEST', sentences[0] ?? '', { details });
}
