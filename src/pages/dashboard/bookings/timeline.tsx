import { Badge } from '../components/page.tsx';
import { shortTime, When } from '../components/values.tsx';
import type { Timeline as Told } from './load.ts';
import { OperatorName } from './operator-name.tsx';

type Entry = Told['items'][number];
type Webhook = Entry & { readonly webhook: NonNullable<Entry['webhook']> };
/** An entry, or the consecutive webhooks of one event. */
type Line = { readonly entry: Entry } | { readonly webhooks: readonly Webhook[] };

const WHO = { user: 'agent', operator: 'operator', venue: 'venue', system: 'service' } as const;

export function Timeline({ of: { items } }: { readonly of: Told }) {
  return (
    <ol class="timeline">
      {linesOf(items).map((line) =>
        'entry' in line ? (
          <li key={keyOf(line.entry)}>
            <Shown entry={line.entry} />
          </li>
        ) : (
          <li key={line.webhooks.map(keyOf).join()}>
            <details>
              <summary>{summaryOf(line.webhooks)}</summary>
              <ol class="timeline">
                {line.webhooks.map((entry) => (
                  <li key={keyOf(entry)}>
                    <Shown entry={entry} />
                  </li>
                ))}
              </ol>
            </details>
          </li>
        ),
      )}
    </ol>
  );
}

function Shown({
  entry: { at, text, by, operator, message_id: mail, delivery_id: delivery },
}: {
  readonly entry: Entry;
}) {
  return (
    <>
      <p>
        <span class="soft number">
          <When at={at} />
        </span>{' '}
        <Badge>{operator === undefined ? WHO[by] : <OperatorName id={operator} />}</Badge>
      </p>
      <p>{text}</p>
      {delivery !== undefined && (
        <p class="soft">
          <a href={`/dashboard/webhooks/deliveries/${delivery}`}>
            Delivery <code>{delivery}</code>
          </a>
        </p>
      )}
      {mail !== undefined && (
        <p class="soft">
          Mail <code>{mail}</code>
        </p>
      )}
    </>
  );
}

function keyOf({ at, event, text, delivery_id: delivery, message_id: mail }: Entry): string {
  return `${at} ${event} ${delivery ?? mail ?? text}`;
}

function isWebhook(entry: Entry): entry is Webhook {
  return entry.webhook !== undefined;
}

/** The webhooks between two other entries are one line for each event. */
function linesOf(items: readonly Entry[]): readonly Line[] {
  const lines: Line[] = [];
  let run = new Map<string, Webhook[]>();
  for (const entry of items) {
    if (!isWebhook(entry)) {
      run = new Map();
      lines.push({ entry });
      continue;
    }
    const { event } = entry.webhook;
    const group = run.get(event);
    if (group !== undefined) {
      group.push(entry);
      continue;
    }
    const webhooks = [entry];
    run.set(event, webhooks);
    lines.push({ webhooks });
  }
  return lines;
}

/** `Webhook booking_confirmed: 4 failed attempts, next at 27 Nov 20:10`. */
function summaryOf(entries: readonly Webhook[]): string {
  const webhooks = entries.map(({ webhook }) => webhook);
  const accepted = webhooks.filter(({ status }) => status === 'success').length;
  const failed = webhooks.reduce((sum, { attempts }) => sum + attempts, 0) - accepted;
  const next = webhooks.flatMap(({ next_attempt_at: at }) => at ?? []).toSorted()[0];
  const parts = [
    ...(accepted === 0 ? [] : ['accepted']),
    ...(failed === 0 ? [] : [`${failed} failed ${failed === 1 ? 'attempt' : 'attempts'}`]),
    ...(next === undefined ? [] : [`next at ${shortTime(new Date(next))}`]),
    ...(webhooks.every(({ status }) => status === 'failed') ? ['given up'] : []),
  ];
  return `Webhook ${webhooks[0]?.event ?? ''}: ${parts.join(', ')}`;
}
