import { createInterface } from 'node:readline/promises';

import { asCaller } from '../../control/caller.ts';
import type { AskedQuestionView } from '../../control/contract-views.ts';
import type { AgentQuestion, DecisionChoice } from '../../core/question.ts';
import { FailedError, NotFoundError, UsageError } from '../../platform/errors.ts';
import { displayLine, displayText } from '../../text/sanitize.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { shortenIds } from '../short-id.ts';
import { ageSince } from '../time-text.ts';

interface Options extends Wanted {
  readonly remember?: boolean;
}

/** Which request is meant. */
interface Wanted {
  readonly session?: string;
  readonly request?: string;
}

const requestHelp = 'request id or its beginning; optional if only one request is open';
const sessionHelp = 'session id or its beginning; optional if only one session has an open request';

/** `hookbell allow`, `deny` and `answer`: decide a request whose agent waits for an answer. */
export const defineAnswer: DefineCommand = (program, run) => {
  program
    .command('allow')
    .description('show an agent\'s request and allow it; see also "deny" and "answer"')
    .option('--request <id>', requestHelp)
    .option('--session <id>', sessionHelp)
    .option('--remember', 'also allow what the agent offers for the rest of its session')
    .action(({ remember = false, ...wanted }: Options) =>
      run((context) => allow(context, wanted, remember ? 'allow-session' : 'allow')),
    );
  program
    .command('deny', { hidden: true })
    .argument('[words]', 'what the agent should do instead')
    .description("deny an agent's request")
    .option('--request <id>', requestHelp)
    .option('--session <id>', sessionHelp)
    .action((words: string | undefined, wanted: Wanted) =>
      run((context) => deny(context, wanted, words ?? null)),
    );
  program
    .command('answer', { hidden: true })
    .description("answer an agent's questions")
    .option('--request <id>', requestHelp)
    .option('--session <id>', sessionHelp)
    .option('--list', 'list the latest requests and how each was decided')
    .action(({ list = false, ...wanted }: Wanted & { readonly list?: boolean }) =>
      run((context) => (list ? listAnswers(context) : answerQuestions(context, wanted))),
    );
};

/** Shows the request of a session and decides it after a question, as the keys of "hookbell sessions --watch" do. */
export async function decideByKey(
  context: CommandContext,
  session: string,
  key: 'allow' | 'deny' | 'deny with words',
): Promise<void> {
  const question = await openQuestion(context, { session });
  if (key === 'allow') {
    const request = { request: question.id };
    const asks = question.asks.length > 0;
    return asks ? answerQuestions(context, request) : allow(context, request, 'allow');
  }
  show(context, question);
  const withWords = key === 'deny with words';
  const prompt = withWords ? 'What the agent should do instead: ' : 'Deny this? [y/N] ';
  const typed = await typedLine(prompt);
  const isMeant = withWords ? typed !== '' : /^y(?:es)?$/i.test(typed);
  if (!isMeant) throw new FailedError('Not denied: the request stays open');
  await send(context, question, { choice: 'deny', words: withWords ? typed : null });
  report(context, question, 'Denied');
}

async function listAnswers({ ask, output, json }: CommandContext): Promise<void> {
  const answers = await ask('GET /v1/answers', { query: { limit: '50' } });
  if (json) return output.json(answers);
  if (answers.length === 0) return output.say('No request has been held for an answer');
  const short = shortenIds(answers.map(({ id }) => id));
  output.table(
    ['REQUEST', 'ASKED', 'AGENT', 'TOOL', 'STATE', 'DECISION'],
    answers.map(({ id, since, agent, tool, state, outcome }) => [
      short(id),
      `${ageSince(since, Date.now())} ago`,
      agent,
      tool ?? '-',
      state,
      outcome,
    ]),
  );
}

async function allow(
  context: CommandContext,
  wanted: Wanted,
  choice: DecisionChoice,
): Promise<void> {
  const question = await openQuestion(context, wanted);
  show(context, question);
  if (!question.choices.includes(choice)) {
    const reason =
      question.asks.length > 0
        ? 'it asks a question'
        : 'it cannot be shown in full here, or the agent does not offer it';
    throw new FailedError(`Cannot allow the request: ${reason}`, {
      hint:
        question.asks.length > 0
          ? 'Run "hookbell answer", or answer in the agent\'s terminal'
          : 'Answer in the agent\'s terminal, or run "hookbell deny"',
    });
  }
  const typed = await typedLine('Allow this? [y/N] ');
  if (!/^y(?:es)?$/i.test(typed)) throw new FailedError('Not allowed: the request stays open');
  await send(context, question, { choice });
  report(context, question, 'Allowed');
}

async function deny(context: CommandContext, wanted: Wanted, words: string | null): Promise<void> {
  const question = await openQuestion(context, wanted);
  show(context, question);
  await send(context, question, { choice: 'deny', words });
  report(context, question, 'Denied');
}

