/** Work that goes on until it is stopped. `stop` resolves when the work has ended. */
export type Running = { stop(): Promise<void> };

/** Starts a loop. `stop` aborts its signal and waits for it. */
export function runLoop(loop: (stopping: AbortSignal) => Promise<void>): Running {
  const stopping = new AbortController();
  const running = loop(stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Waits in real time, at most until the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    if (signal?.aborted === true) end();
  });
}

/** Waits for work until the signal aborts; null then. Removes its listener, since the signal may outlive many calls. */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | null> {
  const { promise: aborted, resolve } = Promise.withResolvers<null>();
  const abort = (): void => resolve(null);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
