import { settings } from './state.ts';
import type { Tone } from './verdict.ts';

/** Hz and ms of each tone: two rising ones, two level ones, one long low one. They differ without looking. */
const TONES: Readonly<Record<Tone, readonly (readonly [number, number])[]>> = {
  admit: [
    [660, 110],
    [990, 180],
  ],
  check: [
    [520, 150],
    [520, 150],
  ],
  refuse: [[180, 600]],
};
const VIBRATIONS: Readonly<Record<Tone, readonly number[]>> = {
  admit: [80],
  check: [80, 80, 80],
  refuse: [400],
};
const VOLUME = 0.35;
const PAUSE_MS = 40;

let context: AudioContext | null = null;

/** Browsers allow sound only after a touch: call it in the first one. */
export function prepareSound(): void {
  if (context === null && 'AudioContext' in globalThis) context = new AudioContext();
  if (context?.state === 'suspended') void context.resume();
}

/** Says the tone of a verdict by sound and vibration, as far as the settings and the phone allow. */
export function signalTone(tone: Tone): void {
  if (settings.value.vibration) navigator.vibrate?.([...VIBRATIONS[tone]]);
  if (!settings.value.sound || context?.state !== 'running') return;
  let at = context.currentTime;
  for (const [hertz, ms] of TONES[tone]) {
    const oscillator = new OscillatorNode(context, { type: 'square', frequency: hertz });
    const gain = new GainNode(context, { gain: VOLUME });
    oscillator.connect(gain).connect(context.destination);
    oscillator.start(at);
    oscillator.stop(at + ms / 1000);
    at += (ms + PAUSE_MS) / 1000;
  }
}
