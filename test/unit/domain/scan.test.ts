import { describe, expect, test } from 'bun:test';
import { type Binding, type ScanEvent, scanDecider } from '../../../src/domain/scan/scan.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { bookingId, fingerprint } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const to = (booking: string, print = 'FP1'): Binding => ({
  booking: bookingId(booking),
  fingerprint: fingerprint(print),
});
const bind = (binding: Binding, replaces: Binding | null = null) => ({ type: 'BindScan', binding, replaces }) as const;
const bound = (binding: Binding): ScanEvent => ({ type: 'ScanBound', data: binding });

describe('binding the key of a scan', () => {
  test('for the first time records its booking', () => {
    given(scanDecider, [])
      .when(bind(to('bk_1')))
      .then([bound(to('bk_1'))]);
  });

  test('again to the same booking adds no event', () => {
    given(scanDecider, [bound(to('bk_1'))])
      .when(bind(to('bk_1')))
      .thenNothing();
  });

  test.each([
    ['another booking', to('bk_2')],
    ['the same booking with other fields', to('bk_1', 'FP2')],
  ])('to %s is rejected with the existing binding', (_, other) => {
    given(scanDecider, [bound(to('bk_1'))])
      .when(bind(other))
      .thenRejected({ code: 'SCAN_BOUND', binding: to('bk_1') });
  });

  test('to another booking replaces a binding that verified nothing', () => {
    given(scanDecider, [bound(to('bk_1'))])
      .when(bind(to('bk_2'), to('bk_1')))
      .then([bound(to('bk_2'))]);
  });

  test('to another booking does not replace a third binding made in between', () => {
    given(scanDecider, [bound(to('bk_1')), bound(to('bk_3'))])
      .when(bind(to('bk_2'), to('bk_1')))
      .thenRejected({ code: 'SCAN_BOUND', binding: to('bk_3') });
  });
});

test('the state of a scan is its last binding', () => {
  expect(fold(scanDecider, [bound(to('bk_1')), bound(to('bk_2'))])).toStrictEqual({ binding: to('bk_2') });
});
