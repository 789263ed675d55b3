import { homedir } from 'node:os';
import { join } from 'node:path';

import { agentProcesses } from '../../agents/registry.ts';
import { ruleLanguages } from '../../agents/rule-languages.ts';
import {
  type PastRequest,
  proposeRules,
  type RuleProposal,
  type RuleUse,
  useOfRule,
} from '../../alerts/requests/propose-rules.ts';
import { callerLine, whyNotPerson } from '../../control/caller.ts';
import type { RuleLanguage } from '../../core/agent/rule-language.ts';
import { type AgentName, agentLabels } from '../../core/hook-event.ts';
import { FailedError, UsageError } from '../../platform/errors.ts';
import {
  applyRules,
  type FoundRules,
  managedBy,
  planDiff,
  planRules,
  ruleJournal,
  type RulePlan,
  rulesOf,
  undoRules,
} from '../../setup/rules/rule-settings.ts';
import { countOf } from '../../text/count.ts';
import { durationText } from '../../text/duration.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { typedLine } from '../open-question.ts';
import type { Output } from '../output.ts';

const PERIOD_MS = 30 * 86_400_000;
/** The history of an agent begins at most this long after the period does. */
const KNOWN_MS = 3 * 86_400_000;
/** Of what a rule matches, in a text; `--json` has all. */
const MOST_MATCHES = 4;

/** `hookbell rules`, `rules apply`, `rules undo`: the few narrow rules that would have saved most of the waiting. */
export const defineRules: DefineCommand = (program, run) => {
  const rules = program
    .command('rules')
    .description('propose rules for what you always allow, from the last 30 days')
    .action(run(list));
  rules
    .command('apply')
    .argument('[numbers...]', 'those of "hookbell rules"; asked for if left out')
    .description('show what proposals change in the settings of agents, and change it')
    .action(run(apply));
  rules
    .command('undo')
    .description('restore the settings from before the last "rules apply"')
    .action(run(undo));
};

/** Something to do, by its number. */
interface Offer {
  readonly agent: AgentName;
  readonly language: RuleLanguage;
  readonly root: string | null;
  readonly file: FoundRules;
  readonly proposal: RuleProposal | null;
  /** Of a rule that is there. */
  readonly use: RuleUse | null;
}

interface Offers {
  readonly offers: readonly Offer[];
  readonly off: readonly string[];
}

async function offersNow(context: CommandContext): Promise<Offers> {
  const since = String(Date.now() - PERIOD_MS);
  const past = await context.ask('GET /v1/requests', { query: { since }, timeoutMs: 60_000 });
  const offers: Offer[] = [];
  const off: string[] = [];
  for (const agent of new Set(past.map((one) => one.agent))) {
    const language = ruleLanguages[agent];
    if (language === undefined) {
      off.push(`${agentLabels[agent]}: its rules are not known to keep to what they say`);
      continue;
    }
    const manager = await managedBy(language);
    if (manager !== null) {
      off.push(`${agentLabels[agent]}: ${manager} sets its rules`);
      continue;
    }
    const isSilent = past.every((one) => one.agent !== agent || one.allowed + one.denied === 0);
    if (isSilent) off.push(`${agentLabels[agent]}: it reports no answer to a request`);
    offers.push(...(await offersFor(context, agent, language, past)));
  }
  const saved = ({ proposal }: Offer): number => proposal?.saved.ms ?? -1;
  return { offers: offers.toSorted((a, b) => saved(b) - saved(a)), off };
}

