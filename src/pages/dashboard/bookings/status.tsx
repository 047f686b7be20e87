import { Badge, type Tone } from '../components/page.tsx';

export const STATUSES = ['processing', 'pending', 'confirmed', 'completed', 'cancelled', 'rejected'] as const;

const TONES: Readonly<Record<(typeof STATUSES)[number], Tone>> = {
  processing: 'info',
  pending: 'warn',
  confirmed: 'good',
  completed: 'info',
  cancelled: 'bad',
  rejected: 'bad',
};

export function Status({ of }: { readonly of: (typeof STATUSES)[number] }) {
  return <Badge tone={TONES[of]}>{of}</Badge>;
}

/** `2 adults`, `1 adult, 1 child`. */
export function partyOf({ num_adults: adults, num_children: children }: Party): string {
  const named = [
    counted(adults, 'adult', 'adults'),
    ...(children === 0 ? [] : [counted(children, 'child', 'children')]),
  ];
  return named.join(', ');
}

type Party = { readonly num_adults: number; readonly num_children: number };

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
