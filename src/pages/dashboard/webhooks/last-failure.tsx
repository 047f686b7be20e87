import { api, read } from '../client.ts';
import { When } from '../components/values.tsx';
import { useAnswer } from '../use-answer.ts';
import type { Delivery } from './answers.ts';
import { adviceFor, mayBeSignature } from './explanation.ts';

const UNDELIVERED = ['retrying', 'failed'] as const;

/**
 * What the owner's receiver answered to the latest delivery that it did not acknowledge, what that usually means, and the way
 * to it. A receiver counts as failing after a minute: a delivery that is retried shows before.
 */
export function LastFailure({ failing }: { readonly failing: boolean }) {
  const { answer } = useAnswer(latest, [], { live: ['deliveries'] });
  if (answer === undefined || answer === null || !(failing || answer.status === 'retrying')) return null;
  const last = answer.attempts.at(-1);
  if (typeof last?.error !== 'string') return null;
  const href = `/dashboard/webhooks/deliveries/${answer.delivery_id}`;
  return (
    <div class="notice warn">
      <p>
        <strong>
          Last failure: {last.error}, <When at={last.at} />.
        </strong>{' '}
        {adviceFor(last)}
      </p>
      {!failing && <p>The state above changes if the receiver acknowledges nothing for a minute.</p>}
      <p>
        <a href={href}>
          {mayBeSignature(last) ? 'Check the signature of this delivery' : 'The delivery, with the body that was sent'}
        </a>
      </p>
    </div>
  );
}

/** Of each status the latest; of those the one whose attempt ended last. */
async function latest(): Promise<Delivery | null> {
  const found = await Promise.all(
    UNDELIVERED.map((status) => read(api.webhooks.deliveries.get({ query: { status, limit: 1 } }))),
  );
  const ended = (delivery: Delivery): string => delivery.attempts.at(-1)?.at ?? '';
  return found.flatMap(({ items }) => items).toSorted((one, other) => (ended(one) < ended(other) ? 1 : -1))[0] ?? null;
}
