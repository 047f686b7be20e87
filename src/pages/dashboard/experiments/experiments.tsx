import { useLocation } from 'preact-iso';
import { CITY_NAMES } from '../../../domain/activity/cities.ts';
import { DEFAULT_MODEL_NAME } from '../../../domain/recommendation/ranking-model.ts';
import type { Api, DataFrom } from '../answers.ts';
import { api, read } from '../client.ts';
import { ActionButton } from '../components/dialog.tsx';
import { choicesOf, Field, instantIn, Select, type Values } from '../components/form.tsx';
import { Badge, Page } from '../components/page.tsx';
import { type Column, PagedTable } from '../components/table.tsx';
import { When } from '../components/values.tsx';
import { may } from '../session.ts';
import { usePages } from '../use-answer.ts';

export type Experiment = DataFrom<Api['ops']['experiments']['get']>['items'][number];

const PAGE = 20;

export function ExperimentsPage() {
  const pages = usePages<Experiment>(
    (cursor) => read(api.ops.experiments.get({ query: { limit: PAGE, ...(cursor && { cursor }) } })),
    [],
    { live: ['experiments'] },
  );
  return (
    <Page title="Experiments" actions={may('start_experiment') && <StartButton />}>
      <p class="soft">
        An experiment ranks for each traveller of a live key with one of two models. Its stop rule is fixed at the
        start, and no winner is named before it is met.
      </p>
      <PagedTable
        pages={pages}
        caption="Experiments, the latest first"
        empty="There was no experiment yet."
        columns={COLUMNS}
        keyOf={({ id }) => id}
      />
    </Page>
  );
}

/** Whether it runs, or how it ended. */
export function State({ of: { ended } }: { readonly of: Experiment }) {
  if (ended === null) return <Badge tone="info">running</Badge>;
  return ended.why === 'stop rule' ? <Badge tone="good">stop rule met</Badge> : <Badge tone="warn">ended early</Badge>;
}

const COLUMNS: readonly Column<Experiment>[] = [
  { title: 'Name', cell: ({ id, name }) => <a href={`/dashboard/experiments/${id}`}>{name}</a> },
  { title: 'State', cell: (experiment) => <State of={experiment} /> },
  { title: 'City', cell: ({ city }) => city ?? 'every city' },
  { title: 'Models', cell: ({ arms }) => arms.map(({ name, share }) => `${name} ${share} %`).join(', ') },
  { title: 'Started', cell: ({ started_at }) => <When at={started_at} /> },
  { title: 'Ends', cell: ({ ended, ends_at }) => <When at={ended?.at ?? ends_at} /> },
];

function StartButton() {
  const { route } = useLocation();
  const start = async (values: Values): Promise<void> => {
    const { id } = await read(api.ops.experiments.post(wishOf(values)));
    route(`/dashboard/experiments/${id}`);
  };
  return (
    <ActionButton label="Start experiment" title="Start an experiment" submit="Start" send={start}>
      <p>
        From now on half of the travellers, or another share, get the answers of the second model. The stop rule cannot
        be changed later.
      </p>
      <Field label="Name" name="name" required maxLength={80} />
      <Select label="City" name="city" choices={choicesOf(CITY_NAMES, 'every city')} />
      <Arm number="first" name={DEFAULT_MODEL_NAME} hint={`${DEFAULT_MODEL_NAME} is the present model.`} />
      <Arm number="second" name="" hint="Lower-case letters, digits, dots and hyphens." />
      <fieldset>
        <legend>Stop rule</legend>
        <Field
          label="Ends at (UTC)"
          name="ends_at"
          type="datetime-local"
          hint="Without a time it ends after the longest time that is permitted."
        />
        <Field
          label="Answers of each model"
          name="answers_per_arm"
          type="number"
          min={100}
          hint="It ends earlier if each model has given so many. At least 100."
        />
      </fieldset>
      <Field label="Reason" name="reason" required maxLength={200} hint="Up to 200 characters." />
    </ActionButton>
  );
}

type ArmNumber = 'first' | 'second';

function Arm({ number, name, hint }: { readonly number: ArmNumber; readonly name: string; readonly hint: string }) {
  return (
    <fieldset>
      <legend>The {number} model</legend>
      <Field label="Model" name={`${number}_name`} value={name} required maxLength={30} hint={hint} />
      <Field
        label="Travellers, in percent"
        name={`${number}_share`}
        type="number"
        value={50}
        min={1}
        max={99}
        required
      />
      <Field
        label="Power of ground truth"
        name={`${number}_power`}
        type="number"
        min={0.25}
        max={8}
        step="any"
        hint="0.25 to 8; empty for the present one."
      />
      <Field
        label="Exploration, in percent"
        name={`${number}_exploration`}
        type="number"
        min={0}
        max={50}
        hint="0 to 50; empty for the present one."
      />
    </fieldset>
  );
}

type Wish = Parameters<Api['ops']['experiments']['post']>[0];

/** The fields as the API takes them. */
function wishOf({ name = '', city, ends_at, answers_per_arm, reason = '', ...arms }: Values): Wish {
  return {
    name,
    arms: [armIn(arms, 'first'), armIn(arms, 'second')],
    reason,
    ...(city && { city }),
    ...(ends_at && { ends_at: instantIn(ends_at) }),
    ...(answers_per_arm && { answers_per_arm: Number(answers_per_arm) }),
  };
}

function armIn(values: Values, number: ArmNumber): Wish['arms'][number] {
  const power = values[`${number}_power`];
  const exploration = values[`${number}_exploration`];
  return {
    name: values[`${number}_name`] ?? '',
    share: Number(values[`${number}_share`]),
    ...(power && { ground_truth_power: Number(power) }),
    ...(exploration && { exploration_percent: Number(exploration) }),
  };
}
