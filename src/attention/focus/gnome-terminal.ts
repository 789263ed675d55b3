import { busSteps, type Focus } from './step.ts';

const activateResult = {
  service: 'org.gnome.Terminal',
  object: '/org/gnome/Terminal/SearchProvider',
  interface: 'org.gnome.Shell.SearchProvider2',
  name: 'ActivateResult',
};

/**
 * As if the tab had been chosen among the results of the desktop's search, the only way GNOME Terminal offers:
 * https://developer.gnome.org/documentation/tutorials/search-provider.html
 */
export const gnomeTerminal: Focus = ({ facts }) => {
  const [, screen] =
    /^\/org\/gnome\/Terminal\/screen\/([\da-f]{8}(?:_[\da-f]{4}){3}_[\da-f]{12})$/.exec(
      facts.gnome_terminal_screen ?? '',
    ) ?? [];
  // GNOME Terminal sets no TERM_PROGRAM; a terminal that does is another one, which inherited the variable.
  if (screen === undefined || facts.term_program !== undefined) return [];
  const id = screen.replaceAll('_', '-');
  return busSteps(activateResult, {
    busctl: ['sasu', id, '0', '0'],
    gdbus: [`'${id}'`, '@as []', 'uint32 0'],
  });
};
