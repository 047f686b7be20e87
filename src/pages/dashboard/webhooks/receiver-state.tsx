import { Badge } from '../components/page.tsx';
import { When } from '../components/values.tsx';

type Health = { readonly failing_since: string | null; readonly suspended_since: string | null };

/** Whether the receiver of a key acknowledges what it gets, and since when it does not. */
export function ReceiverState({ of: { failing_since: failing, suspended_since: suspended } }: { readonly of: Health }) {
  if (suspended !== null)
    return (
      <>
        <Badge tone="bad">suspended</Badge> since <When at={suspended} />
      </>
    );
  if (failing === null) return <Badge tone="good">no failure</Badge>;
  return (
    <>
      <Badge tone="warn">failing</Badge> since <When at={failing} />
    </>
  );
}
