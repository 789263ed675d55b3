import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * For tests that need a program of the system: the reason to skip when it is missing, or false.
 * With HOOKBELL_REQUIRE_SYSTEM=1 (as in CI) a missing part is an error instead.
 *
 * @example test('dunst shows it', { skip: needs('dunst') }, async () => {})
 */
export function needs(...programs: readonly string[]): string | false {
  const missing = programs.filter((program) => !isExecutable(program));
  if (missing.length === 0) return false;
  const reason = `needs ${missing.join(', ')} on PATH`;
  if (process.env['HOOKBELL_REQUIRE_SYSTEM'] === '1') throw new Error(`This test ${reason}`);
  return reason;
}

function isExecutable(program: string): boolean {
  const places = program.includes('/') ? [''] : (process.env['PATH'] ?? '').split(delimiter);
  return places.some((place) => {
    try {
      accessSync(join(place, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
