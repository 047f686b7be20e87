import { basename, dirname, extname, join } from 'node:path';
import { ROOT } from '../files.ts';
import { Program } from '../process.ts';
import { buildWithGo } from './go-program.ts';

/** Webhook receivers: the examples, and those written from the guide alone. */
export const EXAMPLES = ['ts', 'py', 'go'].map((language) => `examples/verify-webhook.${language}`);
export const WRITTEN_FROM_THE_GUIDE = ['ts', 'py', 'go'].map(
  (language) => `test/support/peers/receivers/receiver.${language}`,
);

/** The process of a receiver that trusts one secret. */
export type RunningReceiver = AsyncDisposable & {
  /** Ends with a slash. */
  readonly url: string;
  /** The events that it has handled, oldest first. */
  readonly taken: () => readonly { readonly id: string }[];
  /** Resolves when it has handled an event. @throws if it ends before */
  worked(eventId: string): Promise<void>;
};

/** @throws if its runtime is missing or it does not start, with its output */
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

/** The command that runs a receiver; a Go program is built first. */
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

/** @throws if Python is missing */
export function python(): string {
  const found = Bun.which('python3');
  if (found === null)
    throw new Error('receivers in Python need Python 3.9 or newer, and there is no "python3" on the PATH');
  return found;
}