async function offersFor(
  { paths, env }: CommandContext,
  agent: AgentName,
  language: RuleLanguage,
  past: readonly PastRequest[],
): Promise<readonly Offer[]> {
  const own = past.filter((one) => one.agent === agent);
  const around = { home: homedir(), configHome: paths.agentConfigHome, env };
  const offers: Offer[] = [];
  const base = { agent, language };
  for (const proposal of proposeRules(own, () => language)) {
    const { scope, root, rules } = proposal;
    const files = await rulesOf(language, { ...around, root });
    const file = files.find((one) => one.scope === scope);
    const there = new Set(files.flatMap((one) => one.rules));
    if (file === undefined || rules.every((rule) => there.has(rule))) continue;
    offers.push({ ...base, root, file, proposal, use: null });
  }
  // What was not seen for that long may be needed all the same.
  const firstAt = Math.min(...own.map((one) => one.firstAt));
  if (firstAt > Date.now() - PERIOD_MS + KNOWN_MS) return offers;
  const seen = new Set<string>();
  for (const root of new Set(own.map((one) => one.root))) {
    for (const file of await rulesOf(language, { ...around, root })) {
      if (seen.has(file.path)) continue;
      seen.add(file.path);
      const users = file.scope === 'user' ? own : own.filter((one) => one.root === root);
      for (const use of file.rules.map((rule) => useOfRule(rule, users, language))) {
        const isFine = use.calls === null || (use.calls > 0 && use.narrower.length === 0);
        const at = file.scope === 'user' ? null : root;
        if (!isFine) offers.push({ ...base, root: at, file, proposal: null, use });
      }
    }
  }
  return offers;
}

async function list(context: CommandContext): Promise<void> {
  const { output, json } = context;
  const { offers, off } = await offersNow(context);
  if (json) {
    const shown = offers.map(({ agent, file: { path, isShared = false }, proposal, use }, at) => ({
      number: at + 1,
      agent,
      path,
      isShared,
      ...(proposal === null ? { remove: use } : { add: proposal }),
    }));
    return output.json({ rules: shown, off });
  }
  if (offers.length === 0) output.say('No rule is supported by the requests of the last 30 days');
  for (const [at, offer] of offers.entries()) {
    print(output, textOf(offer, at + 1));
    output.line();
  }
  for (const line of off) output.say(`No rules for ${displayLine(line)}`);
  if (offers.length > 0) output.say('Nothing is changed before you run "hookbell rules apply"');
}

/** Cleaned, but for the blanks at their beginning. */
function print(output: Output, lines: readonly string[]): void {
  for (const line of lines) {
    const start = /^[-+]?[ \t]*/.exec(line)?.[0] ?? '';
    output.line(start.replaceAll('\t', '  ') + displayLine(line.slice(start.length)));
  }
}

