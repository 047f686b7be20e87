import { pointerName } from '../../projections/builds.ts';
import { PROJECTIONS } from '../../projections/index.ts';
import { openProjector, outcomeOf, type Projector } from '../../projections/projector.ts';
import type { Streams } from '../application/streams.ts';
import type { Begun, GiveUp } from '../application/under-lease.ts';
import { type RebuildOutcome, rebuildsOf } from '../domain/rebuild/rebuild.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';
import type { Singly } from './singly.ts';

const DECISION_MS = 10_000;
/** How often it is looked whether somebody asks for a rebuild, and which build serves. */
const LOOK_MS = 1_000;
const WHO = 'projector';

type Context = {
  readonly store: EventStore;
  readonly readModels: ReadModelStore;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly log: Log;
};

/** `gaveUp` gives the projection's lease back. */
type Leased = Context & { readonly gaveUp: GiveUp };

/** Runs each projection, in this version of it, on one of the nodes that call this. */
export async function projectSingly(singly: Singly, context: Context): Promise<Begun> {
  const begun = await Promise.all(
    PROJECTIONS.map((projection) =>
      singly(`projection-${rebuildsOf(projection.name, projection.version)}`, (giveUp) =>
        project(projection, { ...context, gaveUp: giveUp }),
      ),
    ),
  );
  return {
    async stop() {
      await Promise.all(begun.map((work) => work.stop()));
    },
  };
}

async function project(projection: Projection<object>, context: Leased): Promise<Begun> {
  const work = new Work(projection, context, await openOne(projection, context));
  const following = work.follow();
  return {
    async stop() {
      work.stopping.abort();
      await work.projector.stop();
      await following;
    },
  };
}

function openOne(projection: Projection<object>, { store, readModels, log, gaveUp }: Leased): Promise<Projector> {
  return openProjector([projection], { store, readModels, log, gaveUp, watched: true });
}

/** One projection, with the rebuilds of it that are asked for. One that a node began and did not end is begun anew by the next. */
class Work {
  readonly stopping = new AbortController();
  projector: Projector;
  readonly #projection: Projection<object>;
  readonly #context: Leased;

  constructor(projection: Projection<object>, context: Leased, projector: Projector) {
    this.#projection = projection;
    this.#context = context;
    this.projector = projector;
  }

  async follow(): Promise<void> {
    const { clock, log } = this.#context;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.#keepToPointer();
        await rebuildIfAsked(this.#projection, this.projector, this.#context, signal);
      } catch (fault) {
        // That an engine is away is told elsewhere, once and not for each projection.
        if (fault instanceof StoreUnavailable) continue;
        log.error('rebuilds not looked after', { projection: this.#projection.name, retryMs: LOOK_MS, fault });
      } finally {
        await clock.until(clock.nowMs() + LOOK_MS, signal);
      }
    }
  }

  /** A node that had this lease before, and did not know yet that it had lost it, may have finished a rebuild. */
  async #keepToPointer(): Promise<void> {
    const { name } = this.#projection;
    const pointed = await this.#context.readModels.pointer(pointerName(this.#projection));
    if (pointed === this.projector.collection(name) || this.stopping.signal.aborted) return;
    await this.projector.stop();
    this.projector = await openOne(this.#projection, this.#context);
    // The stop that came meanwhile knew the other one.
    if (this.stopping.signal.aborted) await this.projector.stop();
  }
}

async function rebuildIfAsked(
  { name, version }: Projection<object>,
  projector: Projector,
  { streams, clock, log }: Context,
  signal: AbortSignal,
): Promise<void> {
  const id = rebuildsOf(name, version);
  const known = await streams.rebuilds.read(id, clock.nowMs() + DECISION_MS);
  if (known.kind !== 'state' || known.state.open === null) return;
  const rebuild = known.state.open;
  const outcome = await outcomeOfRebuild(name, projector);
  // Broken off by the stop: whoever comes next begins it anew.
  if (signal.aborted && outcome.kind === 'failed') return;
  log.info('projection rebuilt', { projection: name, ...outcome });
  const nowMs = clock.nowMs();
  const at = new Date(nowMs).toISOString();
  const cause = { correlationId: rebuild, causationId: null, by: WHO, at };
  const command = { type: 'EndRebuild', rebuild, outcome, at } as const;
  const reply = await streams.rebuilds.handle(id, command, cause, nowMs + DECISION_MS);
  if (reply.kind !== 'accepted') throw new Error(`what came of a rebuild was not noted: ${reply.kind}`);
}

async function outcomeOfRebuild(name: string, projector: Projector): Promise<RebuildOutcome> {
  try {
    return outcomeOf(await projector.rebuild(name));
  } catch (fault) {
    return { kind: 'failed', message: fault instanceof Error ? fault.message : String(fault) };
  }
}
