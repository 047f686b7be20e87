import { HOUR_MS } from '../../src/eventsourcing/durations.ts';

/**
 * Preloaded into a node, so that a test can change the machine's clock as the node sees it: SIGUSR2 sets it an hour ahead,
 * and back. `TEST_CLOCK=ahead` starts an hour ahead.
 */

const machineNow = Date.now.bind(Date);
let aheadMs = process.env['TEST_CLOCK'] === 'ahead' ? HOUR_MS : 0;
Date.now = () => machineNow() + aheadMs;
process.on('SIGUSR2', () => {
  aheadMs = HOUR_MS - aheadMs;
});
