import { type TUnknown, Type } from 'typebox';
import { Clean } from 'typebox/value';
import type { ActivityDocument } from '../../../projections/activities/read-model.ts';
import { type Obeyed, overrideActivity, withdrawOverride } from '../../application/override-activity.ts';
import { type Refused, refused } from '../../application/refusal.ts';
import { findCity } from '../../domain/activity/cities.ts';
import { type EntryFault, readEntry, writeEntry } from '../../supply/activity-entry.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { ACTIVITY_BY_ID, DELETE_ACTIVITY, ENTRY, PUT_ACTIVITY } from '../declarations/activities.ts';
import { endpoint } from '../endpoint.ts';
import { type Field, type Form, required } from '../form.ts';
import { freshCandidates } from '../freshness.ts';

/** How long an answer waits until this node's own memory has what was changed. */
const PASSED_MS = 2_000;

/** GET /api/activities/{activity_id} */
export function activityById(context: HttpContext) {
  return endpoint(context, ACTIVITY_BY_ID, null, async ({ params, headers }) => {
    await freshCandidates(headers, context);
    const id = params['activity_id'] ?? '';
    const document = context.catalogue.get(id);
    return document === undefined ? notFound(id) : { kind: 'data', data: presentActivity(document) };
  });
}

/** The whole body: its rules are those of the catalogue's files. */
const entryShape: Form<{ entry: Field<TUnknown> }> = {
  fields: { entry: required(Type.Unknown(), 'an activity as a catalogue file has it') },
  readBody(body) {
    if (!isObject(body)) return refused('INVALID_REQUEST', 'The body must be a JSON object.');
    return { kind: 'fields', fields: { entry: Clean(ENTRY, body) } };
  },
  readQuery: () => ({ kind: 'fields', fields: { entry: null } }),
};

/** PUT /api/activities/{activity_id} */
export function putActivity(context: HttpContext) {
  return endpoint(context, PUT_ACTIVITY, entryShape, async ({ params, fields, cause }) => {
    const { catalogue, hotels, clock } = context;
    const id = params['activity_id'] ?? '';
    const entry = isObject(fields.entry) ? fields.entry : {};
    const surroundings = {
      id,
      present: catalogue.get(id)?.activity ?? null,
      listed: catalogue.values(),
      hotels: hotels().values(),
      nowMs: clock.nowMs(),
    };
    const read = readEntry(entry, surroundings);
    if (read.kind === 'faults') return faulty(read.faults, entry['city']);
    return answered(id, await overrideActivity(read.activity, cause, context), context);
  });
}

/** DELETE /api/activities/{activity_id} */
export function deleteActivity(context: HttpContext) {
  return endpoint(context, DELETE_ACTIVITY, null, async ({ params, cause }) => {
    const id = params['activity_id'] ?? '';
    if (context.catalogue.get(id) === undefined) return notFound(id);
    return answered(id, await withdrawOverride(id, cause, context), context);
  });
}

async function answered(id: string, obeyed: Obeyed | Refused, context: HttpContext) {
  if (obeyed.kind === 'refused') return obeyed;
  const { position } = obeyed;
  if (position !== null) await context.candidatesPassed(position, PASSED_MS);
  const document = context.catalogue.get(id);
  if (document === undefined) throw new Error(`activity ${id} was changed, and is not known after ${PASSED_MS} ms`);
  return { kind: 'data' as const, data: presentActivity(document), headers: commandHeaders({ position }) };
}

function faulty(faults: readonly EntryFault[], city: unknown): Refused {
  const sentences = faults.map(({ field, message }) => `${field} ${message}.`);
  const unknownCity = faults[0]?.field === 'city' && typeof city === 'string' && findCity(city) === null;
  const details = sentences.join(' ');
  return refused(unknownCity ? 'INVALID_CITY' : 'INVALID_REQUEST', sentences[0] ?? '', { details });
}

function notFound(id: string): Refused {
  return refused('ACTIVITY_NOT_FOUND', `activity_id "${id.slice(0, 80)}" does not exist; take one from inventory.`);
}

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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
