import { basename, dirname, extname, join } from 'node:path';
import { ROOT } from '../files.ts';
import { Program } from '../process.ts';
import { buildWithGo } from './go-program.ts';

/** Receivers of webhooks that clients could run: those of the guide, and those that were written from the guide alone. */
export const EXAMPLES = ['ts', 'py', 'go'].map((language) => `examples/verify-webhook.${language}`);
export const WRITTEN_FROM_THE_GUIDE = ['ts', 'py', 'go'].map(
  (language) => `test/support/peers/receivers/receiver.${language}`,
);

/** A receiver, a process of its own, that trusts one secret. */
export type RunningReceiver = AsyncDisposable & {
  /** With a slash at its end. */
  readonly url: string;
  /** The events that it took and has worked on, oldest first. */
  readonly taken: () => readonly { readonly id: string }[];
  /** Resolves when it has worked on an event. @throws where it ends before */
  worked(eventId: string): Promise<void>;
};

/** @throws where its language is not there, or it does not start; with what it said */
export async function startReceiver(file: string, secret: string): Promise<RunningReceiver> {
  const program = new Program([...(await commandOf(file)), secret, '0'], process.env);
  const listening = await program.stdout.line(/^listening at (http:\/\/127\.0\.0\.1:\d+\/)$/);
  if (listening === null) {
    await program.ended();
    throw new Error(`${file} did not start:\n${program.stderr.text}`);
  }
  return {
    url: listening[1] ?? '',
    taken: () => program.stdout.lines.slice(1).map((line): { id: string } => JSON.parse(line)),
    async worked(eventId) {
      const line = await program.stdout.line(new RegExp(eventId));
      if (line === null) throw new Error(`${file} ended:\n${program.stderr.text}`);
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/** What runs a receiver; one in Go is built first. */
export async function commandOf(file: string): Promise<readonly string[]> {
  const path = join(ROOT, file);
  switch (extname(file)) {
    case '.go': {
      const name = `receivers/${basename(file, '.go')}`;
      return [await buildWithGo({ name, folder: dirname(path), files: [basename(file)] })];
    }
    case '.py':
      return [python(), path];
    default:
      return [process.execPath, path];
  }
}

/** @throws where there is no Python */
export function python(): string {
  const found = Bun.which('python3');
  if (found === null)
    throw new Error('receivers in Python need Python 3.9 or newer, and there is no "python3" on the PATH');
  return found;
}
