import type { Asked } from '../asked.ts';

/** Some words of a request, and all that a rule allows if it is one; `isOpen`: they are only the first ones. */
export interface RulePart {
  /** Of a part of a command line, or else what the request asks for. */
  readonly type:
    | 'command'
    | 'wrapper'
    | 'assignment'
    | 'redirection'
    | Exclude<Asked['action'], 'run'>;
  /** Of a command as a shell reads them. Of a file its path, of an address its protocol, host and rest, of a tool its server and name. */
  readonly words: readonly string[];
  readonly isOpen: boolean;
}

/** `project`: the settings of one project; `user`: those of all. */
export type RuleScope = 'project' | 'user';

export interface RuleFile {
  readonly scope: RuleScope;
  /** Names that it may have, below the home directory or the project: the first that exists, otherwise the last. */
  readonly paths: readonly string[];
  /** Others who work in the project get it. */
  readonly isShared?: true;
}

/** How an agent writes down what it may do without asking, as far as it was found to ask about everything else. */
export interface RuleLanguage {
  /** Where rules are read; new ones go into the first of their scope. */
  readonly files: readonly RuleFile[];
  /** As in its `Registration`. */
  readonly movedBy?: { readonly variable: string; readonly directory: string };
  /** Texts below `keys`, members of an object there whose value is "allow", or a file's lines. */
  readonly form: 'list' | 'members' | 'lines';
  readonly keys: readonly string[];
  /** The rule that allows this and nothing else; null: there is none. */
  readonly write: (part: RulePart, scope: RuleScope) => string | null;
  /** What a rule allows; null: this cannot be said. */
  readonly read: (rule: string) => RulePart | null;
  /** What an open rule allows beside further arguments, for people, such as "outside its sandbox". */
  readonly adds?: string;
  /** Where an organization sets rules: if one of these files exists, nothing is proposed. */
  readonly managed: readonly string[];
}
