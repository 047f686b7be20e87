import { answerAct, type RequestedAct, recordRead, requestAct } from '../application/audit/record-audit.ts';
import type { AuditedCaller, AuditedRequest } from '../domain/audit/audit.ts';
import { parseBookingId } from '../domain/ids.ts';
import { auditOf, auditOfDevices } from '../domain/operator/roles.ts';
import type { Caller } from './admission.ts';
import type { AuditTrail, Call } from './call.ts';
import type { HttpContext } from './context.ts';
import { RefusedEarly } from './refused-early.ts';

/** The validated parts of a request. */
type Parts = { readonly params?: unknown; readonly query?: unknown; readonly body?: unknown };

/**
 * Begins the audit of a request by an operator or a device; null if its operation is not audited.
 * @throws RefusedEarly if the act cannot be recorded: the handler must not run
 */
export async function beginAudit(call: Call, parts: Parts, context: HttpContext): Promise<AuditTrail | null> {
  const { caller, operation } = call;
  const audited = auditedCaller(caller);
  if (audited === null) return null;
  const audit = audited.kind === 'operator' ? auditOf(operation, audited.role) : auditOfDevices(operation);
  if (audit === null) return null;
  const { cause, address } = call;
  const request = { caller: audited, operation, ...namedBy(parts), address, at: cause.at };
  if (audit === 'guest read') return readTrail(request, call, context);
  const act = await requestAct(request, cause, context);
  if (act.kind === 'refused') throw new RefusedEarly(act);
  return actTrail(act, call, context);
}

function actTrail(act: RequestedAct, call: Call, context: HttpContext): AuditTrail {
  return {
    async end(response, data) {
      const objects = createdIn(data).filter((id) => !act.request.objects.includes(id));
      const outcome = { status: response.status, code: call.refusalCode, objects };
      const answered = await answerAct(act, outcome, call.cause, context);
      // The act is done: its answer is sent, and the audit shows the outcome as unknown.
      if (answered.kind === 'refused')
        context.log.warn('outcome of an act not recorded', {
          requestId: call.requestId,
          endpoint: call.operation,
          audit: act.id,
          reason: answered.refusal.error,
        });
      return response;
    },
  };
}

function readTrail(request: AuditedRequest, call: Call, context: HttpContext): AuditTrail {
  return {
    async end(response, data) {
      const objects = [...new Set([...request.objects, ...shownIn(request.caller, data)])];
      const read = { ...request, objects, status: response.status, code: call.refusalCode };
      const recorded = await recordRead(read, call.cause, context);
      return recorded.kind === 'recorded' ? response : call.answerRefusal(recorded.refusal);
    },
  };
}

function auditedCaller(caller: Caller): AuditedCaller | null {
  if (caller === null) return null;
  if ('operatorId' in caller) return { kind: 'operator', id: caller.operatorId, role: caller.role };
  if ('deviceId' in caller) return { kind: 'device', id: caller.deviceId, venueId: caller.venueId };
  return null;
}

/** Ids of this service, which begin with their kind. */
const OWN_ID = /^[a-z]{2,4}_[0-9a-z_]{1,64}$/;
/** Ids of a path may also be chosen by operators: activities, venues, projections. */
const PATH_ID = /^[\w.:-]{1,128}$/;
/** The members of a body or query that name one object. */
const NAMING = ['booking_id', 'device_id', 'hold_id', 'key', 'key_id'];
/** The members of an answer that name what the act created. */
const CREATED = ['booking_id', 'device_id', 'exclusion_id', 'experiment_id', 'hold_id', 'id', 'operator_id'];

/** The ids in the path, body and query, and the names of all fields. Text that is no id may be data of a guest. */
function namedBy({ params, query, body }: Parts): Pick<AuditedRequest, 'objects' | 'fields'> {
  const sent = { ...membersOf(query), ...membersOf(body) };
  const inPath = Object.entries(membersOf(params)).flatMap(([name, value]) =>
    isText(value) && PATH_ID.test(value) && (name !== 'booking_id' || parseBookingId(value) !== null) ? [value] : [],
  );
  const fields = Object.keys(sent).filter((name) => sent[name] !== undefined);
  return { objects: [...new Set([...inPath, ...ownIds(sent, NAMING)])], fields: fields.toSorted() };
}

function createdIn(data: object | null): readonly string[] {
  return ownIds(membersOf(data), CREATED);
}

/**
 * What an answer shows: for operators the bookings, one or those of a list. Gates poll the list of a day, so for them it is
 * the venue and the date, which name the list.
 */
function shownIn(caller: AuditedCaller, data: object | null): readonly string[] {
  const members = membersOf(data);
  if (caller.kind === 'device') return [caller.venueId, members['date']].filter(isText);
  const items: readonly unknown[] = Array.isArray(members['items']) ? members['items'] : [members];
  return items.flatMap((item) => ownIds(membersOf(item), ['booking_id']));
}

function ownIds(members: Readonly<Record<string, unknown>>, names: readonly string[]): readonly string[] {
  return names.map((name) => members[name]).filter((value) => isText(value) && OWN_ID.test(value)) as string[];
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
