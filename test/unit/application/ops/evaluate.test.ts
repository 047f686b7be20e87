import { describe, expect, test } from 'bun:test';
import { createEvaluations, type EvaluationRequest } from '../../../../src/application/ops/evaluate.ts';
import { recommendationCodec } from '../../../../src/domain/recommendation/recommendation.ts';
import type { LogBatch, StoredEvent } from '../../../../src/ports/event-store.ts';
import { movedClock } from '../../../support/clock.ts';
import { positionAt, recorder } from '../../../support/recorded.ts';
import { logged, PRESENT } from '../../recommend/evaluation/scene.ts';

const REQUEST: EvaluationRequest = { model: PRESENT, from: null, to: null, city: null };
const OTHER: EvaluationRequest = { ...REQUEST, city: 'Phuket' };

type Context = Parameters<typeof createEvaluations>[0];

/** The lease of an installation: one node holds it at a time. */
function oneLease() {
  let holder: object | null = null;
  return {
    isHeld: (): boolean => holder !== null,
    /** What a node takes it with. */
    ofNode(): Context['takeLease'] {
      const node = {};
      return async () => {
        if (holder !== null && holder !== node) return null;
        holder = node;
        return {
          lost: new AbortController().signal,
          release: async () => {
            if (holder === node) holder = null;
          },
        };
      };
    },
  };
}

/** A log of so many answers, one in each part; a part comes when the test lets it. */
function evaluationsOf(answers: number, maxAnswers = 10, takeLease = oneLease().ofNode(), clock = movedClock()) {
  const record = recorder();
  const parts = Array.from({ length: answers }, (_, number): LogBatch => {
    const event = record(`recommendation-rec_${number}`, {
      type: 'RecommendationServed',
      data: logged([['spa', 500, 500]]),
    } as const);
    const stored: StoredEvent = { ...event, ...recommendationCodec.encode(event) };
    return { events: [stored], upTo: stored.position, caughtUp: number + 1 === answers };
  });
  const waiting: (() => void)[] = [];
  const store = {
    head: async () => positionAt(answers),
    async *subscribe({ signal }: { readonly signal: AbortSignal }): AsyncGenerator<LogBatch> {
      for (const part of parts) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        if (signal.aborted) return;
        yield part;
      }
    },
  };
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    clock,
    evaluations: createEvaluations({ store, clock, takeLease, maxAnswers }),
    /** Lets the next part come, once the evaluation waits for it. */
    part: async (): Promise<void> => {
      while (waiting.length === 0) await turn();
      waiting.shift()?.();
      await turn();
      await turn();
    },
    passes: () => waiting.length,
  };
}

const A_REPORT = { kind: 'report', report: expect.objectContaining({ answers: 2 }) } as const;

