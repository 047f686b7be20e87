import { randomUUID } from 'node:crypto';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb';
import { type AppendAnswer, appendAnswer, appendRequest, type EncodedAppend, uuidText } from './append-message.ts';
import type { AppendStream, Connection } from './connection.ts';
import { EventStoreUnavailable } from './faults.ts';
import { beforeAbort } from './patience.ts';

/** Appends that wait for their answer at once: more than the mailboxes of a node would ever send. */
const MAX_WAITING = 8_192;

export type Appender = {
  /** One attempt. @throws where it failed, was not answered before the signal aborted, or too many wait */
  attempt(append: EncodedAppend, signal: AbortSignal): Promise<AppendAnswer>;
};

/**
 * All appends of this process go over one stream, each as soon as it comes, and their answers are told apart by
 * correlation id. The stream is opened again where it ended; whoever waited on it is told, and may append the very same
 * events again.
 */
export function openAppender(connection: Connection): Appender {
  let current: Promise<OpenStream> | null = null;
  let waiting = 0;

  function open(): Promise<OpenStream> {
    const forget = (): void => {
      if (current === opening) current = null;
    };
    const opening = connection.openAppends().then((stream) => listenTo(stream, forget));
    opening.catch(forget);
    return opening;
  }

  return {
    async attempt(append, signal) {
      if (waiting >= MAX_WAITING) throw new EventStoreUnavailable(`${MAX_WAITING} appends wait for their answer`);
      waiting++;
      try {
        current ??= open();
        return await send(await beforeAbort(current, signal), append, signal);
      } finally {
        waiting--;
      }
    },
  };
}

type Waiting = { readonly resolve: (answer: AppendAnswer) => void; readonly reject: (fault: unknown) => void };

type OpenStream = {
  readonly stream: AppendStream;
  readonly waiting: Map<string, Waiting>;
  /** How many answers came: a stream that has none while somebody loses patience is given up. */
  answers: number;
  over: boolean;
};

function listenTo(stream: AppendStream, ended: () => void): OpenStream {
  const open: OpenStream = { stream, waiting: new Map(), answers: 0, over: false };
  const end = (fault: unknown): void => {
    open.over = true;
    ended();
    for (const { reject } of open.waiting.values()) reject(fault);
    open.waiting.clear();
  };
  stream.on('data', (response: BatchAppendResp) => {
    open.answers++;
    const id = uuidText(response.getCorrelationId());
    const waiting = open.waiting.get(id);
    open.waiting.delete(id);
    // Nobody waits any more for an answer that comes after its deadline.
    if (waiting === undefined) return;
    try {
      waiting.resolve(appendAnswer(response));
    } catch (fault) {
      waiting.reject(fault);
    }
  });
  stream.on('error', end);
  stream.on('end', () => end(new EventStoreUnavailable('the event store ended the stream of appends')));
  return open;
}

async function send(open: OpenStream, append: EncodedAppend, signal: AbortSignal): Promise<AppendAnswer> {
  if (open.over) throw new EventStoreUnavailable('the stream of appends has just ended');
  const id = randomUUID();
  const { answers } = open;
  const answer = new Promise<AppendAnswer>((resolve, reject) => open.waiting.set(id, { resolve, reject }));
  open.stream.write(appendRequest(id, append));
  try {
    return await beforeAbort(answer, signal);
  } catch (fault) {
    open.waiting.delete(id);
    if (signal.aborted && open.answers === answers) open.stream.cancel();
    throw fault;
  }
}
