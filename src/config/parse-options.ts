import { describeIssue } from './describe-issue.ts';

/** How a configuration is read: with our own messages, and without compiling schemas that are used once. */
export const parseOptions = { error: describeIssue, jitless: true } as const;
