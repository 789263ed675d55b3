import { busSteps, type Focus } from './step.ts';

/**
 * Selects the tab: https://docs.kde.org/stable5/en/konsole/konsole/scripting.html. The window manager handles the
 * window.
 */
export const konsole: Focus = ({ facts }) => {
  const [service] =
    /^(?::\d+\.\d+|org\.kde\.konsole(?:-\d+)?)$/.exec(facts.konsole_dbus_service ?? '') ?? [];
  const [, session] = /^\/Sessions\/(\d{1,9})$/.exec(facts.konsole_dbus_session ?? '') ?? [];
  const [window] = /^\/Windows\/\d{1,9}$/.exec(facts.konsole_dbus_window ?? '') ?? [];
  if (service === undefined || session === undefined || window === undefined) return [];
  // Konsole sets no TERM_PROGRAM; a terminal that does is another one, which inherited the variables.
  if (facts.term_program !== undefined) return [];
  return busSteps(
    { service, object: window, interface: 'org.kde.konsole.Window', name: 'setCurrentSession' },
    { busctl: ['i', session], gdbus: [session] },
  );
};
