import { mix } from '../colours.ts';
import type { Canvas } from '../landscape.ts';
import { at, circle, ellipse, line, path, rect, repeat, turned } from '../shapes.ts';
import type { Motif } from './culture.ts';

/** What stands on a table: food, drinks, and what a spa uses. Each motif stands on 0,0 and is about 400 high. */

function steam({ palette, random }: Canvas, y: number): string {
  return repeat(3, (index) => {
    const x = -60 + index * 60;
    const bend = random.between(20, 34);
    return line(`M${x} ${y}c${-bend} -30 ${bend} -60 0 -92s${bend * 0.8} -50 0 -74`, palette.light, 9, 0.4);
  });
}

/** A bowl of noodles with chopsticks. */
export const bowl: Motif = (canvas) => {
  const { accent, second, light, dark, near } = canvas.palette;
  const sticks = line('M60 -214L330 -330M84 -190L352 -290', mix(second, dark, 0.45), 13);
  const food =
    ellipse(0, -196, 216, 46, mix(second, light, 0.35)) +
    repeat(5, (index) => line(`M${-150 + index * 52} -206q34 -34 70 0t70 6`, mix(second, light, 0.65), 9)) +
    ellipse(-84, -214, 46, 26, light) +
    circle(-84, -216, 17, second) +
    at(
      76,
      -214,
      1,
      turned(-20, ellipse(0, 0, 54, 15, near)) + turned(20, ellipse(16, -10, 46, 13, mix(near, light, 0.25))),
    );
  const dish =
    path('M-236 -198C-226 -80 -130 -22 -70 -14H70C130 -22 226 -80 236 -198C150 -150 -150 -150 -236 -198Z', accent) +
    path('M-222 -150C-150 -112 150 -112 222 -150L214 -124C140 -88 -140 -88 -214 -124Z', light, 0.75) +
    rect(-84, -18, 168, 20, mix(accent, dark, 0.35), 6);
  return steam(canvas, -250) + food + dish + sticks;
};

/** A fish on a plate with lime and herbs. */
export const fishPlate: Motif = (canvas) => {
  const { accent, second, light, near, dark, water } = canvas.palette;
  const plate =
    ellipse(0, -56, 380, 104, mix(light, dark, 0.22)) +
    ellipse(0, -66, 370, 98, light) +
    ellipse(0, -70, 300, 72, mix(light, water, 0.25));
  const leaf = ellipse(10, -76, 270, 54, near);
  const fish =
    path(
      'M-210 -92C-120 -176 90 -176 176 -96L262 -150C246 -110 246 -80 262 -44L176 -88C90 -28 -120 -28 -210 -92Z',
      accent,
    ) +
    path('M-110 -140q26 46 0 92M-40 -152q28 58 0 116M30 -150q26 56 0 108', mix(accent, dark, 0.3)) +
    circle(-158, -104, 11, light) +
    circle(-160, -104, 5, dark);
  const lime = (x: number, y: number): string =>
    circle(x, y, 36, near) +
    circle(x, y, 29, mix(second, light, 0.55)) +
    line(`M${x - 22} ${y}h44M${x - 12} ${y - 18}l24 36M${x + 12} ${y - 18}l-24 36`, mix(near, light, 0.5), 4);
  return steam(canvas, -180) + plate + leaf + fish + lime(-276, -76) + lime(292, -56);
};

/** A candle and two glasses. */
export const candleTable: Motif = ({ palette }) => {
  const { accent, second, light, dark } = palette;
  const glass =
    path('M-52 -336C-60 -246 -40 -206 0 -198C40 -206 60 -246 52 -336Z', light, 0.4) +
    path('M-54 -290C-52 -236 -36 -208 0 -200C36 -208 52 -236 54 -290Z', accent, 0.9) +
    line('M0 -200V-60', light, 8, 0.7) +
    ellipse(0, -54, 46, 10, light, 0.6);
  const flame =
    circle(0, -250, 120, second, 0.16) +
    circle(0, -246, 64, second, 0.24) +
    path('M0 -306C34 -262 24 -226 0 -222C-24 -226 -34 -262 0 -306Z', second) +
    path('M0 -270C14 -250 10 -232 0 -228C-10 -232 -14 -250 0 -270Z', light);
  const candle =
    flame + rect(-30, -218, 60, 166, mix(light, second, 0.2), 8) + ellipse(0, -52, 80, 16, mix(second, dark, 0.3));
  return rect(-460, -54, 920, 60, mix(light, dark, 0.25), 10) + candle + at(-210, 0, 1, glass) + at(210, 0, 1, glass);
};

