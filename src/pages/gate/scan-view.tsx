import { useEffect, useRef, useState } from 'preact/hooks';
import { type Camera, CameraFailed, type CameraFault, startCamera } from './camera.ts';
import { check, shown } from './scan.ts';
import { prepareSound } from './signals.ts';
import { texts } from './texts.ts';

/** A code that was answered is not scanned again before this time: it is still in front of the camera. Ms. */
const AGAIN_MS = 3_000;

/** The camera with the typed code beside it. */
export function ScanView() {
  const last = useRef({ text: '', atMs: 0 });
  const onText = (text: string): void => {
    const isSame = text === last.current.text;
    if (shown.value !== null && (isSame || shown.value.kind !== 'done')) {
      if (isSame) last.current = { text, atMs: Date.now() };
      return;
    }
    if (isSame && Date.now() - last.current.atMs < AGAIN_MS) return;
    last.current = { text, atMs: Date.now() };
    void check(text);
  };
  return (
    <div class="scan">
      <CameraPicture onText={onText} />
      <TypedCode />
    </div>
  );
}

function TypedCode() {
  const [text, setText] = useState('');
  const { code } = texts();
  return (
    <form
      class="typed"
      onSubmit={(event) => {
        event.preventDefault();
        prepareSound();
        void check(text);
        setText('');
      }}
    >
      <label for="code">{code.label}</label>
      <input
        id="code"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        autocomplete="off"
        autocapitalize="characters"
        autocorrect="off"
        spellcheck={false}
        enterkeyhint="go"
        required
      />
      <button type="submit">{code.check}</button>
    </form>
  );
}

function useVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const look = (): void => setVisible(!document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isVisible;
}

/** The picture of the rear camera; what to do if there is none. */
export function CameraPicture({ onText }: { readonly onText: (text: string) => void }) {
  const video = useRef<HTMLVideoElement>(null);
  const report = useRef(onText);
  report.current = onText;
  const [camera, setCamera] = useState<Camera | CameraFault | null>(null);
  const [attempt, setAttempt] = useState(0);
  const [isLit, setLit] = useState(false);
  const isVisible = useVisible();
  const { camera: text } = texts();
  useEffect(() => {
    // Nobody looks, and phones freeze the picture of a page in the background.
    if (!isVisible) return undefined;
    let left = false;
    let running: Camera | null = null;
    const start = async (): Promise<void> => {
      if (video.current === null) return;
      try {
        running = await startCamera(video.current, (read) => report.current(read));
        if (left) running.stop();
        else setCamera(running);
      } catch (thrown) {
        if (!left) setCamera(thrown instanceof CameraFailed ? thrown.fault : 'missing');
      }
    };
    void start();
    return () => {
      left = true;
      running?.stop();
      setCamera(null);
      setLit(false);
    };
  }, [attempt, isVisible]);
  const fault = typeof camera === 'string' ? camera : null;
  const torch = camera !== null && typeof camera === 'object' ? camera.torch : null;
  return (
    <section class="camera" aria-label={text.label}>
      <video ref={video} muted playsInline hidden={fault !== null} />
      {fault !== null && (
        <div class="fault">
          <p>{text[fault]}</p>
          <button type="button" onClick={() => restart()}>
            {text.retry}
          </button>
        </div>
      )}
      {fault === null && <p class="hint">{camera === null ? text.starting : text.hint}</p>}
      {torch !== null && (
        <button
          type="button"
          class="light"
          aria-pressed={isLit}
          onClick={() => void torch(!isLit).then(() => setLit(!isLit))}
        >
          {text.light}
        </button>
      )}
    </section>
  );

  function restart(): void {
    setCamera(null);
    setAttempt(attempt + 1);
  }
}
