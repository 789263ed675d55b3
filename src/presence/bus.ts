/** Arguments of busctl: a method without parameters, on the user's bus. Asking must not start what does not run. */
export function busCall(service: string, path: string, method: string): readonly string[] {
  return ['--user', '--auto-start=no', 'call', service, path, service, method];
}

/** Arguments of busctl: a property of a session, as the log-in manager sees it. */
export function busProperty(object: string, property: string): readonly string[] {
  return [
    '--system',
    '--auto-start=no',
    'get-property',
    'org.freedesktop.login1',
    `/org/freedesktop/login1/${object}`,
    'org.freedesktop.login1.Session',
    property,
  ];
}
