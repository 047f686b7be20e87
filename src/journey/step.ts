import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../ports/clock.ts';
import { at } from './reading.ts';

/** A place where the service did other than promised, in words for people. */
export type Difference = { readonly expected: string; readonly found: string };

/** What became of a step: all as promised, something different, or nothing to look at, for the reason in `facts`. */
export type StepResult = {
  readonly name: string;
  readonly outcome: 'kept' | 'differs' | 'left out';
  readonly facts: readonly string[];
  readonly differences: readonly Difference[];
  readonly tookMs: number;
};

/** What a step tells while it looks: differences are gathered, so that one look tells them all. */
export type Seen = {
  /** Shown beside the step's name. */
  fact(text: string): void;
  /** Each member of `expected` is a path into the value, with what must stand there. */
  matches(what: string, value: unknown, expected: Readonly<Record<string, unknown>>): void;
  /** A promise that is no equality: `found` is shown where it is not kept. */
  holds(promise: string, kept: boolean, found: unknown): void;
};

/** Runs steps and reports each. */
export type Steps = {
  /** @throws JourneyEnded where the step was broken */
  run<T>(name: string, work: (seen: Seen) => Promise<T>): Promise<T>;
  /** Tells that a step cannot be taken here and now, and why. */
  leaveOut(name: string, why: string): void;
};

/** Thrown where a step cannot go on: what it needs next was not in the answer. */
export class Broken extends Error {
  readonly difference: Difference;

  constructor(what: string, expected: string, found: unknown) {
    super(`expected of ${what}: ${expected}; found ${shown(found)}`);
    this.name = 'Broken';
    this.difference = { expected: `${what}: ${expected}`, found: shown(found) };
  }
}

/** Thrown behind a step that was broken and has been reported: the steps after it need what it would have given. */
export class JourneyEnded extends Error {
  constructor() {
    super('the journey ended at a broken step');
    this.name = 'JourneyEnded';
  }
}

export function steps(clock: Clock, report: (result: StepResult) => void): Steps {
  return {
    async run(name, work) {
      const sinceMs = clock.nowMs();
      const facts: string[] = [];
      const differences: Difference[] = [];
      const done = (): void => {
        const outcome = differences.length === 0 ? 'kept' : 'differs';
        report({ name, outcome, facts, differences, tookMs: clock.nowMs() - sinceMs });
      };
      try {
        const result = await work(gathering(facts, differences));
        done();
        return result;
      } catch (fault) {
        differences.push(differenceOf(fault));
        done();
        throw new JourneyEnded();
      }
    },
    leaveOut: (name, why) => report({ name, outcome: 'left out', facts: [why], differences: [], tookMs: 0 }),
  };
}

/** A value as a line shows it; long ones are cut. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

const LONGEST_SHOWN = 300;

function gathering(facts: string[], differences: Difference[]): Seen {
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

/** Whatever else is thrown came of asking: no answer, a body that cannot be read. */
function differenceOf(fault: unknown): Difference {
  if (fault instanceof Broken) return fault.difference;
  const found = fault instanceof Error ? `${fault.name}: ${fault.message}` : shown(fault);
  return { expected: 'an answer of the service', found };
}