/** A pan on the fire, with herbs and chillies. */
export const cooking: Motif = (canvas) => {
  const { accent, second, light, near, dark } = canvas.palette;
  const metal = mix(dark, light, 0.12);
  const food =
    ellipse(0, -196, 196, 36, mix(second, accent, 0.25)) +
    repeat(7, (index) =>
      ellipse(-140 + index * 46, -204 + (index % 3) * 12, 26, 13, [near, light, accent][index % 3] ?? near),
    );
  const pan =
    path('M-240 -196C-210 -90 -100 -66 0 -66S210 -90 240 -196C160 -162 -160 -162 -240 -196Z', metal) +
    line('M232 -184L396 -232', metal, 22) +
    line('M-236 -190q-46 -10 -44 26', metal, 14);
  const fire = repeat(5, (index) =>
    path(
      `M${-110 + index * 50} -8C${-134 + index * 50} -36 ${-104 + index * 50} -44 ${-104 + index * 50} -76C${-80 + index * 50} -50 ${-72 + index * 50} -26 ${-92 + index * 50} -8Z`,
      index % 2 === 0 ? accent : second,
    ),
  );
  const chilli = (x: number, turn: number): string =>
    at(
      x,
      -26,
      1,
      turned(
        turn,
        path('M-60 0C-30 -24 30 -22 66 10C26 22 -28 22 -60 0Z', accent) + line('M-60 0q-18 -4 -24 -20', near, 8),
      ),
    );
  return (
    rect(-460, -14, 920, 26, mix(second, dark, 0.5), 8) +
    fire +
    steam(canvas, -240) +
    food +
    pan +
    chilli(-330, -12) +
    chilli(340, 16)
  );
};

/** A teapot and two cups. */
export const tea: Motif = (canvas) => {
  const { accent, second, light, dark, water } = canvas.palette;
  const pot =
    path('M-130 -40C-190 -120 -150 -230 0 -236C150 -230 190 -120 130 -40Z', water) +
    path('M132 -190C210 -200 216 -140 262 -216L286 -200C262 -120 226 -76 142 -92Z', water) +
    line('M-140 -190c-110 -30 -120 130 -6 116', water, 22) +
    rect(-70, -250, 140, 22, mix(water, dark, 0.3), 10) +
    circle(0, -264, 18, second) +
    rect(-110, -44, 220, 22, mix(water, dark, 0.3), 6);
  const blossom = at(0, -136, 0.9, flower(light, second));
  const cup =
    path('M-64 -96H64C64 -50 40 -24 0 -24S-64 -50 -64 -96Z', light) +
    ellipse(0, -96, 64, 14, mix(second, accent, 0.3)) +
    ellipse(0, -18, 88, 13, mix(light, dark, 0.18));
  return (
    rect(-480, -12, 960, 26, mix(second, dark, 0.45), 8) +
    steam(canvas, -290) +
    pot +
    blossom +
    at(-330, 0, 1, cup) +
    at(370, 0, 0.9, cup)
  );
};

/** A blossom with five petals around 0,0. */
export function flower(petal: string, heart: string): string {
  return (
    repeat(5, (index) => turned(index * 72, path('M0 0C-44 -30 -34 -86 4 -92C40 -82 40 -30 0 0Z', petal))) +
    circle(0, 0, 18, heart)
  );
}

