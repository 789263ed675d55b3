/* Responses in the service's form; name only the fields a test is about. */

export function session(fields: object = {}): Record<string, unknown> {
  return {
    sessionId: 's1',
    status: 'idle',
    messageCount: 4,
    createdAt: 1_773_000_000_000,
    updatedAt: 1_773_000_100_000,
    ...fields,
  };
}

export function message(fields: object = {}): Record<string, unknown> {
  return {
    id: 'm1',
    role: 'assistant',
    content: [{ text: 'Done', id: 'b1' }],
    createdAt: 1_773_000_000,
    updatedAt: 1_773_000_001,
    ...fields,
  };
}

export function computer(fields: object = {}): Record<string, unknown> {
  return { id: 'c1', name: 'build', providerType: 'byom', createdAt: 1_773_000_000, ...fields };
}

export function report(fields: object = {}): Record<string, unknown> {
  return { reportId: 'r1', createdAt: 1_773_000_000_000, repoUrl: 'https://git.test/a', ...fields };
}

export function analytics(data: readonly unknown[], meta: object = {}): Record<string, unknown> {
  return {
    data,
    meta: { org_id: 'o1', start_date: '2026-03-01', end_date: '2026-03-02', ...meta },
  };
}
