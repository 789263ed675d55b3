/**
 * The environment of a program that keeps files in the home directory, such as a browser, with another one: it must leave
 * nothing in that of the person who runs the tests.
 */
export function environmentAt(home: string): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, HOME: home };
  for (const name of ['CONFIG', 'CACHE', 'DATA', 'STATE']) delete env[`XDG_${name}_HOME`];
  return env;
}
