import assert from 'node:assert/strict';
import type { Config } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/load.ts';
import { formatProblem } from '../../src/config/problem.ts';
import { sampleCatalog } from './sample-channels.ts';

const options = { catalog: sampleCatalog };

/** The configuration that a text means; fails the test when it is refused. */
export async function configOf(text: string): Promise<Config> {
  const loaded = await parseConfig(text, '/etc/c.yaml', options);
  if (!loaded.ok) assert.fail(loaded.problems.map(formatProblem).join('\n'));
  return loaded.config;
}

/** What is wrong with a text, one line each, without the name of the file. */
export async function problemsOf(text: string): Promise<string[]> {
  const loaded = await parseConfig(text, '', options);
  return loaded.ok ? [] : loaded.problems.map((problem) => formatProblem(problem).slice(1));
}

/** What a text that is accepted probably does not mean. */
export async function warningsOf(text: string): Promise<string[]> {
  const loaded = await parseConfig(text, '', options);
  if (!loaded.ok) assert.fail(loaded.problems.map(formatProblem).join('\n'));
  return loaded.warnings.map((warning) => formatProblem(warning).slice(1));
}
