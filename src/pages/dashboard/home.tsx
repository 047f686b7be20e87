import { useLocation } from 'preact-iso';
import type { Area } from './area.ts';
import { api, read } from './client.ts';
import { Field, Form } from './components/form.tsx';
import { Empty, Page, Section } from './components/page.tsx';
import { caller, may } from './session.ts';
import { useAnswer } from './use-answer.ts';
import { hrefWith } from './use-query.ts';

/** @param areas those with a page for this session */
export function Home({ areas }: { readonly areas: readonly Area[] }) {
  return (
    <Page title={`Hello, ${greeted()}`}>
      <Attention />
      {may('list_all_bookings') && <FindBooking />}
      {areas.length === 0 && <Empty>There is no page for your role.</Empty>}
      <ul class="areas">
        {areas.map(({ title, summary, pages }) => (
          <li key={title} class="card">
            <h2>{title}</h2>
            <p class="soft">{summary}</p>
            <p class="links">
              {pages
                .filter(({ listed }) => listed)
                .map((page) => (
                  <a key={page.path} href={`/dashboard${page.path}`}>
                    {page.title}
                  </a>
                ))}
            </p>
          </li>
        ))}
      </ul>
    </Page>
  );
}

/** The tokens of the settings have the name of their setting, which greets nobody. */
function greeted(): string {
  const { name = '', role = null } = caller() ?? {};
  return role !== null && name.startsWith('WAYMARK_') ? role : name;
}

function FindBooking() {
  const { route } = useLocation();
  return (
    <Section title="Find a booking">
      <Form inline submit="Search" send={({ find = '' }) => route(hrefWith({}, { find }, '/dashboard/bookings'))}>
        <Field label="Booking, voucher or guest" name="find" type="search" />
      </Form>
    </Section>
  );
}

type Notice = { readonly text: string; readonly href: string };

/** What somebody should look at; nothing if there is nothing. */
function Attention() {
  const { answer = [] } = useAnswer(loadNotices, [], { live: ['endpoints'] });
  if (answer.length === 0) return null;
  return (
    <Section title="Needs attention">
      <ul class="list">
        {answer.map(({ text, href }) => (
          <li key={text}>
            <a href={`/dashboard${href}`}>{text}</a>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** At most three requests. One that fails says nothing here: its page says what is wrong. */
async function loadNotices(): Promise<readonly Notice[]> {
  const found = await Promise.all([
    may('list_receivers') ? receivers().catch(() => null) : null,
    may('list_parked') ? parked().catch(() => null) : null,
    may('supply_status') ? faults().catch(() => null) : null,
  ]);
  return found.flat().flatMap((notice) => notice ?? []);
}

async function receivers(): Promise<readonly (Notice | null)[]> {
  const { items, next_cursor: next } = await read(api.webhooks.receivers.get({ query: { limit: 100 } }));
  const more = next === null ? '' : 'At least ';
  const notice = (status: (typeof items)[number]['status'], one: string, many: string): Notice | null => {
    const count = items.filter((receiver) => receiver.status === status && receiver.in_use).length;
    return noticeOf(count, [`${more}1 receiver ${one}`, `${more}${count} receivers ${many}`], '/webhooks/receivers');
  };
  return [
    notice('suspended', 'is suspended: it gets no events', 'are suspended: they get no events'),
    notice('failing', 'fails: it acknowledges no event', 'fail: they acknowledge no event'),
  ];
}

async function parked(): Promise<Notice | null> {
  const { items } = await read(api.ops.readers.parked.get());
  const count = items.filter(({ status }) => status === 'parked').length;
  return noticeOf(count, ['1 item is parked', `${count} items are parked`], '/readers');
}

async function faults(): Promise<Notice | null> {
  const { faults: all } = await read(api.ops.supply.get());
  const count = all.length;
  return noticeOf(
    count,
    ['1 fault is in the files of the supply', `${count} faults are in the files of the supply`],
    '/supply',
  );
}

function noticeOf(count: number, [one, many]: readonly [string, string], href: string): Notice | null {
  return count === 0 ? null : { text: count === 1 ? one : many, href };
}
