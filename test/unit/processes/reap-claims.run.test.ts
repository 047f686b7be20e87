import { describe, expect, test } from 'bun:test';
import { allotmentIdOf } from '../../../src/domain/ids.ts';
import type { LogFollower } from '../../../src/ports/log-follower.ts';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import { runReapClaims } from '../../../src/processes/reap-claims/run.ts';
import type { RunningProcessManager } from '../../../src/runtime/run-process-manager.ts';
import { factsOf } from '../../support/booking-commands.ts';
import { bookingId, claimId } from '../../support/examples.ts';
import { collectedLog, type LogLine } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { openService, type Service } from '../../support/service.ts';

/** So long an interval that the service's own reaper does not run in these tests. */
const SETTINGS = { REAPER_INTERVAL_MS: '60000' };
const INTERVAL_MS = 1_000;
const AWAY = new StoreUnavailable('event store', 'gone');

type Reaping = RunningProcessManager & {
  readonly lines: readonly LogLine[];
  /** What the booking's stream answered, in order. */
  readonly answers: readonly string[];
};

/** A reaper that has read no booking so far, of which the first commands to bookings are lost. */
async function reap({ node, clock }: Service, lost: number): Promise<Reaping> {
  const { streams, ids } = node.context;
  const { store } = node.stores;
  const log = collectedLog();
  const answers: string[] = [];
  const handle: typeof streams.bookings.handle = async (...args) => {
    if (answers.length < lost) {
      answers.push('lost');
      throw AWAY;
    }
    const reply = await streams.bookings.handle(...args);
    answers.push(reply.kind === 'rejected' ? reply.rejection.code : reply.kind);
    return reply;
  };
  const follow: LogFollower['follow'] = (reading) => store.follower.follow({ ...reading, categories: ['allotment'] });
  const running = await runReapClaims({
    store: { ...store, follower: { ...store.follower, follow } },
    streams: { ...streams, bookings: { ...streams.bookings, handle } },
    erasures: node.context.erasing.ledger,
    clock,
    ids,
    log,
    intervalMs: INTERVAL_MS,
    onFatal: () => {},
  });
  return { ...running, lines: log.lines, answers };
}

/** Lets intervals pass until the bookings have answered so often. */
async function answered({ clock }: Service, { answers }: Reaping, times: number): Promise<void> {
  for (let n = 0; answers.length < times; n++) {
    if (n % 50 === 0) clock.advance(INTERVAL_MS);
    await new Promise(setImmediate);
  }
}

describe('the reaper logs', () => {
  test('nothing about a claim that its booking names, however often it tries', async () => {
    await using service = await openService({ settings: SETTINGS });
    await service.book();
    const reaper = await reap(service, 0);
    service.clock.advance(30_000);
    await answered(service, reaper, 2);
    await reaper.stop();
    expect(reaper.answers.slice(0, 2)).toEqual(['CLAIM_NAMED', 'CLAIM_NAMED']);
    expect(reaper.lines).toEqual([]);
  });

  test('an abandoned claim once, after ClaimAbandoned is stored', async () => {
    await using service = await openService({ settings: SETTINGS });
    const { streams } = service.node.context;
    const facts = await factsOf(service, (await service.book()).data.booking_id);
    const allotment = allotmentIdOf(facts.activityId, facts.date);
    const known = await streams.allotments.read(allotment, Number.POSITIVE_INFINITY);
    if (known.kind !== 'state' || known.state.status !== 'open') throw new Error('nothing to claim');
    const [claim, booking] = [claimId('bk_0123456789abcdefghjk.1'), bookingId('bk_0123456789abcdefghjk')];
    const nowMs = service.clock.nowMs();
    const asked = {
      schedule: known.state.schedule,
      hotelPercentOff: 0,
      expectedTotalMinor: null,
      nowMs,
      releasesSeen: 0,
    };
    const claiming = {
      type: 'ClaimSlots',
      unpaid: null,
      claimId: claim,
      bookingId: booking,
      size: 2,
      deadlineMs: nowMs + 1,
      ...asked,
    } as const;
    await streams.allotments.handle(allotment, claiming, SOME_CAUSE, nowMs + 10_000);
    const reaper = await reap(service, 2);
    await answered(service, reaper, 3);
    await reaper.stop();
    expect(reaper.answers).toEqual(['lost', 'lost', 'accepted']);
    expect(reaper.lines.filter(({ level }) => level === 'info')).toEqual([
      { level: 'info', happening: 'claim abandoned', facts: { claim, allotment } },
    ]);
  });
});
