import { guestsProjection } from '../../../projections/guests/projection.ts';
import { PROJECTIONS } from '../../../projections/index.ts';
import { START } from '../../../src/eventsourcing/message.ts';
import type { EventStore, StoredEvent } from '../../../src/ports/event-store.ts';
import type { ReadModelStore } from '../../../src/ports/read-model-store.ts';
import { pointerName } from '../../../src/runtime/builds.ts';
import { openProjector } from '../../../src/runtime/projector.ts';
import { decoded } from '../../support/decoded.ts';
import { collectedLog } from '../../support/log.ts';
import { auditLog } from './audit.ts';
import { type History, readHistory } from './history.ts';
import { type Outbound, readOutbound } from './outbound.ts';
import type { Bytes, Left } from './stage.ts';
import { GUEST_MARK } from './wire.ts';

const CATCH_UP_MS = 60_000;

export type Autopsy = {
  readonly history: History;
  readonly outbound: Outbound;
  /** Claims whose guest stream is erased. */
  readonly erased: ReadonlySet<string>;
  /** Faults of the log, of the read models, and misplaced personal data. */
  readonly faults: readonly string[];
};

/** Audits the stores of a stopped service. */
export async function autopsy(left: Pick<Left, 'store' | 'readModels'>): Promise<Autopsy> {
  const events = await everyEvent(left.store);
  const [history, outbound] = [readHistory(events), readOutbound(events, left.store.positions)];
  const erased = await erasedGuests(history, left.store);
  const faults = [
    ...auditLog(history),
    ...(await rebuilt(left)),
    ...(await personalData(left.readModels, history, erased)),
  ];
  return { history, outbound, erased, faults };
}

/** Checks that the bytes of a stopped service contain no erased guest. */
export function auditBytes(bytes: readonly Bytes[], { guests }: History): string[] {
  const onRecord = new Set([...guests.values()].flatMap((guest) => marksIn(JSON.stringify(guest))));
  return bytes.flatMap(({ file, holdsGuests, text }) => {
    const allowed = holdsGuests ? onRecord : new Set<string>();
    return marksIn(text).flatMap((mark) => (allowed.has(mark) ? [] : [`${file} still holds ${mark}`]));
  });
}

export function marksIn(text: string): string[] {
  return [...new Set(text.match(GUEST_MARK)?.map((mark) => mark.toLowerCase()))];
}

/** The whole log. */
export async function everyEvent(store: EventStore): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  const head = await store.head();
  if (head === START) return events;
  const { signal } = new AbortController();
  for await (const batch of store.subscribe({ after: START, signal })) {
    events.push(...batch.events);
    if (batch.upTo >= head) break;
  }
  return events;
}

/** Claims whose guest stream is erased. */
export async function erasedGuests({ claims }: History, store: EventStore): Promise<Set<string>> {
  const erased = new Set<string>();
  for (const { claim, abandoned } of claims.values())
    if (abandoned !== null && (await store.read(`guest-${claim}`)).kind === 'erased') erased.add(claim);
  return erased;
}

/** Continues the read models to the end of the log, then compares each with a rebuilt one. */
async function rebuilt({ store, readModels }: Pick<Left, 'store' | 'readModels'>): Promise<string[]> {
  const log = collectedLog();
  const projector = await openProjector(PROJECTIONS, { store: decoded(store), readModels, log });
  const faults: string[] = [];
  const head = await store.head();
  for (const { name } of PROJECTIONS) {
    if (!(await projector.waitFor(name, head, CATCH_UP_MS))) faults.push(`${name} does not reach the end of the log`);
    const { differences } = await projector.rebuild(name);
    faults.push(...differences.map((id) => `${name} holds ${id} otherwise than a rebuild does`));
  }
  await projector.stop();
  const failures = log.lines.filter(({ level }) => level === 'error');
  return [...faults, ...failures.map(({ happening, facts }) => `${happening}: ${JSON.stringify(facts)}`)];
}

/** Only `guests` repeats a guest's data: that of the record of the same claim, until it is erased. */
async function personalData(
  readModels: ReadModelStore,
  { guests }: History,
  erased: ReadonlySet<string>,
): Promise<string[]> {
  const faults: string[] = [];
  const serving = await readModels.pointer(pointerName(guestsProjection));
  for (const collection of await readModels.collections()) {
    // A replaced build is not advanced any more, and soon dropped.
    if (collection.startsWith(`${pointerName(guestsProjection)}.`) && collection !== serving) continue;
    for await (const { id, doc } of readModels.scan(collection)) {
      const isRecord = collection === serving && !erased.has(id);
      const allowed = isRecord ? marksIn(JSON.stringify(guests.get(id) ?? null)) : [];
      if (marksIn(JSON.stringify({ id, doc })).some((mark) => !allowed.includes(mark)))
        faults.push(`${id} in ${collection} holds personal data`);
    }
  }
  return faults;
}
