/** The escape sequence that carries the text: OSC 9, OSC 777, or nothing but the bell. */
export const terminalSequences = ['osc9', 'osc777', 'bell'] as const;
export type TerminalSequence = (typeof terminalSequences)[number];
