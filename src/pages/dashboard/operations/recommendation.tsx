import type { Api, DataFrom } from '../answers.ts';
import { api, read } from '../client.ts';
import { Field, FilterForm } from '../components/form.tsx';
import { Facts, Fault, Loading, Page } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { When } from '../components/values.tsx';
import { KeyName } from '../keys/key-name.tsx';
import { useAnswer } from '../use-answer.ts';
import { useQuery } from '../use-query.ts';

type Explanation = DataFrom<ReturnType<Api['ops']['recommendations']>['explanation']['get']>;

/** Why one answer of recommend has its order. */
export function RecommendationPage() {
  const query = useQuery();
  const logId = query[0]['log_id'] ?? '';
  return (
    <Page title="Recommendation">
      <FilterForm names={['log_id']} query={query} submit="Explain" tone="primary">
        <Field label="Id of the recommendation (log_id)" name="log_id" value={logId} required placeholder="rec_…" />
      </FilterForm>
      <p class="soft">
        The answer of recommend has it in <code>context.log_id</code>; a booking that came of it links it.
      </p>
      {logId !== '' && <Explained key={logId} logId={logId} />}
    </Page>
  );
}

function Explained({ logId }: { readonly logId: string }) {
  const load = () => read(api.ops.recommendations({ log_id: logId }).explanation.get());
  const { answer, fault, loading, reload } = useAnswer(load, [logId]);
  if (answer === undefined) return loading ? <Loading /> : <Fault of={fault} retry={reload} />;
  return (
    <>
      <Facts
        of={{
          City: answer.city,
          Travellers: answer.travel_type,
          At: <When at={answer.at} />,
          Model: answer.model,
          Key: <KeyName id={answer.key_id} />,
          Candidates: answer.candidates,
          'Reproduced by this release': answer.reproduced ? 'yes' : 'no',
        }}
      />
      <Table
        caption="Activities in the order of the answer, with what each factor adds to the score"
        shown
        keyOf={({ activity_id }) => activity_id}
        rows={answer.activities}
        columns={[
          { title: 'Activity', cell: ({ place, activity_id }) => `${place}. ${activity_id}` },
          { title: 'Score', align: 'end', cell: (activity) => activity.relevance_score.toFixed(2) },
          ...FACTORS.map(([factor, title]) => ({
            title,
            align: 'end' as const,
            cell: (activity: Explanation['activities'][number]) => activity.factors[factor].points.toFixed(2),
          })),
          { title: 'Evidence', cell: ({ evidence }) => evidence ?? 'none' },
        ]}
      />
    </>
  );
}

const FACTORS = [
  ['profile', 'Profile'],
  ['ground_truth', 'Visits'],
  ['weather', 'Weather'],
  ['time', 'Time'],
  ['price', 'Price'],
] as const;
