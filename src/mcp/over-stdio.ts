import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { restOver, type Send } from './rest.ts';
import { createToolServer } from './server.ts';

/** Longer than the service takes for anything, shorter than the minute that clients usually wait. */
const ANSWER_DEADLINE_MS = 45_000;

type Stdio = {
  readonly version: string;
  readonly apiKey: string;
  readonly send: Send;
  /** Of what the protocol has no place for. Never written to standard output, which is the protocol's. */
  readonly complain: (fault: Error) => void;
};

/**
 * Serves the tools on standard input and output until the client closes them. A call that the client cancels is no longer
 * waited for; the service carries it out nevertheless, and the same call again finds what became of it.
 */
export async function serveToolsOnStdio({ version, apiKey, send, complain }: Stdio): Promise<void> {
  const headers = { 'x-api-key': apiKey };
  const server = createToolServer(version, (cancelled) =>
    restOver(send, headers, AbortSignal.any([cancelled, AbortSignal.timeout(ANSWER_DEADLINE_MS)])),
  );
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the server is no EventTarget
  server.onerror = complain;
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    process.stdout.on('error', () => resolve());
    // The transport closes itself where a message is larger than it takes.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the server is no EventTarget
    server.onclose = resolve;
  });
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}
