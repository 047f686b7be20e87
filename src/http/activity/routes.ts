import { Elysia } from 'elysia';
import type { ActivityDocument } from '../../../projections/activities/read-model.ts';
import { type Accepted, overrideActivity, withdrawOverride } from '../../application/activity/override-activity.ts';
import { unknownActivity } from '../../application/activity/unknown-activity.ts';
import { type Refused, refused } from '../../application/refusal.ts';
import type { Activity } from '../../domain/activity/activity.ts';
import { findCity } from '../../domain/activity/find-place.ts';
import { sees } from '../../domain/operator/roles.ts';
import { type EntryFault, readEntry, writeEntry } from '../../supply/activity-entry.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { waitForPosition } from '../wait-for-position.ts';
import * as schema from './schema.ts';

/** Maximum time that an answer waits until this node's memory holds the change. */
const PASSED_MS = 2_000;

export function activityRoutes(context: HttpContext) {
  const { catalogue, hotels, clock } = context;
  return new Elysia({ name: 'activity', tags: ['Catalogue'] })
    .use(access(context))
    .get(
      '/api/activities/:activity_id',
      async ({ params, call, request, operator: { role } }) => {
        await waitForPosition(['candidates'], request.headers, context);
        const document = catalogue.get(params.activity_id);
        if (document === undefined) return call.refuse(unknownActivity(params.activity_id, null, context.catalogue));
        return success(presentActivity(sees(role, 'venueContact') ? document : withoutContacts(document)));
      },
      {
        operator: true,
        params: schema.ACTIVITY_PATH,
        response: schema.ACTIVITY_ANSWER,
        detail: schema.GET_ACTIVITY_DETAIL,
      },
    )
    .put(
      '/api/activities/:activity_id',
      async ({ params, body, call }) => {
        const id = params.activity_id;
        // The type describes a valid entry, for typed clients. The handler checks the entry itself.
        const { listed, currency, revision: _, updated_at: __, override: ___, ...entry }: Members = body;
        const read = readEntry(entry, {
          id,
          present: catalogue.get(id)?.activity ?? null,
          listed: catalogue.values(),
          hotels: hotels().values(),
          nowMs: clock.nowMs(),
        });
        if (read.kind === 'faults') return call.refuse(faulty(read.faults, entry['city']));
        const fixed = faultsOfFixed(listed, currency, read.activity);
        if (fixed.length > 0) return call.refuse(faulty(fixed, null));
        const changed = await changedBy(await overrideActivity(read.activity, call.cause, context), id, context);
        return call.reply(changed, ({ document }) => presentActivity(document), commandHeaders);
      },
      {
        operator: true,
        params: schema.ACTIVITY_PATH,
        body: schema.ACTIVITY_ENTRY_BODY,
        response: schema.CHANGED_ACTIVITY_ANSWER,
        detail: schema.PUT_ACTIVITY_DETAIL,
      },
    )
    .delete(
      '/api/activities/:activity_id',
      async ({ params, call }) => {
        const id = params.activity_id;
        if (catalogue.get(id) === undefined) return call.refuse(unknownActivity(id, null, catalogue));
        const changed = await changedBy(await withdrawOverride(id, call.cause, context), id, context);
        return call.reply(changed, ({ document }) => presentActivity(document), commandHeaders);
      },
      {
        operator: true,
        params: schema.ACTIVITY_PATH,
        response: schema.WITHDRAWN_ACTIVITY_ANSWER,
        detail: schema.WITHDRAW_ACTIVITY_DETAIL,
      },
    );
}

type Members = Readonly<Record<string, unknown>>;

/** The faults of members that GET returns and PUT cannot change. A client that sends another value expects an effect. */
function faultsOfFixed(listed: unknown, currency: unknown, activity: Activity): readonly EntryFault[] {
  const faults: EntryFault[] = [];
  if ((listed ?? true) !== true)
    faults.push({ field: 'listed', message: 'must be true or be left out: to withdraw the activity, use DELETE' });
  if ((currency ?? activity.currency) !== activity.currency)
    faults.push({ field: 'currency', message: `must be ${activity.currency}, the city's, or be left out` });
  return faults;
}

/** What a role sees that does not see the contacts of venues. */
function withoutContacts(document: ActivityDocument): ActivityDocument {
  const { activity, override } = document;
  const catalogue = override?.catalogue ?? null;
  return {
    ...document,
    activity: withoutContact(activity),
    override: override && { ...override, catalogue: catalogue && withoutContact(catalogue) },
  };
}

function withoutContact(activity: Activity): Activity {
  const { contact: _, ...venue } = activity.venue;
  return { ...activity, venue };
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
