import { HOUR_MS } from '../../src/eventsourcing/durations.ts';

/**
 * Loaded before the program (`--preload`), lets a test set the clock of the machine that the program sees: SIGUSR2 sets it
 * an hour ahead, and back again. `TEST_CLOCK=ahead` begins an hour ahead.
 */

const machineNow = Date.now.bind(Date);
let aheadMs = process.env['TEST_CLOCK'] === 'ahead' ? HOUR_MS : 0;
Date.now = () => machineNow() + aheadMs;
process.on('SIGUSR2', () => {
  aheadMs = HOUR_MS - aheadMs;
});
