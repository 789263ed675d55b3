import { createDecisions } from '../../reply/decisions.ts';
import { type HeldHook, takeHook } from '../../reply/held-hooks.ts';
import { createQuestionDesk, type QuestionDeskOptions } from '../../reply/question-desk.ts';
import { createReplyLinks } from '../../reply/reply-links.ts';
import { createWordDesk } from '../../reply/word-desk.ts';
import { createAnswerWatch } from '../transcripts/answer-watch.ts';
import type { Base } from './base-parts.ts';
import { createHubParts, type HubPartsOptions } from '../hub/hub-parts.ts';

/**
 * What waits for the answer of a person, here and on the machines of a hub, and the ways to answer it.
 *
 * @param options.delivery made later: it needs what this makes
 */
export function createAsking(
  options: Base & Pick<QuestionDeskOptions, 'presence'> & Pick<HubPartsOptions, 'delivery'>,
) {
  const { store, config, programChannels, signals } = options;
  const { due, questionsChanged, pageChanged } = signals;
  const onAnswered = due.emit;
  const programHooks = new Map<string, HeldHook>();
  const questions = createQuestionDesk({
    ...options,
    policy: () => config().policy,
    holds: () => config().answers.hold,
    takeHook: (asks, fifo, uid) => {
      const hook = programHooks.get(fifo);
      programHooks.delete(fifo);
      return hook ?? takeHook(asks, fifo, uid);
    },
    onAnswered,
    onChange: questionsChanged.emit,
  });
  questionsChanged.on(pageChanged.emit);
  const words = createWordDesk(options);
  const hub = createHubParts({
    ...options,
    alerts: store.alerts,
    elsewhere: signals.elsewhere,
    onAnswered,
    onChange: pageChanged.emit,
  });
  const decisions = createDecisions({ questions, ...hub?.answers.beside(questions), store });
  const replyLinks = createReplyLinks({ ...options, decisions, links: store.replyLinks });
  const answers = createAnswerWatch({
    ...options,
    alerts: store.alerts,
    programChannels,
    onAnswered: questions.answeredElsewhere,
  });
  return { questions, programHooks, words, hub, decisions, replyLinks, answers };
}

export type Asking = ReturnType<typeof createAsking>;
