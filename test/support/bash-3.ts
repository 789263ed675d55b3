/**
 * The path of a bash 3.2, the newest that macOS has, where HOOKBELL_BASH_3 names one. Debian and npm have none: it is built from the
 * source that Apple publishes (apple-oss-distributions/bash).
 */
export const bash3: string | undefined = process.env['HOOKBELL_BASH_3'] || undefined;