function textOf({ agent, root, file, proposal, use }: Offer, number: number): readonly string[] {
  const shared = file.isShared === true ? ', which others in the project may get' : '';
  const where = `   in ${file.path}${shared}`;
  const who = `${number}. ${agentLabels[agent]}, ${root ?? 'all projects'}`;
  if (proposal === null) {
    const { rule = '', narrower = [] } = use ?? {};
    const why =
      narrower.length === 0
        ? 'nothing in 30 days needed it'
        : `only used for ${narrower.join(', ')}`;
    return [`${who}: remove ${rule}`, where, `   ${why}`];
  }
  const { rules, saved, matches, worst } = proposal;
  const named = matches.slice(0, MOST_MATCHES).map(({ name, count }) => `${name} (${count})`);
  const more = matches.length - named.length;
  return [
    `${who}: allow ${rules.map((rule) => rule.replaceAll('\n', ' ')).join(' and ')}`,
    where,
    `   would have saved ${countOf(saved.requests, 'request')} in ${countOf(saved.sessions, 'session')}, ${durationText(saved.ms)} of waiting; all were allowed`,
    `   matches ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    ...worst.map((one) => `   at worst: ${one}`),
  ];
}

async function apply(context: CommandContext, numbers: readonly string[]): Promise<void> {
  const { output } = context;
  await mustBePerson(context);
  const { offers } = await offersNow(context);
  if (offers.length === 0) throw new FailedError('There is no rule to apply');
  if (numbers.length === 0) {
    for (const [at, offer] of offers.entries()) print(output, textOf(offer, at + 1));
  }
  const typed =
    numbers.length > 0
      ? numbers
      : (await typedLine(`Which? [1-${offers.length}, several with blanks] `)).split(/[\s,]+/);
  const chosen = typed.map((number) => {
    const offer = /^\d+$/.test(number) ? offers[Number(number) - 1] : undefined;
    if (offer !== undefined) return offer;
    throw new UsageError(`"${number}" is not a number from 1 to ${offers.length}`);
  });
  const plans: (RulePlan & Pick<Offer, 'agent'>)[] = [];
  for (const path of new Set(chosen.map(({ file }) => file.path))) {
    const ones = chosen.filter(({ file }) => file.path === path);
    const [first] = ones;
    if (first === undefined) continue;
    const { agent, language, root } = first;
    const added = ones.flatMap(({ proposal }) => proposal?.rules ?? []);
    const removed = ones.flatMap(({ use }) => use?.rule ?? []);
    const plan = await planRules(path, language, { root, added, removed });
    if ('problem' in plan) {
      const hint = `Add it by hand: ${added.map((rule) => displayLine(rule)).join(' and ')}`;
      throw new FailedError(`Cannot change ${path}: ${plan.problem}`, { hint });
    }
    plans.push({ ...plan, agent });
  }
  for (const plan of plans) print(output, planDiff(plan));
  await confirm('Change this? [y/N] ');
  const journal = journalOf(context);
  const at = Date.now();
  for (const plan of plans) {
    if (!(await applyRules(plan, journal, { at, agent: plan.agent }))) {
      throw new FailedError(`Not changed: ${plan.path} has changed meanwhile`, {
        hint: 'Run it again; "hookbell rules undo" takes back what was changed before it',
      });
    }
    output.say(`Changed ${plan.path}; sessions that run may have to be restarted`);
  }
}

async function undo(context: CommandContext): Promise<void> {
  const { output } = context;
  await mustBePerson(context);
  const journal = journalOf(context);
  const records = journal.read() ?? [];
  const last = records.filter(({ at }) => at === records.at(-1)?.at).toReversed();
  if (last.length === 0) throw new FailedError('Nothing was changed by "hookbell rules apply"');
  for (const { path } of last) output.line(displayLine(path));
  await confirm('Restore these from before? [y/N] ');
  for (const record of last) {
    const { path, agent, at } = record;
    const language = ruleLanguages[agent];
    const done = language === undefined ? null : await undoRules(record, language);
    if (done === null || typeof done === 'object') {
      throw new FailedError(`Not restored: ${path}: ${done?.problem ?? 'its agent is not known'}`);
    }
    journal.write((journal.read() ?? []).filter((one) => one.at !== at || one.path !== path));
    output.say(
      done === 'restored'
        ? `Restored ${path}`
        : `Took the rules back in ${path}; the rest was changed since, and stays`,
    );
  }
}

function journalOf({ paths }: CommandContext) {
  return ruleJournal(join(paths.state, 'rules.json'));
}

async function confirm(question: string): Promise<void> {
  if (!/^y(?:es)?$/i.test(await typedLine(question))) throw new FailedError('Nothing was changed');
}

/** As for "hookbell allow": an agent or a script does not decide what an agent may do. */
async function mustBePerson({ json }: CommandContext): Promise<void> {
  if (json) throw new UsageError('"--json" cannot be used with a command that prompts');
  const known = { processes: agentProcesses, pids: new Set<number>() };
  const reason = process.stdin.isTTY
    ? whyNotPerson(process.platform === 'linux' ? await callerLine(process.pid) : [], known)
    : 'standard input is not a terminal';
  if (reason === null) return;
  throw new FailedError(`Only a person at a terminal may change rules: ${reason}`, {
    hint: 'Run it in your own terminal, or copy a rule of "hookbell rules" into the settings by hand',
  });
}
