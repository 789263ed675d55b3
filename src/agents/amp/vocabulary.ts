import { endByStatus, prompt, toolDone } from '../support/readings.ts';
import { eachOf, means, type Vocabulary } from '../support/vocabulary.ts';
import { claudeVocabulary } from '../claude/vocabulary.ts';

/** Amp asks for no permission by itself, and reports none that a plugin asks for. */
export const ampVocabulary: Vocabulary = {
  source: {
    npm: null,
    version: '0.0.1790142911',
    place: 'the map of events in the manual that it prints, `amp plugins show-docs`',
  },
  events: {
    'session.start': means('session.start', 'a thread begins or is opened'),
    'agent.start': means('prompt', 'a prompt is submitted', prompt),
    'tool.result': means('tool.done', 'a tool has run, failed or was cancelled', toolDone),
    'agent.end': means('turn.done', 'a turn ends, fails or is cancelled', endByStatus),
    ...eachOf('tool.call changes.prompt', means('activity', 'not passed on')),
  },
  notifications: {},
  also: [claudeVocabulary],
};
