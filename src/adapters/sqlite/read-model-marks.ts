import type { Database } from 'bun:sqlite';
import type { Position } from '../../eventsourcing/message.ts';

/** How far each collection has got, and which collection serves. All calls are synchronous. */
export type Marks = {
  checkpoint(collection: string): Position | null;
  /** Never back. */
  advance(collection: string, upTo: Position): void;
  forget(collection: string): void;
  pointer(name: string): string | null;
  /** False where the pointer does not hold `from`. */
  movePointer(name: string, from: string | null, to: string): boolean;
};

/** Creates their two tables where missing; no collection can have the names of these. */
export function openMarks(db: Database): Marks {
  db.run('CREATE TABLE IF NOT EXISTS _checkpoints (collection TEXT PRIMARY KEY, position TEXT NOT NULL) WITHOUT ROWID');
  db.run('CREATE TABLE IF NOT EXISTS _pointers (name TEXT PRIMARY KEY, target TEXT NOT NULL) WITHOUT ROWID');

  const checkpoint = db.prepare<{ position: Position }, [string]>(
    'SELECT position FROM _checkpoints WHERE collection = ?',
  );
  const advance = db.prepare<never, [string, string]>(
    `INSERT INTO _checkpoints (collection, position) VALUES (?, ?)
     ON CONFLICT (collection) DO UPDATE SET position = excluded.position WHERE excluded.position > position`,
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
    checkpoint: (collection) => checkpoint.get(collection)?.position ?? null,
    advance(collection, upTo) {
      advance.run(collection, upTo);
    },
    forget(collection) {
      forget.run(collection);
    },
    pointer: (name) => pointer.get(name)?.target ?? null,
    movePointer(name, from, to) {
      const { changes } = from === null ? setFirst.run(name, to) : move.run(to, name, from);
      return changes === 1;
    },
  };
}
