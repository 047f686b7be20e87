import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { LANGUAGES, type Language } from '../../../domain/activity/vocabulary.ts';
import { api, read } from '../client.ts';
import { Badge, Done, Facts, Fault, Loading, Page, Section, Tabs } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { money } from '../components/values.tsx';
import { may } from '../session.ts';
import { useAnswer } from '../use-answer.ts';
import { useQuery } from '../use-query.ts';
import { ActivityDates } from './activity-dates.tsx';
import { type Entry, Override } from './override.tsx';
import { WEEK, WEEKDAY_NAMES } from './weekdays.ts';

const LANGUAGE_NAMES = new Intl.DisplayNames('en', { type: 'language' });

export function ActivityPage() {
  const { activity_id: id = '' } = useRoute().params;
  const [done, setDone] = useState('');
  const { answer, fault, reload } = useAnswer(() => read(api.activities({ activity_id: id }).get()), [id], {
    live: ['activities'],
  });
  if (answer === undefined)
    return (
      <Page title="Activity">
        <Fault of={fault} retry={reload} />
        {fault === null && <Loading />}
      </Page>
    );
  const said = (message: string): void => {
    setDone(message);
    reload();
  };
  return (
    <Page title={answer.texts.en.title}>
      <Done>{done}</Done>
      <Fault of={fault} retry={reload} />
      <Section title="Entry">
        <p class="links">
          <Badge tone={answer.listed ? 'good' : 'plain'}>{answer.listed ? 'On sale' : 'Not sold any more'}</Badge>
          {answer.exclusive_to !== null && <Badge tone="info">Only for guests of {answer.exclusive_to}</Badge>}
          <a href={`/dashboard/calendar?city=${encodeURIComponent(answer.city)}`}>Calendar of {answer.city}</a>
        </p>
        <EntryFacts entry={answer} />
      </Section>
      {may('calendar') && <ActivityDates entry={answer} changed={said} />}
      <Texts entry={answer} />
      <Pictures entry={answer} />
      <Hours entry={answer} />
      <Override entry={answer} changed={said} />
    </Page>
  );
}

function EntryFacts({ entry }: { readonly entry: Entry }) {
  const { venue, cancellation, currency } = entry;
  const { free_until_hours: hours, percent_kept: kept } = cancellation;
  return (
    <Facts
      of={{
        Id: <code>{entry.id}</code>,
        Venue: `${venue.name}, ${venue.address}`,
        Category: entry.category,
        Duration: `${entry.duration_minutes} minutes`,
        Price: `${money(entry.price, currency)} a person`,
        Capacity: `${entry.capacity.toLocaleString('en')} guests a day`,
        Confirmation: entry.confirmation === 'instant' ? 'At once' : 'By the venue',
        'Cancellation policy': `Free until ${hours} hours before opening; later ${kept}% of the price is kept.`,
        Revision: entry.revision,
      }}
    />
  );
}

function Texts({ entry }: { readonly entry: Entry }) {
  const [query] = useQuery();
  const language: Language = LANGUAGES.find((known) => known === query['language']) ?? 'en';
  const { title, description, check_in: checkIn } = entry.texts[language];
  return (
    <Section title="Texts">
      <Tabs
        label="Languages"
        current={language}
        tabs={LANGUAGES.map((value) => ({
          value,
          title: LANGUAGE_NAMES.of(value) ?? value,
          href: `/dashboard/activities/${entry.id}?language=${value}`,
        }))}
      />
      <div lang={language} class="texts">
        <h3>{title}</h3>
        <p>{description}</p>
        <p class="soft">{checkIn}</p>
      </div>
    </Section>
  );
}

function Pictures({ entry }: { readonly entry: Entry }) {
  return (
    <Section title="Pictures">
      {entry.images.length === 0 ? (
        <>
          <p class="soft">The entry has no photograph. Guests and agents see this drawing.</p>
          <ul class="pictures">
            <li>
              <img src={`/pictures/${entry.id}.svg`} alt={`${entry.texts.en.title}, drawn`} loading="lazy" />
            </li>
          </ul>
        </>
      ) : (
        <ul class="pictures">
          {entry.images.map((address, index) => (
            <li key={address}>
              <img
                src={address}
                alt={`${entry.texts.en.title}, picture ${index + 1} of ${entry.images.length}`}
                loading="lazy"
                referrerpolicy="no-referrer"
              />
              <code>{address}</code>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Hours({ entry }: { readonly entry: Entry }) {
  return (
    <Section title="Opening hours">
      <Table
        caption="By day of the week, local times"
        rows={WEEK.map((day) => ({ day, hours: entry.opening[day] }))}
        keyOf={({ day }) => day}
        columns={[
          { title: 'Day', cell: ({ day }) => WEEKDAY_NAMES[day] },
          { title: 'Opens', cell: ({ hours }) => hours?.open ?? 'closed' },
          { title: 'Last entry', cell: ({ hours }) => hours?.last_entry ?? '–' },
          { title: 'Closes', cell: ({ hours }) => hours?.close ?? '–' },
        ]}
      />
      <Facts
        of={{
          'Closed dates': entry.closed_dates.length === 0 ? 'none' : entry.closed_dates.join(', '),
          Seasons:
            entry.seasons.length === 0
              ? 'none'
              : entry.seasons
                  .map(({ from, to, price, capacity }) =>
                    [
                      `${from} to ${to}:`,
                      ...(price === undefined ? [] : [money(price, entry.currency)]),
                      ...(capacity === undefined ? [] : [`${capacity} guests a day`]),
                    ].join(' '),
                  )
                  .join('; '),
        }}
      />
    </Section>
  );
}
