import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type RebuildEvent, rebuildDecider, rebuildsOf } from '../../../src/domain/rebuild/rebuild.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { decidedTwice } from '../../support/decided-twice.ts';
import { given } from '../../support/given.ts';

const AT = '2026-11-21T03:00:00.000Z';
const OUTCOME = { kind: 'rebuilt', collection: 'keys.v1.b2', events: 7, differences: 0 } as const;
const requested = (rebuild: string): RebuildEvent => ({ type: 'RebuildRequested', data: { rebuild, at: AT } });
const ended = (rebuild: string): RebuildEvent => ({
  type: 'RebuildEnded',
  data: { rebuild, outcome: OUTCOME, at: AT },
});
const request = (rebuild: string) => ({ type: 'RequestRebuild', rebuild, at: AT }) as const;
const end = (rebuild: string) => ({ type: 'EndRebuild', rebuild, outcome: OUTCOME, at: AT }) as const;

describe('rebuilds of a projection', () => {
  test('run one at a time', () => {
    given(rebuildDecider, [])
      .when(request('r1'))
      .then([requested('r1')]);
    given(rebuildDecider, [requested('r1')])
      .when(request('r2'))
      .thenNothing();
    given(rebuildDecider, [requested('r1'), ended('r1')])
      .when(request('r2'))
      .then([requested('r2')]);
  });

  test('end with their own outcome', () => {
    given(rebuildDecider, [requested('r1')])
      .when(end('r1'))
      .then([ended('r1')]);
  });

  test('are not ended by the outcome of an earlier one', () => {
    given(rebuildDecider, []).when(end('r1')).thenNothing();
    given(rebuildDecider, [requested('r1'), ended('r1'), requested('r2')])
      .when(end('r1'))
      .thenNothing();
  });

  test('ignore a command that is decided twice', () => {
    decidedTwice(rebuildDecider, fc.constantFrom(request('r1'), request('r2'), end('r1'), end('r2')));
  });

  test('keep the outcome of the last one', () => {
    expect(fold(rebuildDecider, [requested('r1'), ended('r1'), requested('r2')])).toEqual({
      open: 'r2',
      last: OUTCOME,
    });
  });

  test('have one stream per version of a projection', () => {
    expect(rebuildsOf('inventory', 2)).toBe('inventory.v2');
  });
});
