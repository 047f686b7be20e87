import type { Clock } from '../../ports/clock.ts';
import { checkAnalytics, visitsSoFar } from './analytics.ts';
import { book } from './booking.ts';
import { changeAndCancel } from './booking-change.ts';
import { client, type Fetch, operator, positionOf } from './client.ts';
import type { JourneyContext } from './context.ts';
import { awaitBookingEvents, awaitEvent, checkDeliveryLog } from './deliveries.ts';
import { textAt } from './json.ts';
import { checkRateLimits, createKey } from './key.ts';
import type { Outbox } from './outbox.ts';
import { openReceiver } from './receiver.ts';
import { choose, recommend, recommendAgain } from './recommendation.ts';
import { JourneyEnded, type StepResult, steps } from './step.ts';
import { callTools, readReference } from './tools.ts';
import { createDevice, scanBeforeDate, visit } from './visit.ts';
import { checkMailed, checkVoucher } from './voucher.ts';

/** The service under test, and what the journey uses. */
export type JourneyOptions = {
  /** Base URL of the service, without a trailing slash. */
  readonly url: string;
  readonly adminToken: string;
  /** Null if the service runs on another machine. */
  readonly outbox: Outbox | null;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Called with the result of each step. */
  readonly report: (result: StepResult) => void;
};

/** The number of steps by outcome. The installation works if `differing` is 0. */
export type Journey = {
  readonly kept: number;
  readonly differing: number;
  readonly leftOut: number;
  readonly tookMs: number;
};

/**
 * Tests an installation end to end: sends the requests of an agent, a gate and an operator to a running service, from a key
 * to the report of a visit, and compares each response with the public contract. It uses no server code.
 */
export async function runJourney(options: JourneyOptions): Promise<Journey> {
  const { url, adminToken, outbox, fetch, clock, report } = options;
  const sinceMs = clock.nowMs();
  const count = { kept: 0, differs: 0, 'left out': 0 };
  const countAndReport = (result: StepResult): void => {
    count[result.outcome]++;
    report(result);
  };
  const cleanUps: (() => Promise<void>)[] = [];
  await using receiver = openReceiver(clock);
  const context: JourneyContext = {
    ask: client(url, fetch),
    operator: operator(adminToken),
    receiver,
    outbox,
    clock,
    steps: steps(clock, countAndReport),
    addCleanUp: (cleanUp) => void cleanUps.push(cleanUp),
  };
  await stopAtFailure(() => runSteps(context));
  for (const cleanUp of cleanUps.toReversed()) await stopAtFailure(cleanUp);
  return { kept: count.kept, differing: count.differs, leftOut: count['left out'], tookMs: clock.nowMs() - sinceMs };
}

async function runSteps(context: JourneyContext): Promise<void> {
  const key = await createKey(context);
  await checkRateLimits(key, context);
  const recommended = await recommend(key, context);
  const { logId, recommendations } = recommended;
  const choice = await choose(recommended, key, context);
  const device = await createDevice(choice, context);
  const booked = await book(choice, logId, key, context);
  const token = await checkVoucher(booked, choice, key, context);
  const arrived = await awaitBookingEvents(booked, choice, logId, key, context);
  const [, delivered] = arrived;
  await checkMailed(textAt(delivered.data, 'email_provider_id'), token, context);
  if (choice.today) {
    const before = await visitsSoFar(choice, context);
    const visited = await visit(token, booked, choice, device, context);
    const verified = await awaitEvent('qr_verified', key, context, {
      booking_id: booked.id,
      activity_id: choice.activityId,
      context_log_id: logId,
      verified_at: textAt(visited.body, 'data.verified_at'),
      verification_method: 'qr_scan',
      venue_id: choice.venueId,
      venue_name: textAt(visited.body, 'data.venue_name'),
      'check_in_data.device_id': device.id,
    });
    await checkDeliveryLog([...arrived, verified], booked, key, context);
    const position = positionOf(visited);
    await checkAnalytics(before, { key, choice, shown: recommendations.length, position }, context);
    await recommendAgain(choice, key, visited, context);
  } else {
    await scanBeforeDate(token, device, context);
    await checkDeliveryLog(arrived, booked, key, context);
    context.steps.skip('visit and its effects', 'nothing in the city can be entered any more today');
  }
  await changeAndCancel(choice, key, context);
  await callTools(key, context);
  await readReference(context);
}

async function stopAtFailure(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (fault) {
    // The failed step has been reported.
    if (!(fault instanceof JourneyEnded)) throw fault;
  }
}
