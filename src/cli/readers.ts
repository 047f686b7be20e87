import { userInfo } from 'node:os';
import { type Config, readConfig } from '../config.ts';
import { command, refuse } from './command.ts';
import { kept, serviceUrl } from './running-service.ts';

/** The members of the service's answers that the command prints. */
type Item = {
  readonly reader: string;
  readonly item: string;
  readonly status: string;
  readonly event: {
    readonly stream: string;
    readonly revision: number;
    readonly type: string;
    readonly position: string;
  } | null;
  readonly fault: string;
  readonly parked_at: string;
  readonly decision: { readonly by: string; readonly reason: string; readonly at: string } | null;
};
type Retried = { readonly item: Item; readonly rebuild: 'started' | 'running' | null };

export const READERS = command({
  name: 'readers',
  summary: 'Lists what readers of the log left out, and retries or skips it.',
  details: [
    'A reader is a process manager or a projection. It parks an event that it cannot apply, or a command that fails for ever, and goes on without it.',
    '`retry`, after a release that repairs the fault: a process manager reads the log again from before the item; a projection is rebuilt with the event, because an event cannot be applied out of order.',
    '`skip` leaves the item out for good, in rebuilds too. The log keeps who decided and why.',
  ],
  arguments: [
    { name: 'SUBJECT', meaning: 'What the command is about.', values: ['parked'] },
    { name: 'ACTION', meaning: 'What to do.', values: ['list', 'retry', 'skip'] },
  ],
  options: {
    reader: { type: 'string', value: 'READER', meaning: 'The reader, as `list` prints it; for `retry` and `skip`.' },
    item: { type: 'string', value: 'ITEM', meaning: 'The item, as `list` prints it; for `retry` and `skip`.' },
    reason: { type: 'string', value: 'TEXT', meaning: 'Why; for `retry` and `skip`. The log keeps it.' },
    operator: { type: 'string', value: 'NAME', meaning: 'Who decides. Default: your user name on this machine.' },
    all: { type: 'boolean', meaning: 'With `list`: skipped items too.' },
  },
  settings: ['DATA_DIR', 'WAYMARK_ADMIN_TOKEN', 'WAYMARK_URL'],
  exitCodes: {
    0: 'The items were listed, or the decision is recorded.',
    1: 'The service refused it, or a setting is invalid.',
    2: 'Invalid arguments, or the command found no service.',
  },
  async run({ arguments: [, action], options }) {
    const config = readConfig(process.env, 'command');
    const url = serviceUrl(config);
    if (url === null) return refuse('readers', 'the service does not run here; set WAYMARK_URL to its address');
    const service = { url, headers: headersOf(config) };
    if (action === 'list') return list(service, options.all === true);
    const { reader, item, reason, operator = userInfo().username } = options;
    if (reader === undefined || item === undefined || reason === undefined)
      return refuse('readers', `${action} needs --reader, --item and --reason`);
    return decide(service, action === 'skip' ? 'skip' : 'retry', reader, { item, reason, operator });
  },
});

type Service = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

function headersOf(config: Config): Service['headers'] {
  const token = config.adminToken ?? kept(config, 'admin-token') ?? '';
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
}

async function list({ url, headers }: Service, all: boolean): Promise<number> {
  const answer = await fetch(`${url}/api/ops/readers/parked`, { headers });
  if (!answer.ok) return failed(url, answer);
  // The format of our own API.
  const { data } = (await answer.json()) as { data: { items: Item[] } };
  const items = data.items.filter(({ status }) => all || status !== 'skipped');
  process.stdout.write(items.length === 0 ? 'No reader left anything out.\n' : items.map(shown).join('\n'));
  return 0;
}

async function decide(
  { url, headers }: Service,
  action: 'retry' | 'skip',
  reader: string,
  body: { readonly item: string; readonly reason: string; readonly operator: string },
): Promise<number> {
  const path = `/api/ops/readers/${encodeURIComponent(reader)}/${action}`;
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) return failed(url, answer);
  // The format of our own API.
  const { data } = (await answer.json()) as { data: Partial<Retried> & { readonly item: Item } };
  process.stdout.write(shown(data.item));
  if (data.rebuild === 'started') process.stdout.write('The projection is being rebuilt with the event.\n');
  if (data.rebuild === 'running')
    process.stdout.write('Another rebuild is running and may leave the event out: retry again when it has ended.\n');
  return 0;
}

async function failed(url: string, answer: Response): Promise<number> {
  process.stderr.write(`waymark readers: the service at ${url} answered ${answer.status}: ${await answer.text()}\n`);
  return 1;
}

function shown({ reader, item, status, event, fault, parked_at: at, decision }: Item): string {
  const place =
    event === null ? '' : `  event     ${event.type}, ${event.stream}@${event.revision}, position ${event.position}\n`;
  const decided = decision === null ? '' : `  decided   ${decision.at} by ${decision.by}: ${decision.reason}\n`;
  return `${status}  ${reader}  ${item}\n${place}  fault     ${fault}\n  parked    ${at}\n${decided}`;
}
