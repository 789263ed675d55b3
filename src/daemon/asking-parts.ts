import type { Config } from '../config/config.ts';
import type { Store } from '../core/store.ts';
import { createDecisions } from '../reply/decisions.ts';
import { createQuestionDesk, type QuestionDeskOptions } from '../reply/question-desk.ts';
import { createReplyLinks } from '../reply/reply-links.ts';
import { createWordDesk } from '../reply/word-desk.ts';
import { createAnswerWatch } from './answer-watch.ts';
import { createHubParts, type HubPartsOptions } from './hub/hub-parts.ts';

export interface AskingOptions
  extends
    Omit<QuestionDeskOptions, 'store' | 'policy' | 'holds' | 'onChange' | 'takeHook' | 'isRunning'>,
    Pick<HubPartsOptions, 'hubStore' | 'delivery' | 'elsewhere' | 'random' | 'newId'> {
  readonly store: Pick<Store, 'questions' | 'alerts' | 'replyLinks' | 'mutes' | 'held'>;
  readonly config: () => Config;
  /** A request of this machine is held, answered, or no longer held. */
  readonly onOwnChange: () => void;
  /** The same of a machine of the hub. */
  readonly onHubChange: () => void;
}

/** What waits for the answer of a person, here and on the machines of a hub, and the ways to answer it. */
export function createAsking(options: AskingOptions) {
  const { store, config, onOwnChange, onHubChange } = options;
  const questions = createQuestionDesk({
    ...options,
    policy: () => config().policy,
    holds: () => config().answers.hold,
    onChange: onOwnChange,
  });
  const words = createWordDesk(options);
  const hub = createHubParts({ ...options, alerts: store.alerts, onChange: onHubChange });
  const decisions = createDecisions({ questions, ...hub?.answers.beside(questions), store });
  const replyLinks = createReplyLinks({ ...options, decisions, links: store.replyLinks });
  const answers = createAnswerWatch({
    ...options,
    alerts: store.alerts,
    programChannels: () => config().policy.programChannels,
    onAnswered: questions.answeredElsewhere,
  });
  return { questions, words, hub, decisions, replyLinks, answers };
}
