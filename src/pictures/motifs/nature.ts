import { mix } from '../colours.ts';
import type { Canvas } from '../landscape.ts';
import { at, circle, ellipse, line, path, rect, repeat, turned } from '../shapes.ts';
import type { Motif } from './culture.ts';

/** Animals, and people's ways through nature. Each motif stands on 0,0 and is about 400 high. */

export const elephants: Motif = ({ palette }) => {
  const { near, dark, light } = palette;
  const elephant = (skin: string): string => {
    const shade = mix(skin, dark, 0.25);
    const legs =
      rect(-150, -130, 58, 130, shade, 20) +
      rect(70, -130, 58, 130, shade, 20) +
      rect(-104, -130, 62, 132, skin, 20) +
      rect(22, -130, 62, 132, skin, 20);
    const body = path(
      'M-176 -150C-190 -262 -90 -306 10 -296C110 -290 150 -240 146 -150C146 -96 90 -92 10 -92S-170 -92 -176 -150Z',
      skin,
    );
    const head = path(
      'M110 -300C180 -330 254 -288 250 -212C248 -170 262 -110 246 -66C238 -40 262 -32 276 -50L290 -38C268 -2 212 -10 212 -62C212 -104 202 -132 178 -150C130 -150 92 -210 110 -300Z',
      skin,
    );
    const ear = path('M96 -286C50 -300 30 -236 60 -186C84 -150 136 -172 140 -218C142 -256 130 -280 96 -286Z', shade);
    const tail = line('M-174 -210q-34 40 -22 96', shade, 9);
    return (
      tail +
      legs +
      body +
      head +
      ear +
      circle(198, -246, 7, dark) +
      path('M196 -158C214 -132 240 -128 256 -138C242 -114 206 -116 190 -146Z', light)
    );
  };
  const skin = mix(mix(dark, light, 0.42), near, 0.2);
  return at(-60, 0, 1, elephant(skin)) + at(290, 6, 0.48, elephant(mix(skin, light, 0.1)), true);
};

export const giraffes: Motif = ({ palette }) => {
  const { second, dark, accent } = palette;
  const giraffe = (): string => {
    const coat = mix(second, dark, 0.06);
    const spot = mix(accent, dark, 0.35);
    const legs = [-78, -52, 44, 68].map((x) => rect(x, -150, 20, 150, mix(coat, dark, 0.15), 8)).join('');
    const body = path(
      'M-96 -160C-104 -232 -20 -244 62 -250L104 -420L152 -412L112 -216C106 -160 60 -134 0 -134S-90 -134 -96 -160Z',
      coat,
    );
    const head =
      path('M98 -424C104 -460 150 -460 166 -440L214 -408C216 -390 190 -386 172 -394L140 -394Z', coat) +
      line('M120 -452V-484M142 -452V-484', coat, 8) +
      circle(120, -486, 7, dark) +
      circle(142, -486, 7, dark) +
      circle(150, -430, 5, dark);
    const spots = [
      [-60, -190],
      [-22, -212],
      [16, -186],
      [52, -220],
      [86, -262],
      [100, -316],
      [114, -370],
      [-36, -164],
      [64, -176],
    ]
      .map(([x = 0, y = 0]) => ellipse(x, y, 15, 12, spot))
      .join('');
    return legs + body + spots + head;
  };
  return at(-120, 0, 1, giraffe()) + at(210, 4, 0.76, giraffe(), true);
};

export const bird: Motif = ({ palette }) => {
  const { accent, second, dark, light, near, water } = palette;
  const branch =
    line('M-460 -110C-260 -150 -60 -120 420 -176', mix(dark, accent, 0.2), 26) +
    repeat(6, (index) =>
      at(
        -380 + index * 150,
        -130 - index * 4,
        1,
        turned(-50 + (index % 3) * 40, path('M0 0C30 -34 90 -34 130 0C90 26 30 26 0 0Z', near)),
      ),
    );
  const body =
    path('M-40 -150C-120 -220 -90 -340 20 -372C96 -380 130 -320 96 -262C70 -214 30 -170 -40 -150Z', water) +
    path('M-36 -152C-120 -120 -190 -60 -236 30C-160 10 -70 -60 -6 -170Z', mix(water, dark, 0.35)) +
    path('M-50 -176C-86 -240 -40 -310 40 -316C50 -250 20 -196 -50 -176Z', mix(water, dark, 0.25)) +
    path('M40 -210C80 -230 104 -266 100 -300C70 -270 40 -250 20 -204Z', light);
  const head =
    circle(58, -334, 52, water) +
    path('M94 -366C170 -372 206 -326 204 -280C180 -310 140 -312 98 -316Z', second) +
    path('M70 -382C110 -420 160 -404 176 -366C140 -378 108 -372 84 -364Z', accent) +
    circle(74, -344, 13, light) +
    circle(76, -344, 7, dark);
  return branch + body + head + line('M-10 -158v22M16 -164v22', accent, 9);
};

