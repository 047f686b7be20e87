import type { Clock } from '../ports/clock.ts';
import { checkAnalytics, visitsSoFar } from './analytics.ts';
import { book } from './booking.ts';
import { changeOfMind } from './changing.ts';
import { client, type Fetch, operator, positionOf } from './client.ts';
import { awaitBookingEvents, awaitEvent, checkDeliveryLog } from './events.ts';
import type { Outbox } from './outbox.ts';
import { countRequests, makeKey } from './preparing.ts';
import { textAt } from './reading.ts';
import { openReceiver } from './receiver.ts';
import { choose, recommend, recommendAgain } from './recommending.ts';
import type { Scene } from './scene.ts';
import { JourneyEnded, type StepResult, steps } from './step.ts';
import { callTools, readReference } from './talking.ts';
import { makeDevice, scanTooEarly, visit } from './visiting.ts';
import { checkMailed, checkVoucher } from './voucher.ts';

/** Which service to play against, and what to play with. */
export type JourneyOptions = {
  /** Of the service, without a slash at the end. */
  readonly url: string;
  readonly adminToken: string;
  /** Null where the service runs on another machine. */
  readonly outbox: Outbox | null;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Told of each step as it ends. */
  readonly report: (result: StepResult) => void;
};

/** How it went; it went well where nothing differed. */
export type Journey = {
  readonly kept: number;
  readonly differing: number;
  readonly leftOut: number;
  readonly tookMs: number;
};

/**
 * Plays all that a travelling couple, their agent, the gate and the operator do, as clients of a running service, and
 * compares what it does with what it promises. It knows nothing of the service but its public contract.
 */
export async function playJourney(options: JourneyOptions): Promise<Journey> {
  const { url, adminToken, outbox, fetch, clock, report } = options;
  const sinceMs = clock.nowMs();
  const count = { kept: 0, differs: 0, 'left out': 0 };
  const counted = (result: StepResult): void => {
    count[result.outcome]++;
    report(result);
  };
  const cleanUps: (() => Promise<void>)[] = [];
  await using receiver = openReceiver(clock);
  const scene: Scene = {
    ask: client(url, fetch),
    operator: operator(adminToken),
    receiver,
    outbox,
    clock,
    steps: steps(clock, counted),
    atTheEnd: (cleanUp) => void cleanUps.push(cleanUp),
  };
  await untilItEnds(() => play(scene));
  for (const cleanUp of cleanUps.toReversed()) await untilItEnds(cleanUp);
  return { kept: count.kept, differing: count.differs, leftOut: count['left out'], tookMs: clock.nowMs() - sinceMs };
}

async function play(scene: Scene): Promise<void> {
  const key = await makeKey(scene);
  await countRequests(key, scene);
  const recommended = await recommend(key, scene);
  const { logId, recommendations } = recommended;
  const choice = await choose(recommended, key, scene);
  const device = await makeDevice(choice, scene);
  const booked = await book(choice, logId, key, scene);
  const token = await checkVoucher(booked, choice, key, scene);
  const arrived = await awaitBookingEvents(booked, choice, logId, key, scene);
  const [, delivered] = arrived;
  await checkMailed(textAt(delivered.data, 'email_provider_id'), token, scene);
  if (choice.today) {
    const before = await visitsSoFar(choice, scene);
    const visited = await visit(token, booked, choice, device, scene);
    const verified = await awaitEvent('qr_verified', key, scene, {
      booking_id: booked.id,
      activity_id: choice.activityId,
      context_log_id: logId,
      verified_at: textAt(visited.body, 'data.verified_at'),
      verification_method: 'qr_scan',
      venue_id: choice.venueId,
      venue_name: textAt(visited.body, 'data.venue_name'),
      'check_in_data.device_id': device.id,
    });
    await checkDeliveryLog([...arrived, verified], booked, key, scene);
    const position = positionOf(visited);
    await checkAnalytics(before, { key, choice, shown: recommendations.length, position }, scene);
    await recommendAgain(choice, key, visited, scene);
  } else {
    await scanTooEarly(token, device, scene);
    await checkDeliveryLog(arrived, booked, key, scene);
    scene.steps.leaveOut('the visit, and what is learnt of it', 'nothing in the city can be entered any more today');
  }
  await changeOfMind(choice, key, scene);
  await callTools(key, scene);
  await readReference(scene);
}

async function untilItEnds(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (fault) {
    // The step that broke has been reported.
    if (!(fault instanceof JourneyEnded)) throw fault;
  }
}
