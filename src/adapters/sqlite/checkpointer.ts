/**
 * Checkpoints the write-ahead logs of databases in a separate thread. SQLite would otherwise do so within a commit, and
 * every request behind that commit would wait (20 ms and more under load).
 *
 * @param paths databases that stay open in this process until the returned function has resolved
 * @returns stops the thread
 */
export function startCheckpointer(paths: readonly string[]): () => Promise<void> {
  const worker = new Worker(new URL('./checkpointer-worker.ts', import.meta.url));
  worker.unref();
  worker.postMessage({ paths });
  // Also resolves if the thread has ended by itself.
  const ended = new Promise<void>((resolve) => {
    worker.addEventListener('close', () => resolve());
    worker.addEventListener('message', () => resolve());
  });
  return async () => {
    worker.ref();
    worker.postMessage('stop');
    await ended;
    worker.terminate();
  };
}
