/**
 * For `node --input-type=module -e`, with the path of an agent's plugin: hands the plugin what it starts programs for. An
 * error that it does not handle ends the process.
 */
export const PLUGIN_HOST = `
const path = process.argv[1];
// Amp runs TypeScript; what it loads is plain JavaScript.
const text = path.endsWith('.ts') && (await import('node:fs')).readFileSync(path, 'utf8');
const { Hookbell, default: other } = await import(text ? 'data:text/javascript,' + encodeURIComponent(text) : path);
const properties = { id: 'p', sessionID: 's', info: { id: 's' } };
const handlers = Object.values(other?.hooks ?? {});
if (Hookbell) {
  const { event } = await Hookbell({ directory: '/', client: { _client: {} } });
  for (const type of ['session.created', 'permission.asked', 'session.idle']) {
    handlers.push(() => event({ event: { type, properties } }));
  }
} else if (typeof other === 'function') {
  other({ on: (_, handler) => handlers.push(handler) });
}
const sessionManager = { getSessionId: () => 's', getSessionName: () => 's' };
for (const handler of handlers) {
  await handler({ snapshot: {}, toolCall: {}, result: {}, thread: { id: 's' } }, { sessionManager });
}`;
