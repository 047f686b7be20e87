import { randomUUID } from 'node:crypto';
import { type AppendAnswer, appendAnswer, appendRequest, type EncodedAppend, uuidText } from './append-message.ts';
import type { AppendStream, Connection } from './connection.ts';
import { EventStoreUnavailable } from './faults.ts';
import { beforeAbort } from './patience.ts';

/** Appends that wait for their answer at once. More than all mailboxes of a node would ever send. */
const MAX_WAITING = 8_192;

type Waiting = { readonly resolve: (answer: AppendAnswer) => void; readonly reject: (fault: unknown) => void };

type OpenStream = {
  readonly stream: AppendStream;
  readonly waiting: Map<string, Waiting>;
  /** How many answers came: a stream that has none while somebody loses patience is given up. */
  answers: number;
};

export type Appender = {
  /** One attempt. @throws where it failed, was not answered before the signal aborted, or too many wait */
  attempt(append: EncodedAppend, signal: AbortSignal): Promise<AppendAnswer>;
};

/**
 * All appends of this process go over one stream, each as soon as it comes, and are told apart by correlation id. The
 * stream is opened again where it ended; whoever waited on it is told, and may append the very same events again.
 */
export function openAppender(connection: Connection): Appender {
  let current: Promise<OpenStream> | null = null;
  let waitingInAll = 0;

  async function open(): Promise<OpenStream> {
    const stream = await connection.openAppends();
    const opened: OpenStream = { stream, waiting: new Map(), answers: 0 };
    const over = (fault: unknown): void => {
      if (currentIs === opened) forget();
      for (const { reject } of opened.waiting.values()) reject(fault);
      opened.waiting.clear();
    };
    stream.on('data', (response) => {
      opened.answers++;
      const id = uuidText(response.getCorrelationId());
      const waiting = opened.waiting.get(id);
      opened.waiting.delete(id);
      // Nobody waits for an answer that came after its deadline.
      if (waiting === undefined) return;
      try {
        waiting.resolve(appendAnswer(response));
      } catch (fault) {
        waiting.reject(fault);
      }
    });
    stream.on('error', over);
    stream.on('end', () => over(new EventStoreUnavailable('the event store ended the stream of appends')));
    currentIs = opened;
    return opened;
  }

  let currentIs: OpenStream | null = null;
  function forget(): void {
    currentIs = null;
    current = null;
  }

  function openOnce(): Promise<OpenStream> {
    current ??= open().catch((fault) => {
      forget();
      throw fault;
    });
    return current;
  }

  return {
    async attempt(append, signal) {
      if (waitingInAll >= MAX_WAITING) throw new EventStoreUnavailable(`${MAX_WAITING} appends wait for their answer`);
      waitingInAll++;
      try {
        const opened = await beforeAbort(openOnce(), signal);
        return await send(opened, append, signal);
      } finally {
        waitingInAll--;
      }
    },
  };
}

async function send(opened: OpenStream, append: EncodedAppend, signal: AbortSignal): Promise<AppendAnswer> {
  const id = randomUUID();
  const answersBefore = opened.answers;
  const answer = new Promise<AppendAnswer>((resolve, reject) => opened.waiting.set(id, { resolve, reject }));
  opened.stream.write(appendRequest(id, append));
  try {
    return await beforeAbort(answer, signal);
  } catch (fault) {
    opened.waiting.delete(id);
    if (signal.aborted && opened.answers === answersBefore) opened.stream.cancel();
    throw fault;
  }
}
