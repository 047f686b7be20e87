import type { Area } from './area.ts';
import { Empty, Page } from './components/page.tsx';
import { caller } from './session.ts';

/** @param areas those with a page for this session */
export function Home({ areas }: { readonly areas: readonly Area[] }) {
  return (
    <Page title={`Hello, ${caller()?.name ?? ''}`}>
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
