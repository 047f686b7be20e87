import { Badge } from '../components/page.tsx';
import { When } from '../components/values.tsx';
import type { Timeline as Told } from './load.ts';

const WHO = { user: 'agent', operator: 'operator', venue: 'venue', system: 'service' } as const;

export function Timeline({ of: { items } }: { readonly of: Told }) {
  return (
    <ol class="timeline">
      {items.map(({ at, event, text, by, operator, message_id: mail, delivery_id: delivery }) => (
        <li key={`${at} ${event} ${delivery ?? mail ?? text}`}>
          <p>
            <span class="soft number">
              <When at={at} />
            </span>{' '}
            <Badge>{operator ?? WHO[by]}</Badge>
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
        </li>
      ))}
    </ol>
  );
}
