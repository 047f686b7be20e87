import { describe, expect, test } from 'bun:test';
import type { ScanEvent } from '../../../src/domain/scan/scan.ts';
import { START } from '../../../src/eventsourcing/message.ts';
import type { DecodedEventStore } from '../../../src/ports/event-store.ts';
import type { LogReading } from '../../../src/ports/log-follower.ts';
import { bookingId, fingerprint } from '../../support/examples.ts';
import { recorder } from '../../support/recorded.ts';
import { porter, Scene } from './process-manager-scene.ts';

describe('a manager with a bound of open commands', () => {
  /** Folds the batches that the test hands it. */
  async function bounded(scene: Scene, max: number) {
    const readings: LogReading[] = [];
    const following = Promise.withResolvers<void>();
    const follower: DecodedEventStore['follower'] = {
      ...scene.store.follower,
      follow(reading) {
        readings.push(reading);
        reading.signal.addEventListener('abort', () => following.resolve());
        return following.promise;
      },
    };
    await scene.start({
      manager: { ...porter, openBound: { max, count: (open) => open.length } },
      store: { ...scene.store, follower },
    });
    const record = recorder();
    /** A batch of shut doors before the end of the log. */
    return (...names: readonly string[]): Promise<'folded'> => {
      const shut = (name: string) =>
        record<ScanEvent>(`scan-${name}`, {
          type: 'ScanBound',
          data: { booking: bookingId('bk_1'), fingerprint: fingerprint('shut') },
        });
      const events = names.map(shut);
      const upTo = events.at(-1)?.position ?? START;
      const applied = readings[0]?.apply({ events, upTo, after: START, caughtUp: false });
      return Promise.resolve(applied).then(() => 'folded');
    };
  }
  const turns = async (): Promise<'waits'> => {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    return 'waits';
  };

  test('starts commands before the log was read to its end', async () => {
    await using scene = new Scene();
    const fold = await bounded(scene, 2);
    expect(await fold('a', 'b')).toBe('folded');
    expect(scene.knocked).toEqual(['a', 'b']);
  });

  test('folds no further batch while more are open, until one has ended', async () => {
    await using scene = new Scene();
    const fold = await bounded(scene, 2);
    const folding = fold('a', 'b', 'c', 'd');
    const a = await scene.knock();
    expect(await Promise.race([folding, turns()])).toBe('waits');
    a.answer({ kind: 'done' });
    expect(await Promise.race([folding, turns()])).toBe('waits');
    (await scene.knock()).answer({ kind: 'done' });
    expect(await Promise.race([folding, turns()])).toBe('folded');
  });

  test('waits no longer at the stop', async () => {
    await using scene = new Scene();
    const fold = await bounded(scene, 0);
    const folding = fold('a');
    const { answer } = await scene.knock();
    const stopped = scene.stop();
    expect(await folding).toBe('folded');
    answer({ kind: 'later' });
    await stopped;
  });
});
