// The part of docs/vendor-api.md that says what hookbell uses each operation of the service for.

/** @param routes the route table */
export function operationsPart(routes) {
  const rows = Object.values(routes).map(({ id, usedFor }) => `| \`${id}\` | ${usedFor} |`);
  return ['| Operation | Used for |', '| --- | --- |', ...rows].join('\n');
}
