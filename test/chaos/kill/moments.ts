import type { Service } from './account.ts';
import type { Load } from './load.ts';
import type { Peers } from './peers.ts';
import type { Random } from './random.ts';
import { pause } from './real-time.ts';
import type { Cast, Stage } from './stage.ts';
import { sendPatiently } from './wire.ts';

/** The moment of a kill. */
export type Moment =
  | 'under load'
  | 'while mailing'
  | 'while telling'
  | 'while catching up'
  | 'at a checkpoint'
  | 'while reaping'
  | 'while rebuilding'
  | 'while starting';

export const MOMENTS = [
  'under load',
  'while mailing',
  'while telling',
  'while catching up',
  'at a checkpoint',
  'while reaping',
  'while rebuilding',
  'while starting',
] as const satisfies readonly [Moment, ...Moment[]];

const CHECKPOINT_MS = 3_000;
const MANAGERS = ['webhook-fan-out', 'webhook-deliverer', 'voucher-mailer'] as const;
const ANSWERS = { least: 40, most: 600 };
/** Number of mails or deliveries before the kill, and the timeout for them. */
const MOST_HELD = 80;
const HOLDING_MS = 2_000;
/** Longest wait for work of the reaper before the kill. */
const REAPING_MS = 1_500;

export type Scene = {
  readonly stage: Stage;
  readonly cast: Cast;
  readonly service: Service;
  readonly load: Load;
  readonly peers: Peers;
  readonly random: Random;
};

/** Waits under load for the moment. @returns its description @throws if a rebuild does not start */
export async function come(
  moment: Exclude<Moment, 'while starting' | 'while catching up'>,
  scene: Scene,
): Promise<string> {
  const { stage, cast, load, peers, random } = scene;
  if (moment === 'while reaping') {
    const reaped = cast.words.map(({ stdout }) => stdout.line(/"claim abandoned"/));
    const abandonment = Promise.any(reaped.map(found)).then(() => 'a claim was abandoned');
    const late = `${REAPING_MS + stage.standInMs} ms without a claim to abandon`;
    return Promise.race([abandonment.catch(() => late), pause(REAPING_MS + stage.standInMs).then(() => late)]);
  }
  if (moment === 'at a checkpoint') {
    const manager = random.pick(MANAGERS);
    const withinMs = CHECKPOINT_MS + stage.standInMs;
    const stored = await stage.nextCheckpoint(manager, withinMs);
    return stored ? `a checkpoint of ${manager}` : `${withinMs} ms without a checkpoint of ${manager}`;
  }
  const answers = random.whole(ANSWERS.least, ANSWERS.most);
  await load.answered(answers);
  if (moment === 'under load') return `${answers} answers`;
  if (moment === 'while rebuilding') return beginRebuild(scene);
  const more = random.whole(1, MOST_HELD);
  const held = (moment === 'while mailing' ? peers.mail : peers.webhook).holding(more);
  await Promise.race([held, pause(HOLDING_MS)]);
  return `${answers} answers and ${more} more ${moment === 'while mailing' ? 'mails' : 'deliveries'}`;
}

async function beginRebuild({ service, random }: Scene): Promise<string> {
  const projection = random.pick(['bookings', 'inventory']);
  const headers = { authorization: `Bearer ${service.adminToken}` };
  const path = `/api/ops/projections/${projection}/rebuild`;
  const started = await sendPatiently(() => `${service.url()}${path}`, headers, {});
  if (started.kind !== 'done')
    throw new Error(`the rebuild of ${projection} did not start: ${JSON.stringify(started)}`);
  return `the rebuild of ${projection} began`;
}

/** @throws if the output ends without it */
async function found(line: Promise<RegExpExecArray | null>): Promise<void> {
  if ((await line) === null) throw new Error('a process said nothing of it');
}
