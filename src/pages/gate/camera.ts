import type { FromDecoder, ToDecoder } from './decoder.ts';

/** Longer side of the frames that are searched, in pixels: a voucher's QR code has 57 modules or fewer. */
const FRAME_SIZE = 960;

export type CameraFault = 'refused' | 'missing';

/** A running camera that reports the texts of QR codes. */
export type Camera = {
  /** Null if the camera has no light. */
  readonly torch: ((on: boolean) => Promise<void>) | null;
  stop(): void;
};

/**
 * Shows the rear camera in the video element and searches each frame, one at a time.
 * @throws CameraFailed
 */
export async function startCamera(video: HTMLVideoElement, onText: (text: string) => void): Promise<Camera> {
  const stream = await openStream();
  const decoder = openDecoder();
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    decoder.terminate();
    for (const track of stream.getTracks()) track.stop();
    video.srcObject = null;
  };
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const search = (): void => {
    if (stopped || context === null) return;
    const { videoWidth: width, videoHeight: height } = video;
    if (width === 0) {
      setTimeout(search, 100);
      return;
    }
    const scale = Math.min(1, FRAME_SIZE / Math.max(width, height));
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    context.drawImage(video, 0, 0, canvas.width, canvas.height);
    const frame = context.getImageData(0, 0, canvas.width, canvas.height);
    decoder.postMessage({ frame } satisfies ToDecoder, [frame.data.buffer]);
  };
  decoder.addEventListener('message', ({ data: { text } }: MessageEvent<FromDecoder>) => {
    if (stopped) return;
    if (text !== null) onText(text);
    requestAnimationFrame(search);
  });
  video.srcObject = stream;
  try {
    await Promise.all([video.play(), loadModule(decoder)]);
  } catch (thrown) {
    stop();
    throw thrown;
  }
  search();
  return { torch: torchOf(stream), stop };
}

export class CameraFailed extends Error {
  override readonly name = 'CameraFailed';
  readonly fault: CameraFault;

  constructor(fault: CameraFault) {
    super(`the camera is ${fault}`);
    this.fault = fault;
  }
}

async function openStream(): Promise<MediaStream> {
  // Undefined where the page has no TLS.
  const devices = navigator.mediaDevices as MediaDevices | undefined;
  if (devices === undefined) throw new CameraFailed('missing');
  try {
    const size = { width: { ideal: 1280 }, height: { ideal: 720 } };
    return await devices.getUserMedia({ audio: false, video: { facingMode: { ideal: 'environment' }, ...size } });
  } catch (thrown) {
    throw new CameraFailed(thrown instanceof DOMException && thrown.name === 'NotAllowedError' ? 'refused' : 'missing');
  }
}

/** The page names the files of the decoder, because their names change with their content. */
const files = (): DOMStringMap => document.getElementById('gate')?.dataset ?? {};

function openDecoder(): Worker {
  return new Worker(files()['decoder'] ?? '', { type: 'module' });
}

/** @throws TypeError without a network, if the phone does not keep the file yet */
async function loadModule(decoder: Worker): Promise<void> {
  const response = await fetch(files()['wasm'] ?? '');
  decoder.postMessage({ wasm: await response.arrayBuffer() } satisfies ToDecoder);
}

function torchOf(stream: MediaStream): Camera['torch'] {
  const [track] = stream.getVideoTracks();
  const can = track?.getCapabilities?.() as { readonly torch?: boolean } | undefined;
  if (track === undefined || can?.torch !== true) return null;
  // The light is not in the types of the DOM.
  return (on) => track.applyConstraints({ advanced: [{ torch: on } as MediaTrackConstraintSet] });
}
