/**
 * Measures several things in turn, A B A B, so that whatever else the machine does meets all of them alike.
 *
 * @param things each runs once and says what it took
 * @returns the values of each, in the order of `things`
 */
export async function interleave(
  things: readonly (() => number | Promise<number>)[],
  {
    rounds,
    warmUp = Math.ceil(rounds / 10),
  }: { readonly rounds: number; readonly warmUp?: number },
): Promise<readonly (readonly number[])[]> {
  const series = things.map((measure) => ({ measure, values: new Array<number>() }));
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const { measure, values } of series) {
      const value = await measure();
      if (round >= 0) values.push(value);
    }
  }
  return series.map(({ values }) => values);
}
