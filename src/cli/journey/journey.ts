import type { Clock } from '../../ports/clock.ts';
import { book } from './booking.ts';
import { changeAndCancel } from './booking-change.ts';
import { type Client, client, type Fetch, type Headers, positionOf } from './client.ts';
import type { JourneyContext } from './context.ts';
import { awaitEvent, checkDeliveryLog } from './deliveries.ts';
import { createKey } from './key.ts';
import { openReceiver } from './receiver.ts';
import { choose, recommend, recommendAgain } from './recommendation.ts';
import { JourneyEnded, type StepResult, steps } from './step.ts';
import { callTools, readReference } from './tools.ts';
import { checkReports, createDevice, scanBeforeDate, visit, visitsSoFar } from './visit.ts';
import { checkVoucher } from './voucher.ts';

/** The service under test, and what the journey uses. */
export type JourneyOptions = {
  /** Base URL of the service, without a trailing slash. */
  readonly url: string;
  readonly adminToken: string;
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
 * to the report of a visit. It uses no server code.
 */
export async function runJourney({ url, adminToken, fetch, clock, report }: JourneyOptions): Promise<Journey> {
  const sinceMs = clock.nowMs();
  const count = { kept: 0, differs: 0, 'left out': 0 };
  const countAndReport = (result: StepResult): void => {
    count[result.outcome]++;
    report(result);
  };
  const cleanUps: (() => Promise<void>)[] = [];
  await using receiver = openReceiver(clock);
  const clientWith = (credential: Headers): Client => client(url, fetch, credential);
  const context: JourneyContext = {
    ...steps(clock, countAndReport),
    clientWith,
    operator: clientWith({ authorization: `Bearer ${adminToken}` }),
    anybody: clientWith({}),
    receiver,
    clock,
    addCleanUp: (cleanUp) => void cleanUps.unshift(cleanUp),
  };
  await stopAtFailure(() => runSteps(context));
  for (const cleanUp of cleanUps) await stopAtFailure(cleanUp);
  return { kept: count.kept, differing: count.differs, leftOut: count['left out'], tookMs: clock.nowMs() - sinceMs };
}

async function runSteps(base: JourneyContext): Promise<void> {
  const context = await createKey(base);
  const recommended = await recommend(context);
  const choice = await choose(recommended, context);
  const device = await createDevice(choice, context);
  const booked = await book(choice, recommended.logId, context);
  const token = await checkVoucher(booked, context);
  const confirmed = await awaitEvent('booking_confirmed', booked.id, context);
  const delivered = await awaitEvent('voucher_delivered', booked.id, context);
  if (choice.today) {
    const before = await visitsSoFar(choice, context);
    const position = positionOf(await visit(token, booked, device, context));
    const verified = await awaitEvent('qr_verified', booked.id, context);
    await checkDeliveryLog([confirmed, delivered, verified], booked, context);
    await checkReports(choice, before, position, context);
    await recommendAgain(choice, position, context);
  } else {
    await scanBeforeDate(token, device, context);
    await checkDeliveryLog([confirmed, delivered], booked, context);
    context.leaveOut('visit and its effects', 'nothing in the city can be entered any more today');
  }
  await changeAndCancel(choice, context);
  await callTools(choice, context);
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
