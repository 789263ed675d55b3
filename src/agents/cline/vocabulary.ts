import { claudeVocabulary } from '../claude/vocabulary.ts';
import { endByStatus, permissionRequest, prompt, toolDone } from '../support/readings.ts';
import { eachOf, means, type Vocabulary } from '../support/vocabulary.ts';

/** Cline has callbacks for its plugins; ours passes on when a call of a tool waits for the person. */
export const clineVocabulary: Vocabulary = {
  source: {
    npm: '@cline/shared',
    version: '0.0.86',
    place: 'the callbacks of plugins in its types, as Cline 3.0.65 has them',
  },
  events: {
    beforeRun: means('prompt', 'a prompt is submitted', prompt),
    beforeTool: means(
      'needs.permission',
      'a call does not start for half a second, because it needs a permission; or the tool `ask_question`',
      permissionRequest,
    ),
    afterTool: means('tool.done', 'a tool has run or was refused', toolDone),
    afterRun: means('turn.done', 'a turn ends, fails or is interrupted', endByStatus),
    ...eachOf('beforeModel afterModel onEvent', means('activity', 'not passed on')),
  },
  notifications: {},
  also: [claudeVocabulary],
};
