import type { LocalDate } from '../../src/domain/activity/activity.ts';
import { addDays, localDate } from '../../src/domain/activity/schedule.ts';
import { HOUR_MS } from '../../src/eventsourcing/durations.ts';
import type { Random } from '../chaos/kill/random.ts';
import { pause } from '../chaos/kill/real-time.ts';
import { OFFERS } from '../model/sequences/offers.ts';
import { HOLD_MS, later, type World } from '../model/sequences/reckoning.ts';
import {
  matchesModel,
  type Request,
  type ServiceAnswer,
  type TestedService,
} from '../model/sequences/tested-service.ts';
import { CLAIM_MS, type ThreeNodes } from './three-nodes.ts';

/** Real time within which the background work is done, on a busy machine too. */
const SETTLED_MS = 60_000;
/** Each second on the clocks takes longer than the one before, so that work with a deadline on them can finish. */
const PAUSE_MS = 5;
/** Events of process managers, which no command asks for. */
const BACKGROUND = new Set(['SlotsReleased', 'ClaimShrunk', 'ClaimAbandoned']);
/** The audit records each request of an operator, repetitions too. */
const AUDIT = new Set(['ActRequested', 'ActAnswered', 'GuestDataRead']);
/** Streams that commands write to. */
const COMMANDED = /^(booking|allotment|hold|guest|scan)-/;

/** Three nodes as the service under test. Each request goes to another node than the last one. */
export class TestedNodes implements TestedService {
  readonly offers = OFFERS;
  readonly rivalPercent = 30;
  readonly world: World;
  /** Number of requests to each node. */
  readonly asked = [0, 0, 0];
  readonly #nodes: ThreeNodes;
  readonly #random: Random;
  #last = 0;

  constructor(nodes: ThreeNodes, random: Random) {
    this.#nodes = nodes;
    this.#random = random;
    this.world = { nowMs: nodes.answering.nowMs(), bookings: new Map(), holds: new Map() };
  }

  /** In the city where the day begins first. */
  dates(): readonly [LocalDate, LocalDate, LocalDate] {
    const today = localDate('Bali', this.#nodes.answering.nowMs());
    return [addDays(today, 1), addDays(today, 2), addDays(today, 3)];
  }

  send(request: Request): Promise<ServiceAnswer> {
    this.#last = (this.#last + this.#random.whole(1, 2)) % 3;
    this.asked[this.#last] = (this.asked[this.#last] ?? 0) + 1;
    return this.#nodes.tell(this.#last, request);
  }

  now(world: World): World {
    return later(world, this.#nodes.answering.nowMs());
  }

  wait(world: World, random: Random): Promise<World> {
    this.#advance(random.pick([HOLD_MS / 2, HOLD_MS, HOLD_MS + 1, 8 * HOUR_MS]));
    return this.#until(world);
  }

  settle(world: World): Promise<World> {
    this.#advance(CLAIM_MS);
    return this.#until(world);
  }

  /** Number of events that commands wrote, by type; those of process managers do not count. */
  async length(): Promise<string> {
    const log = await this.#nodes.log();
    const counts = new Map<string, number>();
    for (const { stream, type } of log)
      if (COMMANDED.test(stream) && !isBackground(type)) counts.set(type, (counts.get(type) ?? 0) + 1);
    return [...counts].map(([type, count]) => `${type} ${count}`).join(', ');
  }

  #advance(ms: number): void {
    this.#nodes.answering.advance(ms);
    this.#nodes.working.advance(ms);
  }

  /** Advances the clocks by seconds until the service's state equals the model's. */
  async #until(world: World): Promise<World> {
    const startedAt = performance.now();
    for (let seconds = 0; performance.now() - startedAt < SETTLED_MS; seconds++) {
      const present = this.now(world);
      if (await matchesModel(this, present)) return present;
      this.#advance(1_000);
      await pause(seconds * PAUSE_MS);
    }
    throw new Error(`after ${SETTLED_MS} ms the service still differs from the model`);
  }
}

function isBackground(type: string): boolean {
  const [name = ''] = type.split('.');
  return BACKGROUND.has(name) || AUDIT.has(name) || /Mail(?:ed|Failed)$/.test(name);
}
