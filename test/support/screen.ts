import { execa } from 'execa';

import { until } from './hookbell-home.ts';

interface Place {
  readonly x: number;
  readonly y: number;
}

/** DISPLAY, and PATH with ImageMagick's import and xdotool. */
type ScreenEnv = Readonly<Record<string, string | undefined>>;

const WIDTH = 1280;
/** More pixels than letters or an edge of that colour have. */
const FEWEST = 200;

/**
 * The middle of all that a display, 1280 pixels wide, shows in exactly this colour.
 *
 * @param colour such as "#12ff34"
 * @returns null if that is nothing, or too small to click
 */
export async function placeOf(colour: string, env: ScreenEnv): Promise<Place | null> {
  const { stdout: rgb } = await execa('import', ['-window', 'root', '-depth', '8', 'rgb:-'], {
    env,
    extendEnv: false,
    encoding: 'buffer',
  });
  const wanted = Number.parseInt(colour.slice(1), 16);
  let count = 0;
  let [sumX, sumY] = [0, 0];
  for (let index = 0; index + 2 < rgb.length; index += 3) {
    const [red, green, blue] = [rgb[index] ?? 0, rgb[index + 1] ?? 0, rgb[index + 2] ?? 0];
    if (red * 65_536 + green * 256 + blue !== wanted) continue;
    count += 1;
    sumX += (index / 3) % WIDTH;
    sumY += Math.floor(index / 3 / WIDTH);
  }
  return count < FEWEST ? null : { x: Math.round(sumX / count), y: Math.round(sumY / count) };
}

/** Clicks with the left button on the middle of what has this colour, as soon as that is drawn and has come to rest. */
export async function clickOn(colour: string, env: ScreenEnv): Promise<void> {
  let place: Place | null = null;
  await until(async () => {
    const before: Place | null = place;
    place = await placeOf(colour, env);
    return place !== null && place.x === before?.x && place.y === before.y;
  });
  const { x, y } = place ?? { x: 0, y: 0 };
  await execa('xdotool', ['mousemove', String(x), String(y), 'click', '1'], {
    env,
    extendEnv: false,
  });
}
