import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { DeliveryEvent } from '../../../src/domain/delivery/delivery.ts';
import { endpointDecider } from '../../../src/domain/endpoint/decider.ts';
import type { Endpoint } from '../../../src/domain/endpoint/endpoint.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import type { Position, Recorded } from '../../../src/eventsourcing/message.ts';
import {
  REPORT_AFTER_MS,
  type SuspendEndpointsState,
  suspendEndpoints,
} from '../../../src/processes/suspend-endpoints/process-manager.ts';
import { endpointId, keyId } from '../../support/examples.ts';
import { recorder } from '../../support/recorded.ts';
import { roomFor } from '../../support/room.ts';

const BEGIN_MS = Date.parse('2026-11-01T00:00:00Z');
const SUSPEND_AFTER_MS = 5 * HOUR_MS;
const FACTS = { keyId: keyId('key_1'), kind: 'key', origin: 'https://agent.example' } as const;

type Outcome = 'acknowledged' | 'failed' | 'gave up';
/** An attempt an hour later; or the monitor reports, reports while an attempt ends, stores its checkpoint, or crashes. */
type Step = Outcome | 'reports' | 'reports late' | 'checkpoint' | 'crash';

const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.constantFrom<Step>('acknowledged', 'failed', 'gave up'), weight: 3 },
  { arbitrary: fc.constantFrom<Step>('failed', 'reports', 'reports late', 'checkpoint', 'crash'), weight: 4 },
);

function attempt(outcome: Outcome, hour: number): DeliveryEvent {
  const at = new Date(BEGIN_MS + hour * HOUR_MS).toISOString();
  const attempted = { attempt: 1, keyRevision: 0, endpointId: endpointId('ep_1'), responseTimeMs: 1, at };
  if (outcome === 'acknowledged') return { type: 'DeliverySucceeded', data: { ...attempted, responseCode: 200 } };
  const nextAttemptAtMs = outcome === 'gave up' ? null : 0;
  return { type: 'AttemptFailed', data: { ...attempted, responseCode: 500, error: 'answered 500', nextAttemptAtMs } };
}

/** Expected from the log alone: since when there are only failures, and which attempts must, or may, suspend it. */
function stretches(outcomes: readonly Outcome[]) {
  let since: number | null = null;
  let [due, possible] = [false, false];
  for (const [hour, outcome] of outcomes.entries()) {
    if (outcome === 'acknowledged') [since, due] = [null, false];
    else since ??= hour;
    if (outcome !== 'gave up' || since === null || (hour - since) * HOUR_MS < SUSPEND_AFTER_MS) continue;
    [due, possible] = [true, true];
  }
  return { since: since === null ? null : new Date(BEGIN_MS + since * HOUR_MS).toISOString(), due, possible };
}

/** Runs monitor, checkpoint and endpoint stream through the steps; then everything is reported. */
function lived(steps: readonly Step[]): { readonly endpoint: Endpoint; readonly outcomes: readonly Outcome[] } {
  const record = recorder();
  const log: Recorded<DeliveryEvent>[] = [];
  const outcomes: Outcome[] = [];
  let state: SuspendEndpointsState = suspendEndpoints.initial;
  let endpoint = endpointDecider.initial;
  let checkpoint = 0;
  const ends = (outcome: Outcome): void => {
    const event = record<DeliveryEvent>('delivery-dlv_1', attempt(outcome, outcomes.length));
    outcomes.push(outcome);
    log.push(event);
    state = suspendEndpoints.react(state, event);
  };
  const reports = (meanwhile: () => void): void => {
    const nowMs = BEGIN_MS + outcomes.length * HOUR_MS + REPORT_AFTER_MS;
    for (const command of suspendEndpoints.due(state, nowMs, roomFor(1))) {
      const at = new Date(nowMs).toISOString();
      const { report } = command;
      const reportAttempts = {
        type: 'ReportAttempts',
        facts: FACTS,
        report,
        suspendAfterMs: SUSPEND_AFTER_MS,
        at,
      } as const;
      const decision = endpointDecider.decide(reportAttempts, endpoint);
      if (decision.kind === 'accepted') endpoint = fold(endpointDecider, decision.events, endpoint);
      meanwhile();
      state = suspendEndpoints.done(state, command);
    }
  };
  const foldedFrom = (place: number): SuspendEndpointsState =>
    log.slice(place).reduce((folded, event) => suspendEndpoints.react(folded, event), suspendEndpoints.initial);
  const before = (position: Position | null): number =>
    position === null ? log.length : log.findIndex((event) => event.position >= position);
  for (const next of steps) {
    if (next === 'reports') reports(() => {});
    else if (next === 'reports late') reports(() => ends('failed'));
    else if (next === 'checkpoint') checkpoint = before(suspendEndpoints.oldestOpen(state));
    else if (next === 'crash') state = foldedFrom(checkpoint);
    else ends(next);
  }
  reports(() => {});
  return { endpoint, outcomes };
}

test('after any crash the monitor knows since when a receiver only fails, and suspends no other', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
      const { endpoint, outcomes } = lived(steps);
      const { since, due, possible } = stretches(outcomes);
      if (endpoint.status === 'suspended') return expect(possible).toBe(true);
      expect(due).toBe(false);
      expect(endpoint.status === 'failing' ? endpoint.since : null).toBe(since);
    }),
    { numRuns: 2_000 },
  );
});
