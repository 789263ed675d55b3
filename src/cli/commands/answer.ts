import { asCaller } from '../../control/caller.ts';
import type { AskedQuestionView } from '../../control/contract-views.ts';
import type { AgentQuestion, DecisionChoice } from '../../core/question.ts';
import { FailedError } from '../../platform/errors.ts';
import { displayLine, displayText } from '../../text/sanitize.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { openQuestion, typedLine } from '../open-question.ts';
import { shortenIds } from '../short-id.ts';
import { ageSince } from '../time-text.ts';

const idHelp = 'session or request id, or its beginning; optional if only one request is open';

/** `hookbell allow`, `deny` and `answer`: decide a request whose agent waits for an answer. */
export const defineAnswer: DefineCommand = (program, run) => {
  program
    .command('allow')
    .argument('[session]', idHelp)
    .description('show an agent\'s request and allow it; see also "deny" and "answer"')
    .option('--remember', 'also allow what the agent offers for the rest of its session')
    .action(
      run(
        async (
          context,
          id: string | undefined,
          { remember = false }: { readonly remember?: boolean },
        ) =>
          allow(
            context,
            await openQuestion(context, id, 'allow'),
            remember ? 'allow-session' : 'allow',
          ),
      ),
    );
  program
    .command('deny', { hidden: true })
    .argument('[session]', idHelp)
    .argument('[words]', 'what the agent should do instead')
    .description("deny an agent's request")
    .action(
      run(async (context, first: string | undefined, second: string | undefined) => {
        // Ids have no blanks. A single word could be either, and is never sent to an agent by guess.
        const isWords = second === undefined && /\s/.test(first ?? '');
        const question = await openQuestion(context, isWords ? '' : first, 'deny');
        show(context, question);
        await send(context, question, {
          choice: 'deny',
          words: (isWords ? first : second) ?? null,
        });
        report(context, question, 'Denied');
      }),
    );
  program
    .command('answer', { hidden: true })
    .argument('[session]', idHelp)
    .description("answer an agent's questions")
    .option('--list', 'list the latest requests and how each was decided')
    .action(
      run(async (context, id: string | undefined, { list = false }: { readonly list?: boolean }) =>
        list
          ? listAnswers(context)
          : answerQuestions(context, await openQuestion(context, id, 'answer')),
      ),
    );
};

/** Shows the request of a session and decides it after a question, as the keys of "hookbell sessions --watch" do. */
export async function decideByKey(
  context: CommandContext,
  session: string,
  key: 'allow' | 'deny' | 'deny with words',
): Promise<void> {
  const question = await openQuestion(context, session, 'deny');
  if (key === 'allow') {
    const isAsked = question.asks.length > 0;
    return isAsked ? answerQuestions(context, question) : allow(context, question, 'allow');
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
  question: AskedQuestionView,
  choice: DecisionChoice,
): Promise<void> {
  show(context, question);
  if (!question.choices.includes(choice)) {
    const [reason, hint] =
      question.asks.length > 0
        ? ['it asks a question', 'Run "hookbell answer", or answer in the agent\'s terminal']
        : [
            'it cannot be shown in full here, or the agent does not offer it',
            'Answer in the agent\'s terminal, or run "hookbell deny"',
          ];
    throw new FailedError(`Cannot allow the request: ${reason}`, { hint });
  }
  const typed = await typedLine('Allow this? [y/N] ');
  if (!/^y(?:es)?$/i.test(typed)) throw new FailedError('Not allowed: the request stays open');
  await send(context, question, { choice });
  report(context, question, 'Allowed');
}

async function answerQuestions(
  context: CommandContext,
  question: AskedQuestionView,
): Promise<void> {
  if (!question.choices.includes('answer')) {
    throw new FailedError('The agent has no question that can be answered here', {
      hint: 'Run "hookbell allow" or "hookbell deny", or answer in the agent\'s terminal',
    });
  }
  context.output.line(whoAsks(question));
  const answers: Record<string, string> = {};
  for (const asked of question.asks) {
    const answer = await askOne(context, asked);
    if (answer !== '') answers[asked.text] = answer;
  }
  if (Object.keys(answers).length === 0) throw new FailedError('No answer was given');
  await send(context, question, { choice: 'answer', answers });
  report(context, question, 'Answered');
}

/** Asks until the answer can mean only one thing; empty: none. */
async function askOne({ output }: CommandContext, asked: AgentQuestion): Promise<string> {
  const { options, several } = asked;
  const marks = marksOf(options);
  output.line(questionText(asked));
  const mark = marks[0] === 'a' ? 'Letter' : 'Number';
  const what = several ? `${mark}s separated by commas, or text: ` : `${mark} or text: `;
  for (;;) {
    const typed = await typedLine(options.length > 0 ? what : 'Text: ');
    const read = readChoice(typed, asked, marks);
    if ('answer' in read) return read.answer;
    output.complain(read.problem);
  }
}

/** What is typed to choose each option: numbers; letters if an option is itself a number. */
function marksOf(options: readonly string[]): readonly string[] {
  const areLetters = options.some((option) => /^\d+$/.test(option.trim()));
  return options.map((_, index) =>
    areLetters ? String.fromCodePoint(97 + index) : String(index + 1),
  );
}

/** The labels that the typed marks stand for, or else the typed text. Numbers that no option has are not text. */
function readChoice(
  typed: string,
  { options, several }: AgentQuestion,
  marks: readonly string[],
): { readonly answer: string } | { readonly problem: string } {
  const parts = (several ? typed.split(',') : [typed]).map((part) => part.trim());
  const chosen = parts.flatMap((part) => options[marks.indexOf(part.replace(/[.)]$/, ''))] ?? []);
  if (typed !== '' && chosen.length === parts.length) return { answer: chosen.join(', ') };
  const isNumbers = marks[0] === '1' && /^\d[\d\s,.)]*$/.test(typed);
  if (!isNumbers) return { answer: typed };
  const range = options.length === 1 ? '1' : `1 to ${options.length}`;
  const wanted = several ? 'a list of numbers' : 'a number';
  return { problem: `"${typed}" is not ${wanted} from ${range}` };
}

function show({ output }: CommandContext, question: AskedQuestionView): void {
  const { text, tool, asks } = question;
  output.line(whoAsks(question));
  for (const asked of asks) output.line(questionText(asked));
  if (asks.length > 0) return;
  // The daemon sends a text only if it is safe to print as it is.
  output.line(text ?? `${displayLine(tool ?? 'A request')}: it cannot be shown in full here`);
}

function whoAsks({ agent, subagent, project, cwd }: AskedQuestionView): string {
  const who = subagent ? `a subagent of ${agent}` : agent;
  return displayLine(`${who} in ${project ?? '-'} (${cwd ?? 'unknown directory'})`);
}

/** A question, and its options with what is typed to choose them. */
function questionText({ text, options, descriptions = [] }: AgentQuestion): string {
  const marks = marksOf(options);
  const lines = options.map((option, index) => {
    const meaning = displayLine(descriptions[index] ?? '');
    return `  ${marks[index]} ${displayLine(option)}${meaning === '' ? '' : `: ${meaning}`}`;
  });
  return [displayText(text), ...lines].join('\n');
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
