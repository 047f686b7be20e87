import type { MailWatch } from '../application/mail-watch.ts';
import type { Streams } from '../application/streams.ts';
import type { Begun } from '../application/under-lease.ts';
import type { UnreadEvents } from '../application/unread-events.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { Projections } from './projections.ts';
import type { Exclusively, Shared, Singly } from './singly.ts';
import type { Stores } from './stores.ts';

/** What differs between the one process with embedded stores and the nodes that share EventStoreDB and MongoDB. */
export type Engines = {
  readonly stores: Stores;
  /** Begins work of which there is one in the whole service. */
  readonly singly: Singly;
  readonly exclusively: Exclusively;
  /** Begins work that the nodes share. */
  readonly shared: Shared;
  /** By name, whether each engine answers; none where they are part of this process. */
  answering(): Readonly<Record<string, boolean>>;
  /** How queries find the read models, and an operator how far they are. */
  openProjections(context: {
    readonly streams: Streams;
    readonly clock: Clock;
    readonly ids: Ids;
  }): Promise<Projections>;
  /** Keeps the read models up, where `openProjections` does not do that already. */
  project(context: { readonly streams: Streams; readonly clock: Clock }): Promise<Begun>;
  /** Tells the watch of mails that other nodes send. */
  followMails(watch: Pick<MailWatch, 'ended'>): Promise<Begun>;
  close(): Promise<void>;
};

/** How engines are opened: `holder` names this run of this node. */
export type EnginesContext = {
  readonly clock: Clock;
  readonly log: Log;
  readonly holder: string;
  readonly unread: Pick<UnreadEvents, 'note'>;
};
