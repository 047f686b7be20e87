import { type ParkingCommand, type ParkingEvent, parkingDecider } from '../../src/domain/parking/parking.ts';
import { fold } from '../../src/eventsourcing/decider.ts';
import type { ParkedItems } from '../../src/eventsourcing/parked.ts';
import type { ManagerParking } from '../../src/runtime/parked-commands.ts';

export type TestParking = ManagerParking & {
  /** Every event of every reader. */
  readonly events: readonly ParkingEvent[];
  items(reader: string): ParkedItems;
  /** An operator decides. */
  decide(reader: string, type: 'Retry' | 'Skip', item: string): void;
  /** What the next calls throw; null: nothing. */
  fault: Error | null;
};

/** Parked items in memory, with the decider of the stored ones. */
export function testParking(): TestParking {
  const readers = new Map<string, ParkingEvent[]>();
  const listeners = new Map<string, () => void>();
  const events: ParkingEvent[] = [];
  const items = (reader: string): ParkedItems => fold(parkingDecider, readers.get(reader) ?? []);
  const decide = (reader: string, command: ParkingCommand): boolean => {
    if (parking.fault !== null) throw parking.fault;
    const decision = parkingDecider.decide(command, items(reader));
    if (decision.kind === 'rejected') return false;
    readers.set(reader, [...(readers.get(reader) ?? []), ...decision.events]);
    events.push(...decision.events);
    return true;
  };
  const at = '2026-11-21T03:00:00.000Z';
  const parking: TestParking = {
    events,
    items,
    fault: null,
    async load(reader) {
      if (parking.fault !== null) throw parking.fault;
      return items(reader);
    },
    park: async (reader, leftOut) => (decide(reader, { type: 'Park', leftOut, at }) ? 'parked' : 'full'),
    async resumed(reader, item) {
      decide(reader, { type: 'Resume', item, at });
    },
    onRetry(reader, listener) {
      listeners.set(reader, listener);
      return () => listeners.delete(reader);
    },
    decide(reader, type, item) {
      decide(reader, { type, item, by: 'mai', reason: 'repaired', at });
      if (type === 'Retry') listeners.get(reader)?.();
    },
  };
  return parking;
}
