// A reporter of `node --test`: writes the file of each test that failed, one to a line.

/** @param source the events of https://nodejs.org/docs/latest-v20.x/api/test.html#class-testsstream */
// oxlint-disable-next-line import/no-default-export -- Node takes no other
export default async function* failedFiles(source) {
  for await (const { type, data } of source) {
    if (type !== 'test:fail' || data.todo !== undefined) continue;
    const { cause, failureType } = data.details.error;
    // The tests of a file that ended early have no separate place: its process does.
    if ((cause?.failureType ?? failureType) === 'subtestsFailed') continue;
    yield `${data.file ?? data.name}\n`;
  }
}
