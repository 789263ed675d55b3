import { cutText, displayLine } from '../core/sanitize.ts';
import type { Output } from './output.ts';
import type { RouteBranch } from './route-event.ts';

const ACTUAL_WIDTH = 100;

/** Every route, the taken ones marked, with the conditions that keep an event from the others. */
export function printTree(output: Output, tree: readonly RouteBranch[]): void {
  for (const { route, plan, taken, unfit } of tree) {
    output.line(`${taken ? '>' : ' '} ${displayLine(route)} -> ${displayLine(plan)}`);
    for (const { condition, actual } of unfit) {
      output.line(
        `      ${condition} does not hold: ${cutText(displayLine(actual), ACTUAL_WIDTH)}`,
      );
    }
  }
}
