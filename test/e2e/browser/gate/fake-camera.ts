import { writeFileSync } from 'node:fs';
import { matrixOf, QUIET_ZONE } from '../../../../src/vouchers/qr-modules.ts';

const WIDTH = 640;
const HEIGHT = 480;
/** Brightness of the wall behind the code, of paper and of ink: no picture of a camera is black and white. */
const [WALL, PAPER, INK] = [96, 225, 35];
const FRAMES = 4;

/** Arguments of chromium: its camera shows the frames of a file, again and again, and no question appears. */
export function cameraArguments(file: string): readonly string[] {
  return [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${file}`,
  ];
}

/**
 * Writes what the camera sees from its next start on: a QR code with this text on paper, or an empty wall for null. The file is a
 * YUV4MPEG2 stream with 4:2:0 planes.
 */
export function showToCamera(file: string, text: string | null): void {
  const luma = new Uint8Array(WIDTH * HEIGHT).fill(WALL);
  if (text !== null) drawCode(luma, text);
  const chroma = new Uint8Array((WIDTH * HEIGHT) / 2).fill(128);
  const frame = [Buffer.from('FRAME\n'), Buffer.from(luma), Buffer.from(chroma)];
  const frames = Array.from({ length: FRAMES }, () => frame).flat();
  writeFileSync(
    file,
    Buffer.concat([Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F15:1 Ip A1:1 C420jpeg\n`), ...frames]),
  );
}

function drawCode(luma: Uint8Array, text: string): void {
  const { size, dark } = matrixOf(text);
  const modules = size + 2 * QUIET_ZONE;
  const scale = Math.floor((HEIGHT - 20) / modules);
  const [left, top] = [(WIDTH - modules * scale) >> 1, (HEIGHT - modules * scale) >> 1];
  for (let y = 0; y < modules * scale; y++)
    for (let x = 0; x < modules * scale; x++) {
      const [row, column] = [Math.floor(y / scale) - QUIET_ZONE, Math.floor(x / scale) - QUIET_ZONE];
      const isInside = row >= 0 && column >= 0 && row < size && column < size;
      luma[(top + y) * WIDTH + left + x] = isInside && dark[row * size + column] === 1 ? INK : PAPER;
    }
}
