import { cutText, displayLine } from '../core/sanitize.ts';
import type { Output } from './output.ts';
import type { RouteBranch } from './route-event.ts';

const WIDTH = 100;

/** Every route, the taken ones marked, with the conditions that keep an event from the others. */
export function printTree(output: Output, tree: readonly RouteBranch[]): void {
  for (const { route, plan, taken, unfit } of tree) {
    output.line(`${taken ? '>' : ' '} ${displayLine(route)} -> ${displayLine(plan)}`);
    for (const { condition, wanted, actual } of unfit) {
      const [is, wants] = [actual, wanted].map((text) => cutText(displayLine(text), WIDTH));
      output.line(`      ${condition} does not hold: ${is}, wanted ${wants}`);
    }
  }
}
