import { z } from 'zod';

import type { Asked } from '../../core/asked.ts';
import { claudeVocabulary } from '../claude/vocabulary.ts';
import type { Payload } from '../support/payload.ts';
import { askedOf } from '../support/read-asked.ts';
import { turnEnd, turnFailure } from '../support/readings.ts';
import { eachOf, type Meaning, type Vocabulary, means } from '../support/vocabulary.ts';

/** OpenCode has no hooks, but events on a bus, of which our plugin forwards some. */
export const opencodeVocabulary: Vocabulary = {
  source: {
    npm: '@opencode-ai/sdk',
    version: '1.19.3',
    place: 'the types of its events, in both generations',
  },
  events: {
    'session.created': means('session.start', 'a session begins'),
    'session.deleted': means('session.end', 'a session is deleted'),
    'session.idle': means('turn.done', 'a turn ends', turnEnd),
    'session.error': means('turn.failed', 'a turn fails, or is interrupted', sessionError),
    'message.updated': means(
      'activity',
      'a message has changed; the first time one of the person does, it is a prompt',
      messageUpdated,
    ),
    // The next generation calls the permission an action on resources; everything else is the same.
    ...eachOf(
      'permission.asked permission.updated permission.v2.asked',
      means('needs.permission', 'it asks for a permission', permissionAsked),
    ),
    ...eachOf(
      'question.asked question.v2.asked',
      means('needs.input', 'it asks the person a question', questionAsked),
    ),
    ...eachOf(
      `
      permission.replied permission.v2.replied question.replied question.rejected
      question.v2.replied question.v2.rejected
    `,
      means('tool.done', 'the request was answered, and the work goes on', replied),
    ),
    ...eachOf(
      `
      session.status session.updated session.compacted session.diff
      session.next.agent.switched session.next.model.switched session.next.moved
      session.next.prompted session.next.prompt.admitted session.next.context.updated
      session.next.synthetic session.next.shell.started session.next.shell.ended
      session.next.step.started session.next.step.ended session.next.step.failed
      session.next.text.started session.next.text.delta session.next.text.ended
      session.next.reasoning.started session.next.reasoning.delta
      session.next.reasoning.ended session.next.tool.input.started
      session.next.tool.input.delta session.next.tool.input.ended session.next.tool.called
      session.next.tool.progress session.next.tool.success session.next.tool.failed
      session.next.retried session.next.compaction.started session.next.compaction.delta
      session.next.compaction.ended session.next.revert.staged session.next.revert.cleared
      session.next.revert.committed message.removed message.part.updated
      message.part.removed message.part.delta todo.updated command.executed
    `,
      means('activity', 'the course of a turn'),
    ),
    ...eachOf(
      `
      server.connected server.instance.disposed global.disposed installation.updated
      installation.update-available models-dev.refreshed integration.updated
      integration.connection.updated catalog.updated reference.updated plugin.added
      project.updated project.directories.updated workspace.ready workspace.failed
      workspace.status worktree.ready worktree.failed mcp.tools.changed
      mcp.browser.open.failed lsp.updated lsp.client.diagnostics vcs.branch.updated
      file.edited file.watcher.updated pty.created pty.updated pty.exited pty.deleted
      tui.prompt.append tui.command.execute tui.toast.show tui.session.select
    `,
      means('activity', 'the program, its files and its screen'),
    ),
  },
  notifications: {},
  also: [claudeVocabulary],
};

function sessionError(payload: Payload): Meaning {
  const { agentId, errorName: reason } = payload;
  const failure = turnFailure(payload);
  const isInterrupted = agentId === null && reason === 'MessageAbortedError';
  return isInterrupted ? { ...failure, kind: 'turn.interrupted' } : failure;
}

function messageUpdated({ properties }: Payload): Meaning {
  return { kind: properties?.info?.role === 'user' ? 'prompt' : 'activity', text: null };
}

/** The id of the request. */
function replied({ requestId }: Payload): Meaning {
  return { kind: 'tool.done', text: null, ...(requestId !== null && { about: requestId }) };
}

/** A permission names what it is for, and with `metadata` how: `{command}` of a shell, `{filepath, diff}` of an edit. */
function permissionAsked({ properties, requestId, cwd }: Payload): Meaning {
  const permission = properties?.permission ?? properties?.action;
  const patterns = properties?.patterns ?? properties?.resources;
  return {
    kind: 'needs.permission',
    text: null,
    about: requestId ?? [permission, patterns],
    asked: permitted(permission ?? null, { metadata: properties?.metadata, patterns }, cwd),
  };
}

const Metadata = z.object({
  command: z.string().optional().catch(undefined),
  filepath: z.string().optional().catch(undefined),
  url: z.string().optional().catch(undefined),
});
const Patterns = z.union([z.string().transform((one) => [one]), z.array(z.string())]);

function permitted(
  permission: string | null,
  { metadata, patterns }: { readonly metadata: unknown; readonly patterns: unknown },
  cwd: string | null,
): Asked | null {
  if (permission === null) return null;
  const { command, filepath, url } = Metadata.safeParse(metadata).data ?? {};
  const [pattern] = Patterns.safeParse(patterns).data ?? [];
  const input = {
    command: command ?? pattern,
    file_path: filepath ?? pattern,
    url: url ?? pattern,
    query: pattern,
  };
  return askedOf(permission, input, cwd);
}

function questionAsked({ properties, requestId, cwd }: Payload): Meaning {
  const asked = askedOf('askuserquestion', { questions: properties?.questions }, cwd);
  const isRead = asked?.action === 'answer';
  return {
    kind: 'needs.input',
    text: isRead ? asked.text : null,
    asked: isRead ? asked : null,
    ...(requestId !== null && { about: requestId }),
  };
}