async function answerQuestions(context: CommandContext, wanted: Wanted): Promise<void> {
  const question = await openQuestion(context, wanted);
  if (question.asks.length === 0 || !question.choices.includes('answer')) {
    throw new FailedError('The agent has no question that can be answered here', {
      hint: 'Run "hookbell allow" or "hookbell deny", or answer in the agent\'s terminal',
    });
  }
  const answers: Record<string, string> = {};
  for (const asked of question.asks) {
    context.output.line(displayText(asked.text));
    for (const [index, option] of asked.options.entries()) {
      context.output.line(`  ${index + 1} ${displayLine(option)}`);
    }
    const what = asked.several ? 'Numbers separated by commas, or text: ' : 'Number or text: ';
    const typed = await typedLine(asked.options.length > 0 ? what : 'Text: ');
    if (typed !== '') answers[asked.text] = chosen(asked, typed);
  }
  if (Object.keys(answers).length === 0) throw new FailedError('No answer was given');
  await send(context, question, { choice: 'answer', answers });
  report(context, question, 'Answered');
}

/** The labels that the typed numbers stand for, or else the typed text. */
function chosen({ options, several }: AgentQuestion, typed: string): string {
  const numbers = several ? typed.split(',').map((part) => part.trim()) : [typed];
  const labels = numbers.flatMap((number) =>
    /^\d+$/.test(number) ? (options[Number(number) - 1] ?? []) : [],
  );
  return labels.length === numbers.length ? labels.join(', ') : typed;
}

/**
 * The request that is meant.
 *
 * @throws UsageError if several could be: hookbell does not guess which one a person has seen
 * @throws NotFoundError if there is none
 */
async function openQuestion(
  { ask, output, json }: CommandContext,
  { session = '', request = '' }: Wanted,
): Promise<AskedQuestionView> {
  if (json) throw new UsageError('"--json" cannot be used with a command that prompts');
  // The daemon enforces this; checked here as well, so that it fails before anything is shown.
  if (!process.stdin.isTTY) {
    throw new FailedError('Cannot prompt for a decision: standard input is not a terminal', {
      hint: 'Run the command in your own terminal',
    });
  }
  const all = await ask('GET /v1/questions', { query: { limit: '1000' } });
  const held = all.filter(({ state }) => state === 'held');
  const open = held.filter((one) => one.session.startsWith(session) && one.id.startsWith(request));
  const [only, ...others] = open;
  if (only === undefined) throw nothingOpen(session, request);
  if (others.length === 0) return only;
  const shortId = shortenIds(held.map(({ id }) => id));
  const shortSession = shortenIds(held.map((one) => one.session));
  output.table(
    ['REQUEST', 'SESSION', 'SINCE', 'AGENT', 'PROJECT', 'ASKS FOR'],
    open.map((one) => [
      shortId(one.id),
      shortSession(one.session),
      ageSince(one.since, Date.now()),
      one.subagent ? `${one.agent} (subagent)` : one.agent,
      one.project ?? '-',
      one.text ?? one.tool ?? '-',
    ]),
  );
  throw new UsageError(`${open.length} requests are open`, {
    hint: 'Add "--request ID" with one of them',
  });
}

function nothingOpen(session: string, request: string): NotFoundError {
  const reason =
    request !== ''
      ? `Request "${request}" is not waiting for an answer`
      : session === ''
        ? 'No agent is waiting for an answer'
        : `Session "${session}" is not waiting for an answer`;
  return new NotFoundError(reason, {
    hint: 'Run "hookbell sessions" to list the sessions that wait for you',
  });
}

function show({ output }: CommandContext, question: AskedQuestionView): void {
  const { agent, subagent, project, cwd, text, tool } = question;
  const who = subagent ? `a subagent of ${agent}` : agent;
  output.line(displayLine(`${who} in ${project ?? '-'} (${cwd ?? 'unknown directory'})`));
  // The daemon sends a text only if it is safe to print as it is.
  output.line(text ?? `${displayLine(tool ?? 'A request')}: it cannot be shown in full here`);
}

/** One line from the terminal; empty at its end. */
export async function typedLine(prompt: string): Promise<string> {
  const typed = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new AbortController();
  typed.once('close', () => ended.abort());
  try {
    return (await typed.question(prompt, { signal: ended.signal })).trim();
  } catch (error) {
    if (ended.signal.aborted) return '';
    throw error;
  } finally {
    typed.close();
  }
}

/** @throws FailedError if another answer was first, or the daemon does not accept this process */
async function send(
  { ask }: CommandContext,
  { id, requestHash }: AskedQuestionView,
  given: {
    readonly choice: DecisionChoice;
    readonly words?: string | null;
    readonly answers?: Readonly<Record<string, string>>;
  },
): Promise<void> {
  const { accepted, reason } = await asCaller(await ask('POST /v1/caller'), (caller) =>
    ask('POST /v1/answer', { body: { ...given, question: id, requestHash, caller } }),
  );
  if (!accepted) throw new FailedError(`Not sent: ${reason ?? 'the request is over'}`);
}

function report({ output }: CommandContext, { agent }: AskedQuestionView, what: string): void {
  output.say(`${what}: the answer was sent to ${agent}`);
}
