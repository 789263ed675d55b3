/** Runs a program by its name; answers what it printed, or null on any trouble, soon in either case. */
export type Ask = (program: string, arguments_: readonly string[]) => Promise<string | null>;
