/** Other names of commands, most of them of earlier versions. They still work; help, completion and manual list the new ones. */
const aliases: readonly (readonly [old: readonly string[], now: readonly string[]])[] = [
  [['mutes'], ['mute', 'list']],
  [['unmute'], ['mute', 'off']],
  [
    ['pair', 'list'],
    ['remote', 'list'],
  ],
  [
    ['pair', 'revoke'],
    ['remote', 'revoke'],
  ],
  [['pair'], ['remote', 'pair']],
  [['listen'], ['remote', 'listen']],
  [['metrics'], ['daemon', 'metrics']],
  [['replay'], ['route', 'replay']],
  [
    ['slack', 'manifest'],
    ['channel', 'manifest'],
  ],
  [['session'], ['service', 'sessions']],
  [['message'], ['service', 'messages']],
  [['computers'], ['service', 'computers']],
  [['users'], ['service', 'users']],
  [['limits'], ['service', 'limits']],
  [['usage'], ['service', 'usage']],
  [['budget'], ['service', 'budget']],
  [['digest'], ['service', 'digest']],
  [['readiness'], ['service', 'readiness']],
  [['controls'], ['service', 'controls']],
  [['api'], ['service', 'api']],
];

/**
 * Replaces an old name of a command with the present one.
 *
 * @param words the words of the command line, without the program's name; options of the program may stand before the command
 * @returns the words to parse; the given words if the command is not an alias
 */
export function expandAlias(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !word.startsWith('-') && word !== 'help');
  if (at < 0) return words;
  if (words[at] === 'sessions' && words.includes('--remote')) {
    const others = words.slice(at + 1).filter((word) => word !== '--remote');
    return [...words.slice(0, at), 'service', 'sessions', 'list', ...others];
  }
  const found = aliases.find(([old]) => old.every((word, index) => words[at + index] === word));
  if (found === undefined) return words;
  const [old, now] = found;
  return [...words.slice(0, at), ...now, ...words.slice(at + old.length)];
}
