import { editorOf } from './editors.ts';
import type { Focus } from './step.ts';

/**
 * Among several windows of VS Code the one that has the session's folder open:
 * https://code.visualstudio.com/docs/configure/command-line. Without --reuse-window, which would close the content of
 * the last used window, with its terminals, if none has that folder.
 */
export const vscode: Focus = ({ facts, processes, editorFolder }) => {
  const editor = editorOf(facts);
  if (editor === null || editorFolder === null) return [];
  if (facts.cf_bundle_identifier !== undefined) {
    return [{ program: 'open', arguments: ['-b', editor.bundle, editorFolder] }];
  }
  // A finished agent does not prove that its editor runs, and an editor that does not run must not be started.
  return processes.length === 0 ? [] : [{ program: editor.command, arguments: [editorFolder] }];
};
