import { useState } from 'preact/hooks';
import { LANGUAGES } from '../../domain/activity/vocabulary.ts';
import { signOut } from './queue.ts';
import { prepareSound, signalTone } from './signals.ts';
import { changeSettings, device, queue, settings } from './state.ts';
import { TEXTS } from './texts/all.ts';
import { texts } from './texts.ts';

export function MoreView() {
  const text = texts();
  const { sound, vibration } = settings.value;
  return (
    <div class="more">
      <LanguageChoice />
      <Switch
        label={text.settings.sound}
        on={sound}
        change={(on) => {
          prepareSound();
          void changeSettings({ sound: on }).then(() => signalTone('admit'));
        }}
      />
      <Switch
        label={text.settings.vibration}
        on={vibration}
        change={(on) => void changeSettings({ vibration: on }).then(() => signalTone('admit'))}
      />
      <p class="soft">{text.settings.install}</p>
      <p>
        {device.value?.venueName}
        <br />
        {device.value?.deviceName}
      </p>
      <SignOut />
    </div>
  );
}

export function LanguageChoice() {
  const { settings: text } = texts();
  return (
    <p class="field">
      <label for="language">{text.language}</label>
      <select
        id="language"
        value={settings.value.language}
        onChange={({ currentTarget }) => {
          const language = LANGUAGES.find((each) => each === currentTarget.value);
          if (language !== undefined) void changeSettings({ language });
        }}
      >
        {LANGUAGES.map((language) => (
          <option key={language} value={language} lang={language}>
            {TEXTS[language].name}
          </option>
        ))}
      </select>
    </p>
  );
}

function Switch(props: { readonly label: string; readonly on: boolean; readonly change: (on: boolean) => void }) {
  return (
    <label class="switch">
      <input type="checkbox" checked={props.on} onChange={({ currentTarget }) => props.change(currentTarget.checked)} />
      <span>{props.label}</span>
    </label>
  );
}

function SignOut() {
  const [asks, setAsks] = useState(false);
  const { settings: text } = texts();
  const count = queue.value.length;
  if (!asks)
    return (
      <button type="button" onClick={() => (count > 0 ? setAsks(true) : void signOut())}>
        {text.signOut}
      </button>
    );
  return (
    <div class="warning" role="alert">
      <p>{text.signOutLoses(count)}</p>
      <button type="button" class="main" onClick={() => setAsks(false)}>
        {text.stay}
      </button>
      <button type="button" onClick={() => void signOut()}>
        {text.signOutAnyway}
      </button>
    </div>
  );
}
