// The part of docs/vendor-api.md that says what hookbell uses each operation of the service for.

/** By the id of the operation, in Markdown. */
const uses = {
  'analytics.tokens': 'budgets and their alerts, digests',
  'analytics.tools': 'digests: tools, autonomy',
  'analytics.activity': 'digests, `doctor --coverage`',
  'analytics.productivity': 'digests: commits, files, lines',
  'analytics.users': 'people active without hookbell, in `doctor --coverage`',
  'readiness.list': '`watch: readiness`, digests, `readiness diff`',
  'sessions.list': '`watch: sessions`, `sessions watch`',
  'sessions.get': 'titles, computers and credits in notifications, `watch: sessions`',
  'sessions.update': '`sessions set`, by hand or in scripts',
  'sessions.addMessage': 'replies: in the pop-up, on the reply page, `reply`',
  'sessions.getMessage': 'checks that a reply has arrived, so that none is sent twice',
  'computers.list': '`watch: computers`',
  'computers.get': 'names of computers in notifications',
  'computers.byName': 'computer names instead of ids in commands',
  'computers.update': '`computers set`',
  'computers.installDeps': '`computers retry`, which alerts about a failed step suggest',
  'org.users': 'alerts and digests to the person concerned, names in reports',
  'org.history': '`watch: controls`, digests, `controls diff`',
  'org.setLimits': '`limits set`, `limits apply`',
};

/** @param routes the route table */
export function operationsPart(routes) {
  const rows = Object.values(routes).map(({ id }) => {
    if (uses[id] === undefined)
      throw new Error(`Say in operations-part.mjs what "${id}" is used for`);
    return `| \`${id}\` | ${uses[id]} |`;
  });
  return ['| Operation | Used for |', '| --- | --- |', ...rows].join('\n');
}
