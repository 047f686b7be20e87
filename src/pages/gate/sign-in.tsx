import { useEffect, useState } from 'preact/hooks';
import { deviceKeyIn } from './device-key.ts';
import { LanguageChoice } from './more-view.tsx';
import { CameraPicture } from './scan-view.tsx';
import { prepareSound } from './signals.ts';
import { ended, link } from './state.ts';
import { type SignIn, signIn } from './sync.ts';
import { texts } from './texts.ts';

type Fault = Exclude<SignIn, 'signed-in'> | 'unreadable';

/** Signs a device in, once: with the link that opened the page, its QR code, or the key as text. */
export function SignInPage() {
  const [fault, setFault] = useState<Fault | null>(null);
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [scans, setScans] = useState(false);
  const { signIn: words, paused } = texts();
  const enter = async (given: string): Promise<void> => {
    const key = deviceKeyIn(given);
    if (key === null) {
      setFault('unreadable');
      return;
    }
    setBusy(true);
    const outcome = await signIn(key);
    setBusy(false);
    if (outcome !== 'signed-in') setFault(outcome);
  };
  const given = link.value;
  useEffect(() => {
    if (given === null) return;
    link.value = null;
    void enter(given);
  }, [given]);
  return (
    <main class="sign-in">
      <h1>{words.heading}</h1>
      {ended.value === 'removed' && <p class="notice">{words.removed}</p>}
      <p>{words.text}</p>
      {fault !== null && (
        <p role="alert" class="notice">
          {fault === 'paused' ? paused : words[fault]}
        </p>
      )}
      {scans ? (
        <CameraPicture onText={(read) => void (deviceKeyIn(read) !== null && !isBusy && enter(read))} />
      ) : (
        <button
          type="button"
          onClick={() => {
            prepareSound();
            setScans(true);
          }}
        >
          {words.scan}
        </button>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          prepareSound();
          void enter(text);
        }}
      >
        <label for="key">{words.key}</label>
        <input
          id="key"
          type="password"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          autocomplete="off"
          required
        />
        <button type="submit" class="main" disabled={isBusy}>
          {words.button}
        </button>
      </form>
      <LanguageChoice />
    </main>
  );
}
