/** The size of a terminal in characters, and whether it shows colours. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  readonly colours: boolean;
}

/** Light modules around the code, as the standard asks for. */
const QUIET_ZONE = 4;

/** Black on white of the 256 colours, which themes leave alone: light and dark terminals show the same. */
const BLACK_ON_WHITE = '\u001b[38;5;16;48;5;231m';
const RESET = '\u001b[0m';

/**
 * Draws a text as a QR code, two rows of modules in a line of characters; null if the terminal is too small for it, or shows
 * no colours: a scanner may not read an inverted code.
 */
export async function qrCode(text: string, screen: Screen): Promise<string | null> {
  if (!screen.colours) return null;
  // Loaded here: most calls of the command show no code.
  const { encode } = await import('uqr');
  const { data, size } = encode(text, { ecc: 'L', border: QUIET_ZONE });
  if (size > screen.columns || Math.ceil(size / 2) + 1 > screen.rows) return null;
  const lines: string[] = [];
  for (let row = 0; row < size; row += 2) {
    const upper = data[row] ?? [];
    const lower = data[row + 1] ?? [];
    const blocks = upper.map((isDark, column) => block(isDark, lower[column] === true));
    lines.push(`${BLACK_ON_WHITE}${blocks.join('')}${RESET}`);
  }
  return lines.join('\n');
}

function block(upper: boolean, lower: boolean): string {
  if (upper) return lower ? '█' : '▀';
  return lower ? '▄' : ' ';
}
