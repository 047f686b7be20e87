import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import type { Api, DataFrom } from '../answers.ts';
import { api, read } from '../client.ts';
import { ActionButton } from '../components/dialog.tsx';
import { Done, Facts, Fault, Loading, Page, Progress, Section } from '../components/page.tsx';
import { type Column, Table } from '../components/table.tsx';
import { When } from '../components/values.tsx';
import { may } from '../session.ts';
import { useAnswer } from '../use-answer.ts';
import { State } from './experiments.tsx';
import { Intervals } from './intervals.tsx';

type WithResults = DataFrom<ReturnType<Api['ops']['experiments']>['get']>;
type ArmResult = WithResults['results']['arms'][number];

/** An experiment with its results so far. */
export function ExperimentPage() {
  const id = useRoute().params['id'] ?? '';
  const [said, setSaid] = useState('');
  const { answer, fault, reload } = useAnswer(() => read(api.ops.experiments({ id }).get()), [id], {
    live: ['experiments', 'experimentanswers'],
  });
  const end = async (): Promise<void> => {
    await read(api.ops.experiments({ id }).end.post());
    setSaid('The experiment has ended. All travellers get the answers of the default model.');
    reload();
  };
  const running = answer?.ended === null;
  return (
    <Page title={answer?.name ?? 'Experiment'} actions={running && may('end_experiment') && <EndButton send={end} />}>
      <p>
        <a href="/dashboard/experiments">All experiments</a>
      </p>
      <Fault of={fault} retry={reload} />
      <Done>{said}</Done>
      {answer === undefined ? fault === null && <Loading /> : <Shown experiment={answer} />}
    </Page>
  );
}

function EndButton({ send }: { readonly send: () => Promise<void> }) {
  return (
    <ActionButton
      label="End experiment"
      title="End the experiment before its stop rule"
      submit="End it now"
      tone="danger"
      send={send}
    >
      <p>All travellers get the answers of the default model from now on. The experiment stays without a conclusion.</p>
    </ActionButton>
  );
}

function Shown({ experiment }: { readonly experiment: WithResults }) {
  const { results, city, reason, started_at, started_by, ends_at, ended, answers_per_arm } = experiment;
  const { arms, difference, concluded, conclusion } = results;
  return (
    <>
      <p class={`notice ${concluded ? 'good' : 'info'}`}>{conclusion}</p>
      <Section title="Results">
        <Intervals
          caption="Visits per 100 answers, with 95 % intervals"
          rows={[
            ...arms.map(({ name, visits_per_100_answers: estimate }) => ({ label: name, estimate })),
            { label: 'Difference (second less first)', estimate: difference },
          ]}
        />
        <Table
          caption="Answers of each model, and those that led to a booking and a visit"
          columns={ARM_COLUMNS}
          rows={arms}
          keyOf={({ name }) => name}
        />
        {ended === null &&
          answers_per_arm !== null &&
          arms.map(({ name, answers }) => (
            <Progress
              key={name}
              label={`Answers of ${name}`}
              of={Math.min(answers, answers_per_arm)}
              total={answers_per_arm}
            />
          ))}
      </Section>
      <Section title="Settings">
        <Facts
          of={{
            State: <State of={experiment} />,
            City: city ?? 'every city',
            Reason: reason,
            Started: (
              <>
                <When at={started_at} /> by {started_by}
              </>
            ),
            'Ends at': <When at={ends_at} />,
            'Or with answers of each model': answers_per_arm === null ? null : answers_per_arm.toLocaleString('en'),
            Ended:
              ended === null ? null : (
                <>
                  <When at={ended.at} /> by {ended.by} ({ended.why})
                </>
              ),
          }}
        />
        <Table caption="The two models" columns={MODEL_COLUMNS} rows={experiment.arms} keyOf={({ name }) => name} />
      </Section>
    </>
  );
}

const count = (of: number): string => of.toLocaleString('en');

const ARM_COLUMNS: readonly Column<ArmResult>[] = [
  { title: 'Model', cell: ({ name }) => name },
  { title: 'Answers', align: 'end', cell: ({ answers }) => count(answers) },
  { title: 'Booked', align: 'end', cell: ({ booked }) => count(booked) },
  { title: 'Confirmed', align: 'end', cell: ({ confirmed }) => count(confirmed) },
  { title: 'Visited', align: 'end', cell: ({ visited }) => count(visited) },
];

const MODEL_COLUMNS: readonly Column<WithResults['arms'][number]>[] = [
  { title: 'Model', cell: ({ name }) => name },
  { title: 'Travellers', align: 'end', cell: ({ share }) => `${share} %` },
  { title: 'Power of ground truth', align: 'end', cell: ({ ground_truth_power }) => ground_truth_power },
  { title: 'Exploration', align: 'end', cell: ({ exploration_percent }) => `${exploration_percent} %` },
];