/** Smooth stones, a candle and blossoms. */
export const stones: Motif = ({ palette }) => {
  const { accent, second, light, dark, near } = palette;
  const stone = mix(dark, light, 0.22);
  const pile =
    ellipse(0, -44, 170, 48, stone) +
    ellipse(8, -118, 132, 42, mix(stone, light, 0.14)) +
    ellipse(-6, -186, 96, 36, stone) +
    ellipse(4, -242, 62, 28, mix(stone, light, 0.2));
  const candle =
    circle(0, -188, 84, second, 0.2) +
    path('M0 -226C22 -196 16 -172 0 -170C-16 -172 -22 -196 0 -226Z', second) +
    rect(-44, -166, 88, 160, mix(light, second, 0.18), 10);
  const leaf = (turn: number): string =>
    turned(turn, path('M0 0C50 -40 130 -40 190 0C130 34 50 34 0 0Z', near) + line('M0 0H180', mix(near, dark, 0.3), 4));
  return (
    at(-150, -20, 1, leaf(-160)) +
    at(160, -20, 1, leaf(-18) + leaf(12)) +
    at(-300, 0, 0.9, candle) +
    pile +
    at(190, -66, 0.95, flower(light, second)) +
    at(300, -36, 0.7, flower(mix(accent, light, 0.55), second)) +
    at(0, -292, 0.5, flower(mix(accent, light, 0.4), second))
  );
};

/** A bath with petals. */
export const bath: Motif = (canvas) => {
  const { accent, second, light, dark, water } = canvas.palette;
  const { random } = canvas;
  const petals = repeat(13, (index) =>
    at(
      -250 + index * 42,
      -214 + random.between(-26, 26),
      random.between(0.2, 0.36),
      flower(index % 2 === 0 ? mix(accent, light, 0.35) : light, second),
    ),
  );
  const tub =
    path(
      'M-370 -220C-356 -90 -280 -12 -170 -6H170C280 -12 356 -90 370 -220C250 -160 -250 -160 -370 -220Z',
      mix(second, dark, 0.5),
    ) + path('M-362 -176C-240 -116 240 -116 362 -176L352 -142C230 -86 -230 -86 -352 -142Z', mix(second, dark, 0.32));
  return (
    ellipse(0, -220, 372, 62, mix(second, dark, 0.3)) +
    ellipse(0, -216, 340, 48, mix(water, light, 0.35)) +
    petals +
    tub +
    steam(canvas, -280)
  );
};

/** A herbal compress and oil. */
export const herbs: Motif = ({ palette }) => {
  const { accent, second, light, dark, near } = palette;
  const compress = (tilt: number): string =>
    turned(
      tilt,
      path('M-78 -70C-96 10 96 10 78 -70C56 -116 20 -130 14 -160H-14C-20 -130 -56 -116 -78 -70Z', light) +
        path('M-14 -160L-34 -214H34L14 -160Z', mix(light, second, 0.3)) +
        rect(-20, -172, 40, 16, accent, 6),
    );
  const bottle =
    rect(-40, -150, 80, 146, mix(second, accent, 0.3), 14) +
    rect(-16, -206, 32, 60, mix(second, accent, 0.3), 4) +
    rect(-22, -226, 44, 26, dark, 6) +
    rect(-40, -110, 80, 56, light, 2, 0.85);
  const mortar =
    path('M-120 -150H120C116 -60 70 -20 40 -14V0H-40V-14C-70 -20 -116 -60 -120 -150Z', mix(dark, light, 0.3)) +
    ellipse(0, -150, 120, 24, near) +
    line('M30 -160L110 -290', mix(dark, light, 0.45), 26);
  const leaf = (turn: number): string => turned(turn, path('M0 0C40 -34 110 -34 160 0C110 28 40 28 0 0Z', near));
  return (
    at(-60, -10, 1, leaf(-172) + leaf(-150)) +
    mortar +
    at(-270, -8, 1, compress(-16)) +
    at(250, 0, 1, bottle) +
    at(340, -20, 0.6, flower(mix(accent, light, 0.5), second)) +
    at(-380, -20, 0.5, flower(light, second))
  );
};
