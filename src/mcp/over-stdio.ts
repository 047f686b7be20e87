import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { openRestConnection, type Send } from './rest.ts';
import { createToolServer } from './server.ts';

/** Longer than the service's own deadlines, shorter than the usual client timeout of one minute. */
const CALL_DEADLINE_MS = 45_000;

type Stdio = {
  readonly version: string;
  readonly apiKey: string;
  readonly send: Send;
  /** Receives errors that the protocol cannot report. It must not write to standard output, which the protocol uses. */
  readonly onError: (fault: Error) => void;
};

/**
 * Serves the tools on standard input and output until the client closes them. If the client cancels a call, the tool stops
 * waiting, but the service still executes it. Repeating the call returns its result.
 */
export async function serveToolsOnStdio({ version, apiKey, send, onError }: Stdio): Promise<void> {
  const headers = { 'x-api-key': apiKey };
  const server = createToolServer(version, (cancelled) =>
    openRestConnection(send, headers, AbortSignal.any([cancelled, AbortSignal.timeout(CALL_DEADLINE_MS)])),
  );
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the server is not an EventTarget
  server.onerror = onError;
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    process.stdout.on('error', () => resolve());
    // The transport closes itself when a message exceeds its size limit.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the server is not an EventTarget
    server.onclose = resolve;
  });
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}
