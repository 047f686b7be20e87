import { useLocation } from 'preact-iso';
import { Field, Form } from '../components/form.tsx';
import { Page } from '../components/page.tsx';

/** Leads to the page of one date, which the calendar links too. */
export function ChooseDatePage() {
  const { route } = useLocation();
  return (
    <Page title="Cancel a date">
      <p>Choose the activity and the date. The next page says what a cancellation would do, before anything happens.</p>
      <Form
        submit="Show what would happen"
        send={(values) => {
          const activity = encodeURIComponent(values['activity_id'] ?? '');
          route(`/dashboard/dates/${activity}/${values['date'] ?? ''}/cancel`);
        }}
      >
        <Field label="Activity" name="activity_id" hint="Its id, as the calendar shows it." required />
        <Field label="Date" name="date" type="date" required />
      </Form>
    </Page>
  );
}
