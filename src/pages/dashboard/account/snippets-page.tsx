import { Page, Section } from '../components/page.tsx';
import { Code } from '../components/values.tsx';
import { caller } from '../session.ts';
import { snippetsFor } from './snippets.ts';

export function SnippetsPage() {
  const prefix = caller()?.prefix ?? '';
  return (
    <Page title="First requests">
      <p>
        The snippets read your key <code>{prefix}…</code> from the variable <code>WAYMARK_KEY</code> of the environment.
        The dashboard does not know the key: it was shown once, when it was made. The <a href="/docs">API reference</a>{' '}
        has every operation, <a href="/llms.txt">llms.txt</a> a short guide for agents.
      </p>
      {snippetsFor(location.origin, prefix).map(({ label, about, text }) => (
        <Section key={label} title={label}>
          <p>{about}</p>
          <Code label={label} text={text} />
        </Section>
      ))}
    </Page>
  );
}
