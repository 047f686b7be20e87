import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { eventually } from './real-time.ts';

const POLL_MS = 1;

/**
 * Waits until a process manager of a running service stores its next checkpoint; false at the timeout.
 * Closes its connection before it returns. A connection that stays open keeps SQLite's shared memory alive over a kill:
 * the next start then drops a transaction whose commit the kill interrupted, and the copy that is audited has it.
 */
export async function nextCheckpoint(dataDirectory: string, manager: string, withinMs: number): Promise<boolean> {
  const db = new Database(join(dataDirectory, 'events.db'), { readonly: true });
  try {
    // A statement that is not finalized keeps the connection open.
    using count = db.prepare<{ count: number }, [string]>('SELECT count(*) AS count FROM appends WHERE stream = ?');
    const stored = (): number => count.get(`checkpoint-${manager}`)?.count ?? 0;
    const before = stored();
    return await eventually(async () => stored() > before, withinMs, POLL_MS);
  } finally {
    db.close();
  }
}
