import type { Database } from 'bun:sqlite';
import { type Position, storedPosition } from '../../eventsourcing/message.ts';
import type { EventPlace } from '../../ports/event-store.ts';
import { EMBEDDED_POSITIONS } from './event-rows.ts';

export type Checkpoints = ReturnType<typeof openCheckpoints>;

/**
 * The checkpoint of each collection, and the pointers to the collections that serve. All calls are synchronous. Creates
 * the two tables if missing; a collection's name cannot start with `_`.
 */
export function openCheckpoints(db: Database) {
  db.run('CREATE TABLE IF NOT EXISTS _checkpoints (collection TEXT PRIMARY KEY, position TEXT NOT NULL) WITHOUT ROWID');
  addLastEvent(db);
  db.run('CREATE TABLE IF NOT EXISTS _pointers (name TEXT PRIMARY KEY, target TEXT NOT NULL) WITHOUT ROWID');

  const checkpoint = db.prepare<{ position: string }, [string]>(
    'SELECT position FROM _checkpoints WHERE collection = ?',
  );
  const lastEvent = db.prepare<{ id: string | null; position: string | null }, [string]>(
    'SELECT event_id AS id, event_position AS position FROM _checkpoints WHERE collection = ?',
  );
  const advance = db.prepare<never, [string, string, string | null, string | null]>(
    `INSERT INTO _checkpoints (collection, position, event_id, event_position) VALUES (?, ?, ?, ?)
     ON CONFLICT (collection) DO UPDATE SET position = excluded.position,
       event_id = coalesce(excluded.event_id, event_id), event_position = coalesce(excluded.event_position, event_position)
     WHERE excluded.position > position`,
  );
  const forget = db.prepare<never, [string]>('DELETE FROM _checkpoints WHERE collection = ?');
  const pointer = db.prepare<{ target: string }, [string]>('SELECT target FROM _pointers WHERE name = ?');
  const setFirst = db.prepare<never, [string, string]>(
    'INSERT INTO _pointers (name, target) VALUES (?, ?) ON CONFLICT (name) DO NOTHING',
  );
  const move = db.prepare<never, [string, string, string]>(
    'UPDATE _pointers SET target = ? WHERE name = ? AND target = ?',
  );

  return {
    checkpoint(collection: string): Position | null {
      const found = checkpoint.get(collection);
      return found === null ? null : storedPosition(found.position, EMBEDDED_POSITIONS);
    },
    lastEvent(collection: string): EventPlace | null {
      const { id = null, position = null } = lastEvent.get(collection) ?? {};
      return id === null || position === null ? null : { id, position: storedPosition(position, EMBEDDED_POSITIONS) };
    },
    /** Never moves back. */
    advance(collection: string, upTo: Position, event: EventPlace | null): void {
      const { format } = EMBEDDED_POSITIONS;
      advance.run(collection, format(upTo), event?.id ?? null, event === null ? null : format(event.position));
    },
    forget(collection: string): void {
      forget.run(collection);
    },
    pointer: (name: string) => pointer.get(name)?.target ?? null,
    /** Returns false if the pointer does not hold `from`. */
    movePointer(name: string, from: string | null, to: string): boolean {
      const { changes } = from === null ? setFirst.run(name, to) : move.run(to, name, from);
      return changes === 1;
    },
  };
}

/** Files of earlier versions lack the columns for the last event. */
function addLastEvent(db: Database): void {
  const columns = db.query<{ name: string }, []>("SELECT name FROM pragma_table_info('_checkpoints')").all();
  if (columns.some(({ name }) => name === 'event_id')) return;
  db.run('ALTER TABLE _checkpoints ADD COLUMN event_id TEXT');
  db.run('ALTER TABLE _checkpoints ADD COLUMN event_position TEXT');
}