describe('an evaluation', () => {
  test('that takes longer answers its progress, and the same request joins it', async () => {
    const { evaluations, part } = evaluationsOf(2);
    const first = evaluations.evaluate(REQUEST);
    await part();
    const [progress, joined] = [{ events: 1, answers: 1, position: positionAt(1), head: positionAt(2) }, evaluations];
    expect(await first).toEqual({ kind: 'running', progress });
    const second = joined.evaluate(REQUEST);
    await part();
    expect(await second).toEqual(A_REPORT);
  });

  test('refuses another one while it runs, and not afterwards', async () => {
    const { evaluations, part } = evaluationsOf(2);
    const running = evaluations.evaluate(REQUEST);
    expect(await evaluations.evaluate(OTHER)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'RATE_LIMITED', retryAfterSeconds: 10 },
    });
    await part();
    await part();
    expect(await running).toEqual(A_REPORT);
    const other = evaluations.evaluate(OTHER);
    await part();
    await part();
    expect(await other).toMatchObject({ kind: 'report', report: { answers: 0 } });
  });

  test('keeps its report for a minute', async () => {
    const { evaluations, part, clock, passes } = evaluationsOf(1);
    const first = evaluations.evaluate(REQUEST);
    await part();
    const report = await first;
    clock.advance(60_000);
    expect(await evaluations.evaluate(REQUEST)).toBe(report);
    clock.advance(60_001);
    const again = evaluations.evaluate(REQUEST);
    while (passes() === 0) await new Promise(setImmediate);
    await part();
    expect(await again).not.toBe(report);
  });

  test('ends if nobody asks for a minute', async () => {
    const { evaluations, part, clock } = evaluationsOf(3);
    const first = evaluations.evaluate(REQUEST);
    await part();
    expect(await first).toMatchObject({ kind: 'running' });
    clock.advance(60_001);
    await part();
    await part();
    const other = evaluations.evaluate(OTHER);
    for (let each = 0; each < 3; each++) await part();
    expect(await other).toMatchObject({ kind: 'report' });
  });

  test('refuses a span with too many answers', async () => {
    const { evaluations, part } = evaluationsOf(3, 2);
    const running = evaluations.evaluate(REQUEST);
    for (let each = 0; each < 3; each++) await part();
    expect(await running).toMatchObject({
      kind: 'refused',
      refusal: {
        code: 'INVALID_REQUEST',
        error: 'The span has more than 2 logged answers; send from, to or city so that it has fewer.',
      },
    });
  });

  test('ends when the node stops', async () => {
    const { evaluations, part } = evaluationsOf(2);
    const running = evaluations.evaluate(REQUEST);
    await part();
    const stopped = evaluations.stop();
    await part();
    await stopped;
    expect(await running).toMatchObject({ kind: 'refused', refusal: { code: 'SERVICE_UNAVAILABLE' } });
  });
});

describe('of two nodes behind a balancer', () => {
  function twoNodes() {
    const [lease, clock] = [oneLease(), movedClock()];
    const node = () => evaluationsOf(1, 10, lease.ofNode(), clock);
    return { lease, clock, one: node(), other: node() };
  }
  const ELSEWHERE = {
    kind: 'refused',
    refusal: {
      code: 'RATE_LIMITED',
      error: 'An evaluation is running on another node; send this one again in a moment.',
      retryAfterSeconds: 2,
    },
  };

  test('one evaluates at a time; the other can once somebody has the report', async () => {
    const { lease, one, other } = twoNodes();
    const running = one.evaluations.evaluate(REQUEST);
    expect(await other.evaluations.evaluate(REQUEST)).toMatchObject(ELSEWHERE);
    expect(await other.evaluations.evaluate(OTHER)).toMatchObject(ELSEWHERE);
    await one.part();
    expect(await running).toMatchObject({ kind: 'report' });
    while (lease.isHeld()) await new Promise(setImmediate);
    const next = other.evaluations.evaluate(OTHER);
    await other.part();
    expect(await next).toMatchObject({ kind: 'report' });
  });

  test('a report that nobody has yet is kept for a minute, and no other node evaluates again', async () => {
    const { lease, clock, one, other } = twoNodes();
    expect(await one.evaluations.evaluate(REQUEST)).toMatchObject({ kind: 'running' });
    await one.part();
    while (clock.waiting === 0) await new Promise(setImmediate);
    expect(await other.evaluations.evaluate(REQUEST)).toMatchObject(ELSEWHERE);
    clock.advance(60_001);
    while (lease.isHeld()) await new Promise(setImmediate);
    const again = other.evaluations.evaluate(REQUEST);
    await other.part();
    expect(await again).toMatchObject({ kind: 'report' });
  });

  test('a node that evaluates again takes the lease anew, and releases it when it stops', async () => {
    const { lease, one } = twoNodes();
    for (const request of [REQUEST, OTHER]) {
      const running = one.evaluations.evaluate(request);
      await one.part();
      expect(await running).toMatchObject({ kind: 'report' });
    }
    const running = one.evaluations.evaluate(REQUEST);
    while (one.passes() === 0) await new Promise(setImmediate);
    const stopped = one.evaluations.stop();
    await one.part();
    await stopped;
    expect(await running).toMatchObject({ kind: 'refused' });
    expect(lease.isHeld()).toBe(false);
  });
});
