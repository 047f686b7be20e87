import { render } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { LocationProvider, Route, Router, useLocation } from 'preact-iso';
import type { Area } from './area.ts';
import { AREAS } from './areas.ts';
import { ApiError, api, read } from './client.ts';
import { Empty, Fault, Loading, Page } from './components/page.tsx';
import { Home } from './home.tsx';
import { reconnectLive } from './live.ts';
import { caller, followSession, may, session, signedIn, signedOut } from './session.ts';
import { SignInAgain, SignInPage } from './sign-in.tsx';
import { asError } from './use-answer.ts';
import { useMedia } from './use-media.ts';

/** The areas and pages that the session may open. */
function permitted(): readonly Area[] {
  return AREAS.map((area) => ({ ...area, pages: area.pages.filter(({ needs }) => may(needs)) })).filter(({ pages }) =>
    pages.some(({ listed }) => listed),
  );
}

function Navigation({ areas }: { readonly areas: readonly Area[] }) {
  const { path } = useLocation();
  const menu = useRef<HTMLDetailsElement>(null);
  // As in styles/frame.css: a wide window has no button that opens the menu.
  const wide = useMedia('(width >= 60rem)');
  useLayoutEffect(() => {
    if (menu.current !== null) menu.current.open = wide;
  }, [path, wide]);
  return (
    <details class="menu" ref={menu}>
      <summary>Menu</summary>
      <nav aria-label="Pages">
        {areas.map(({ title, pages }) => (
          <div key={title}>
            <p>{title}</p>
            <ul>
              {pages
                .filter(({ listed }) => listed)
                .map((page) => {
                  const href = `/dashboard${page.path}`;
                  const current = path === href || path.startsWith(`${href}/`);
                  return (
                    <li key={page.path}>
                      <a href={href} aria-current={current ? 'page' : undefined}>
                        {page.title}
                      </a>
                    </li>
                  );
                })}
            </ul>
          </div>
        ))}
      </nav>
    </details>
  );
}

function SignedIn() {
  const areas = permitted();
  const signed = caller();
  const [fault, setFault] = useState<Error | null>(null);
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href="/dashboard">
          Waymark
        </a>
        <p>
          <span>{signed?.name}</span> <span class="soft">{signed?.role ?? signed?.prefix}</span>
        </p>
        <button type="button" onClick={() => void signOut().catch((thrown: unknown) => setFault(asError(thrown)))}>
          Sign out
        </button>
      </header>
      <div class="frame">
        <Navigation areas={areas} />
        <main id="content">
          <Fault of={fault} />
          <Router>
            <Route path="/dashboard" component={Home} areas={areas} />
            {areas
              .flatMap(({ pages }) => pages)
              .map(({ path, Component }) => (
                <Route key={path} path={`/dashboard${path}`} component={Component} />
              ))}
            <Route default component={NotFound} />
          </Router>
        </main>
      </div>
    </>
  );
}

function NotFound() {
  return (
    <Page title="No such page">
      <Empty>
        There is no page at this address, or it is not for your role. <a href="/dashboard">Go to the start page</a>.
      </Empty>
    </Page>
  );
}

/** @throws ApiError if the session could not be ended: its cookie still works then */
async function signOut(): Promise<void> {
  try {
    await read(api.sessions.current.delete());
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status !== 401) throw thrown;
  }
  signedOut();
  reconnectLive();
}

function Dashboard() {
  const [fault, setFault] = useState<Error | null>(null);
  const load = async (): Promise<void> => {
    setFault(null);
    try {
      signedIn(await read(api.sessions.current.get()), 'here');
      reconnectLive();
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status === 401) signedOut('here');
      else setFault(asError(thrown));
    }
  };
  useEffect(() => followSession(() => void load()), []);
  if (session.value === undefined) return fault === null ? <Loading /> : <Fault of={fault} retry={() => void load()} />;
  const signed = caller();
  if (signed === null) return <SignInPage />;
  return (
    <>
      <LocationProvider scope="/dashboard" key={signed.id}>
        <SignedIn />
      </LocationProvider>
      {session.value === null && <SignInAgain />}
    </>
  );
}

const root = document.getElementById('dashboard');
if (root !== null) render(<Dashboard />, root);
