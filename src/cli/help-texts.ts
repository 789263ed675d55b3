/** What the numbers mean with which commands end; `exitCodes` are the numbers. */
export const exitCodeTexts: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'ok'],
  [1, 'failed'],
  [2, 'usage'],
  [3, 'configuration invalid'],
  [4, 'daemon unreachable'],
  [5, 'no key or not allowed'],
  [6, 'not found'],
  [7, 'too many requests'],
  [8, 'partly done'],
  [9, 'over budget'],
];

export const programExamples: readonly (readonly [words: string, what: string])[] = [
  ['hookbell doctor', 'find and fix problems'],
  ['hookbell trigger Notification --set message="hello"', 'send an event as an agent would'],
  ['hookbell explain last', 'why the last event notified you, or why not'],
];
