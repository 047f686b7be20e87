import { Facts, Progress, Section } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { Count, Money, money, When } from '../components/values.tsx';
import type { OneKey, OwnKey } from './types.ts';

type Used = Pick<OneKey & OwnKey, 'usage' | 'use' | 'limits' | 'spending' | 'plan'>;

/** Requests of today, against the limits of the plan and by operation. */
export function UseOf({ of: { usage, use, plan } }: { readonly of: Used }) {
  const operations = Object.entries(use.today.by_endpoint).map(([name, counts]) => ({ name, ...counts }));
  return (
    <Section title="Use today">
      {usage === null ? (
        <p>
          <Count of={use.today.requests} /> requests. The plan {plan} has no limit.
        </p>
      ) : (
        <>
          <Progress label="Requests in the last minute" of={usage.minute.used} total={usage.minute.limit} />
          <Progress label="Requests today (UTC)" of={usage.day.used} total={usage.day.limit} />
          <p class="soft">
            The day ends <When at={usage.day.resets_at} />.
          </p>
        </>
      )}
      {operations.length > 0 && (
        <Table
          caption="Answered requests today by operation"
          rows={operations}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Operation', cell: ({ name }) => <code>{name}</code> },
            { title: 'Successes', align: 'end', cell: ({ ok }) => ok.toLocaleString('en') },
            { title: 'Refusals (4xx)', align: 'end', cell: ({ refused }) => refused.toLocaleString('en') },
            { title: 'Failures (5xx)', align: 'end', cell: ({ failed }) => failed.toLocaleString('en') },
          ]}
        />
      )}
    </Section>
  );
}

export function LimitsOf({ of: { limits, spending } }: { readonly of: Used }) {
  const { booking_total, day_total, currency, open_holds, unpaid_share, refundable_guests } = limits;
  const amount = (of: number | null) =>
    of === null || currency === null ? 'no limit' : <Money amount={of} currency={currency} />;
  return (
    <Section title="Limits">
      <Facts
        of={{
          'Spending per booking': amount(booking_total),
          'Spending per day (UTC)': amount(day_total),
          'Open holds': <Count of={open_holds} />,
          "Largest unpaid share of a date's places":
            unpaid_share === null ? 'no limit' : `${Math.round(unpaid_share * 100)} %`,
          'Refundable guests': <Count of={refundable_guests} />,
        }}
      />
      {spending !== null && (
        <>
          <Progress
            label={`Spent today, in ${spending.today.currency}`}
            of={spending.today.used}
            total={spending.today.limit}
          />
          <p class="soft">
            {money(Math.max(0, spending.today.limit - spending.today.used), spending.today.currency)} are left until{' '}
            <When at={spending.today.resets_at} />.
          </p>
        </>
      )}
    </Section>
  );
}
