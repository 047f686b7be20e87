import type { Log } from '../../ports/log.ts';
import type { PngRenderer } from '../../ports/png-renderer.ts';
import type { Drawn, ToDraw } from './png-worker.ts';

/** Maximum number of images that wait; each takes some 200 ms of a CPU. */
const MAX_WAITING = 64;
/** A worker that has not answered by then hangs, and is replaced. */
const HUNG_MS = 30_000;

type Waiting = {
  readonly answer: (png: Uint8Array<ArrayBuffer> | null) => void;
  readonly hung: ReturnType<typeof setTimeout>;
};

/**
 * Draws with resvg in a worker thread. The first image starts the worker; after a crash the next image starts another
 * one.
 */
export function openPngRenderer(log: Log): PngRenderer {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let lastId = 0;
  let isStopped = false;

  function answer(id: number, png: Uint8Array<ArrayBuffer> | null): void {
    const asked = waiting.get(id);
    waiting.delete(id);
    clearTimeout(asked?.hung);
    asked?.answer(png);
  }

  function lose(lost: Worker, why: string): void {
    if (worker !== lost) return;
    worker = null;
    lost.terminate();
    if (!isStopped) log.error('picture thread lost', { why, pictures: waiting.size });
    for (const id of waiting.keys()) answer(id, null);
  }

  function start(): Worker {
    const started = new Worker(new URL('./png-worker.ts', import.meta.url));
    started.unref();
    started.addEventListener('message', ({ data }: MessageEvent<Drawn>) => answer(data.id, data.png));
    started.addEventListener('error', ({ message }: ErrorEvent) => lose(started, message));
    started.addEventListener('close', () => lose(started, 'ended'));
    worker = started;
    return started;
  }

  return {
    render(svg) {
      if (isStopped || waiting.size >= MAX_WAITING) return Promise.resolve(null);
      const drawing = worker ?? start();
      const id = ++lastId;
      return new Promise((resolve) => {
        const hung = setTimeout(() => lose(drawing, 'hung'), HUNG_MS);
        hung.unref();
        waiting.set(id, { answer: resolve, hung });
        const message: ToDraw = { id, svg };
        drawing.postMessage(message);
      });
    },
    async stop() {
      isStopped = true;
      if (worker !== null) lose(worker, 'stopping');
    },
  };
}