export const butterflies: Motif = ({ palette, random }) => {
  const { accent, second, dark, light, water } = palette;
  const butterfly = (colour: string): string => {
    const wing =
      path('M0 0C20 -120 130 -160 170 -100C186 -50 110 -10 0 0C90 10 130 60 100 100C60 130 10 70 0 0Z', colour) +
      path('M26 -26C50 -90 110 -116 138 -88C140 -54 90 -34 26 -26Z', mix(colour, light, 0.45)) +
      circle(76, 60, 15, mix(colour, light, 0.55));
    return (
      wing +
      at(0, 0, 1, wing, true) +
      ellipse(0, 0, 8, 56, dark) +
      line('M0 -50q-12 -34 -34 -42M0 -50q12 -34 34 -42', dark, 4)
    );
  };
  return (
    at(-40, -260, 1.35, turned(-14, butterfly(accent))) +
    at(-330, -130, 0.7, turned(18, butterfly(second))) +
    at(300, -140, 0.8, turned(random.between(8, 30), butterfly(water)))
  );
};

/** A boat with a long tail and an awning. */
export const longtail: Motif = ({ palette }) => {
  const { accent, second, light, dark } = palette;
  const hull =
    path(
      'M-360 -96C-240 -60 140 -56 250 -84C310 -104 350 -160 366 -220L384 -214C380 -130 340 -40 260 -14C150 14 -200 14 -300 -14Z',
      mix(accent, dark, 0.3),
    ) + path('M-352 -92C-240 -56 140 -52 252 -80L262 -56C150 -30 -220 -30 -336 -66Z', second);
  const awning =
    rect(-230, -206, 330, 20, light, 8) +
    [-214, -80, 74].map((x) => rect(x, -190, 8, 120, mix(light, dark, 0.4))).join('');
  const ribbons = line('M366 -206l20 54M366 -206l4 62M366 -206l-14 60', accent, 9) + circle(370, -204, 13, second);
  return ellipse(0, 18, 380, 18, dark, 0.25) + awning + hull + ribbons + line('M-350 -90L-470 -10', dark, 8);
};

/** A kayak with its paddle. */
export const kayak: Motif = ({ palette }) => {
  const { accent, second, light, dark } = palette;
  const boat = (hull: string): string =>
    path('M-260 -60C-130 -20 130 -20 260 -60C200 14 -200 14 -260 -60Z', hull) +
    ellipse(0, -36, 66, 14, dark, 0.7) +
    path('M-34 -40C-40 -110 -24 -140 4 -142C34 -140 44 -110 36 -40Z', light) +
    circle(4, -168, 28, mix(second, dark, 0.35)) +
    line('M-150 -150L160 -60', mix(second, dark, 0.4), 9) +
    at(-156, -152, 1, turned(16, ellipse(0, 0, 42, 15, second))) +
    at(166, -58, 1, turned(16, ellipse(0, 0, 42, 15, second)));
  return ellipse(-60, 16, 300, 14, dark, 0.2) + at(-90, 0, 1.1, boat(accent)) + at(280, -70, 0.55, boat(second), true);
};

/** A raft in white water. */
export const raft: Motif = (canvas) => {
  const { accent, second, light, dark } = canvas.palette;
  const waves = repeat(4, (index) =>
    line(
      `M-520 ${-20 + index * 34}q65 -46 130 0t130 0t130 0t130 0t130 0t130 0t130 0t130 0`,
      light,
      13,
      0.55 - index * 0.08,
    ),
  );
  const people = repeat(
    4,
    (index) =>
      circle(-150 + index * 100, -196 - (index % 2) * 14, 26, index % 2 === 0 ? second : accent) +
      path(
        `M${-186 + index * 100} -90C${-186 + index * 100} -150 ${-170 + index * 100} -168 ${-150 + index * 100} -168S${-114 + index * 100} -150 ${-114 + index * 100} -90Z`,
        index % 2 === 0 ? accent : second,
      ) +
      line(`M${-150 + index * 100} -140l${index < 2 ? -80 : 80} 90`, dark, 9),
  );
  const boat =
    path(
      'M-290 -120C-260 -76 260 -76 290 -120C330 -110 330 -40 250 -20C120 6 -120 6 -250 -20C-330 -40 -330 -110 -290 -120Z',
      accent,
    ) + line('M-284 -74C-200 -44 200 -44 284 -74', light, 11, 0.8);
  return people + turned(-4, boat) + waves;
};

