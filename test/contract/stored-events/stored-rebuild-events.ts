import type { RebuildEvent } from '../../../src/domain/rebuild/rebuild.ts';

/** What the golden files of rebuilds mean today, by the file's name. */
export const STORED_REBUILD_EVENTS = {
  'RebuildRequested.v1': {
    type: 'RebuildRequested',
    data: { rebuild: '7d9c2b1e-52f0-4c1e-9b0a-3f6f5f0f4d11', at: '2026-11-21T03:00:00.000Z' },
  },
  'RebuildEnded.v1': {
    type: 'RebuildEnded',
    data: {
      rebuild: '7d9c2b1e-52f0-4c1e-9b0a-3f6f5f0f4d11',
      outcome: { kind: 'rebuilt', collection: 'inventory.v1.b2', events: 1_482, differences: 0 },
      at: '2026-11-21T03:00:07.000Z',
    },
  },
} satisfies Record<string, RebuildEvent>;
