import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../ports/clock.ts';
import { at } from './json.ts';

/** A difference between the public contract and a response, as text. */
export type Difference = { readonly expected: string; readonly found: string };

/** The result of a step. If it was left out, `facts` holds the reason. */
export type StepResult = {
  readonly name: string;
  readonly outcome: 'kept' | 'differs' | 'left out';
  readonly facts: readonly string[];
  readonly differences: readonly Difference[];
  readonly tookMs: number;
};

/** Collects the facts and differences of a step, so that one run reports all of them. */
export type Check = {
  /** Printed beside the step's name. */
  fact(text: string): void;
  /** Compares the value at each path in `expected`. */
  matches(what: string, value: unknown, expected: Readonly<Record<string, unknown>>): void;
  /** Any other condition; `found` is reported if it does not hold. */
  holds(promise: string, kept: boolean, found: unknown): void;
};

/** Runs steps and reports each result. */
export type Steps = {
  /** @throws JourneyEnded if the step threw */
  readonly step: <T>(name: string, work: (check: Check) => Promise<T>) => Promise<T>;
  /** Reports a step that cannot run here or now, with the reason. */
  readonly leaveOut: (name: string, why: string) => void;
};

/** A step cannot continue: the response lacks what the next request needs. */
export class StepFailed extends Error {
  readonly difference: Difference;

  constructor(what: string, expected: string, found: unknown) {
    super(`expected of ${what}: ${expected}; found ${shown(found)}`);
    this.name = 'StepFailed';
    this.difference = { expected: `${what}: ${expected}`, found: shown(found) };
  }
}

/** Ends the journey after a failed step was reported: later steps need its result. */
export class JourneyEnded extends Error {
  constructor() {
    super('the journey ended at a failed step');
    this.name = 'JourneyEnded';
  }
}

export function steps(clock: Clock, report: (result: StepResult) => void): Steps {
  return {
    async step(name, work) {
      const sinceMs = clock.nowMs();
      const facts: string[] = [];
      const differences: Difference[] = [];
      try {
        return await work(collect(facts, differences));
      } catch (fault) {
        differences.push(differenceOf(fault));
        throw new JourneyEnded();
      } finally {
        const outcome = differences.length === 0 ? 'kept' : 'differs';
        report({ name, outcome, facts, differences, tookMs: clock.nowMs() - sinceMs });
      }
    },
    leaveOut: (name, why) => report({ name, outcome: 'left out', facts: [why], differences: [], tookMs: 0 }),
  };
}

/** The pause after the first read. It doubles, so that a slow service does not use up the limits of the journey's key. */
const FIRST_PAUSE_MS = 125;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Repeats `read` until its result is accepted or the timeout has passed.
 * @returns the last result, accepted or not
 */
export async function pollUntil<T>(
  read: () => Promise<T> | T,
  accepts: (result: T) => boolean,
  timeoutMs: number,
  clock: Clock,
): Promise<T> {
  const deadlineMs = clock.nowMs() + timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const result = await read();
    if (accepts(result) || clock.nowMs() >= deadlineMs) return result;
    await clock.until(Math.min(deadlineMs, clock.nowMs() + pauseMs));
  }
}

function collect(facts: string[], differences: Difference[]): Check {
  return {
    fact: (text) => void facts.push(text),
    matches(what, value, expected) {
      for (const [path, wanted] of Object.entries(expected)) {
        const found = at(value, path);
        if (isDeepStrictEqual(found, wanted)) continue;
        differences.push({ expected: `${what}: ${path} = ${shown(wanted)}`, found: shown(found) });
      }
    },
    holds(promise, kept, found) {
      if (!kept) differences.push({ expected: promise, found: shown(found) });
    },
  };
}

/** Any other error comes from the request: no connection, a timeout, an unreadable body. */
function differenceOf(fault: unknown): Difference {
  if (fault instanceof StepFailed) return fault.difference;
  const found = fault instanceof Error ? `${fault.name}: ${fault.message}` : shown(fault);
  return { expected: 'an answer of the service', found };
}

const LONGEST_SHOWN = 300;

/** A value as text, shortened if it is long. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}