/** Treetops with a rope and a rider. */
export const zipline: Motif = ({ palette, random }) => {
  const { accent, second, near, dark, light } = palette;
  const tree = (x: number, height: number): string =>
    rect(x - 18, -height, 36, height + 40, mix(dark, accent, 0.12), 8) +
    repeat(5, (index) =>
      circle(
        x - 90 + index * 45,
        -height - 20 - (index % 2) * 40,
        random.between(58, 84),
        mix(near, dark, 0.1 + index * 0.07),
      ),
    );
  const platform = (x: number, height: number): string =>
    rect(x - 70, -height + 110, 140, 16, mix(second, dark, 0.4), 4) +
    rect(x - 64, -height + 66, 6, 46, mix(second, dark, 0.4)) +
    rect(x + 58, -height + 66, 6, 46, mix(second, dark, 0.4));
  const rope = line('M-480 -330Q0 -220 480 -270', dark, 5);
  const skin = mix(second, light, 0.35);
  const harness = line('M0 -4L-22 96M0 -4L22 96', dark, 4);
  const limbs =
    line('M-16 92L-34 40L-6 -2M18 92L34 40L6 -2', skin, 13) +
    line('M-10 160L-4 196L-44 236M12 160L36 190L22 238', mix(dark, light, 0.18), 19);
  const body = path('M-28 84C-14 74 16 74 30 84L26 166H-22Z', accent);
  const head = circle(0, 50, 25, skin) + path('M-29 48C-30 14 30 14 29 48Z', second);
  const rider = harness + limbs + body + head + circle(0, -6, 11, light);
  return tree(-430, 330) + tree(450, 270) + platform(-430, 430) + platform(450, 370) + rope + at(0, -262, 1, rider);
};

/** A path that winds up to a flag, beside a tent. */
export const trail: Motif = ({ palette }) => {
  const { accent, second, light, dark, near } = palette;
  const peak =
    path('M-420 10C-260 -120 -120 -330 20 -400C120 -330 280 -120 440 10Z', mix(near, dark, 0.2)) +
    path('M20 -400C80 -358 150 -280 206 -206C150 -236 120 -250 84 -234C52 -286 36 -344 20 -400Z', light, 0.25);
  const way = line('M-120 10C120 -30 -120 -110 60 -160C170 -200 -30 -250 20 -380', mix(second, light, 0.3), 13);
  const flag = line('M20 -400V-490', light, 7) + path('M22 -490L100 -466L22 -440Z', accent);
  const tent =
    path('M-110 0L0 -140L110 0Z', accent) +
    path('M0 -140L26 0H-22Z', dark, 0.6) +
    path('M0 -140L110 0L150 -14L30 -140Z', mix(accent, dark, 0.3));
  return (
    peak +
    way +
    flag +
    at(250, 26, 0.9, tent) +
    at(-320, 20, 0.7, pine(near, dark)) +
    at(-400, 26, 0.9, pine(near, dark))
  );
};

function pine(near: string, dark: string): string {
  return (
    rect(-10, -50, 20, 50, dark) +
    repeat(3, (index) =>
      path(
        `M${-80 + index * 18} ${-40 - index * 56}L0 ${-160 - index * 56}L${80 - index * 18} ${-40 - index * 56}Z`,
        mix(near, dark, 0.35 - index * 0.1),
      ),
    )
  );
}

/** A beam of light into a cave, with a rope. */
export const cave: Motif = ({ palette }: Canvas) => {
  const { dark, second, light, near, accent } = palette;
  const rock = path(
    'M-1100 120V-760H1100V120H560C500 60 470 -20 480 -150C490 -330 330 -470 60 -480C-220 -490 -420 -360 -440 -180C-450 -40 -480 60 -560 120Z',
    mix(dark, near, 0.12),
  );
  const beam = path('M-40 -480L130 -480L300 60H-210Z', light, 0.28) + path('M10 -480L90 -480L180 60H-80Z', light, 0.3);
  const rope =
    line('M46 -520V-130', second, 6) +
    circle(46, -150, 20, second) +
    path('M22 -126C34 -134 60 -134 70 -126L66 -60L80 0H58L46 -44L34 0H12L26 -60Z', accent);
  const ferns = repeat(9, (index) =>
    at(
      -320 + index * 82,
      40,
      0.6,
      turned(-120 + (index % 4) * 20, path('M0 0C50 -34 120 -30 170 0C120 24 50 26 0 0Z', near)),
    ),
  );
  return beam + rope + rock + ferns;
};

/** A bicycle on a path. */
export const bicycle: Motif = ({ palette }) => {
  const { accent, second, dark, light } = palette;
  const wheel = (x: number): string =>
    `<circle cx="${x}" cy="-100" r="96" fill="none" stroke="${dark}" stroke-width="12"/>` +
    repeat(6, (index) =>
      line(
        `M${x} -100l${Math.round(90 * Math.cos(index * 1.05))} ${Math.round(90 * Math.sin(index * 1.05))}`,
        light,
        3,
        0.7,
      ),
    ) +
    circle(x, -100, 12, dark);
  const frame =
    line('M-170 -100L-80 -260L120 -260L170 -100M-170 -100L10 -100L120 -260M10 -100L-96 -290', accent, 15) +
    line('M-140 -296H-56', dark, 18) +
    line('M120 -260L108 -318L160 -336', dark, 13) +
    circle(10, -100, 24, second);
  const basket =
    path('M140 -300H250L236 -214H154Z', mix(second, dark, 0.2)) +
    repeat(3, (index) => circle(166 + index * 30, -306, 21, [accent, light, second][index] ?? light));
  return wheel(-170) + wheel(170) + frame + basket;
};
