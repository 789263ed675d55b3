import { randomFor } from '../random.ts';

export interface StoredMessage {
  readonly id: string;
  readonly role: string;
  readonly content: readonly { readonly id: string; readonly text: string }[];
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly [field: string]: unknown;
}

/** The twelve literals of the interface's document, and two made up for those it leaves out. */
export const SOURCES = [
  'web',
  'desktop',
  'cli_tui',
  'cli_exec',
  'cli_acp',
  'sessions_api',
  'api',
  'automation',
  'readiness-remediation',
  'readiness-evaluation',
  'wiki-generation',
  'wiki-ci-setup',
  'chat-integration',
  'issue-tracker-integration',
];

const VISIBILITIES = ['both', 'llm_only', 'user_only'];
const ROLES = ['user', 'assistant', 'tool', 'assistant', 'system'];

const TEXTS = [
  'Please find out why the build fails on main',
  'The import of "./clock" has no extension; I am going to add it',
  '$ npm test\n312 passing, 1 skipped',
  'Done: the build is green again 🎉',
  'Answer briefly',
];

/** The messages of one session, oldest first; roles, sources and visibilities take turns. */
export function createMessages(
  seed: number,
  sessionId: string,
  count: number,
  times: { readonly from: number; readonly until: number },
): StoredMessage[] {
  const random = randomFor(seed, 'messages', sessionId);
  const offset = random.integer(0, SOURCES.length - 1);
  const step = Math.floor((times.until - times.from) / Math.max(1, count));
  let parentId: string | undefined;
  return Array.from({ length: count }, (_, index) => {
    const role = ROLES[index % ROLES.length] ?? 'user';
    const id = `msg_${random.hex(16)}`;
    const at = times.from + step * (index + 1);
    const message: StoredMessage = {
      id,
      role,
      content: [{ id: `block_${random.hex(8)}`, text: TEXTS[index % TEXTS.length] ?? '' }],
      createdAt: at,
      updatedAt: at,
      ...(parentId === undefined ? {} : { parentId }),
      ...(role === 'user' ? { userMessageSource: SOURCES[(offset + index) % SOURCES.length] } : {}),
      ...(role === 'assistant' ? assistantFields(index) : {}),
      visibility: VISIBILITIES[(offset + index) % VISIBILITIES.length],
      isUserVisible: (offset + index) % VISIBILITIES.length !== 1,
      isError: role === 'tool' && random.chance(0.1),
    };
    parentId = id;
    return message;
  });
}

function assistantFields(index: number) {
  return {
    providerOneMessageId: `p1_${index}`,
    providerOnePhase: [null, 'commentary', 'final_answer'][index % 3],
    providerOneEncryptedContent: 'ZW5jcnlwdGVk',
    providerOneReasoningId: `reason_${index}`,
    providerOneReasoningSummary: 'Looked at the import',
    providerTwoThoughtSignature: 'c2lnbmF0dXJl',
    chatCompletionReasoningField: ['reasoning', 'reasoning_content'][index % 2],
    chatCompletionReasoningContent: 'The extension is missing',
  };
}
