import { api, read } from './client.ts';
import { Dialog } from './components/dialog.tsx';
import { Field, Form, type Values } from './components/form.tsx';
import { reconnectLive } from './live.ts';
import { overSession, signedIn, signedOut } from './session.ts';

async function signIn({ token = '' }: Values): Promise<void> {
  signedIn(await read(api.sessions.post({ token })));
  reconnectLive();
}

function SignInForm() {
  return (
    <Form submit="Sign in" send={signIn}>
      <Field
        label="API key or operator token"
        name="token"
        type="password"
        required
        autoComplete="current-password"
        hint="Paste the API key or the token that you were given."
      />
    </Form>
  );
}

/** The page of somebody who is not signed in. */
export function SignInPage() {
  return (
    <main class="sign-in">
      <p class="brand">Waymark</p>
      <section class="card">
        <h1>Sign in to the dashboard</h1>
        <SignInForm />
      </section>
      <p class="soft">
        <a href="/">What Waymark is</a> · <a href="/docs">API reference</a>
      </p>
    </main>
  );
}

/** Over the page of a session that is over. The page stays as it is below, and goes on after signing in. */
export function SignInAgain() {
  return (
    <Dialog title="Your session is over">
      <p>
        Sign in again to go on where you are. A session ends after 30 minutes without a request, and after 12 hours.
      </p>
      <SignInForm />
      <p>
        <button type="button" class="quiet" onClick={() => signedOut()}>
          Leave the page{overSession.value === null ? '' : ` of ${overSession.value.name}`}
        </button>
      </p>
    </Dialog>
  );
}
