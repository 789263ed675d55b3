const CLIENT_LABELS: Readonly<Record<string, string>> = {
  'terminal-ui': 'Terminal',
  web: 'Web',
  'non-interactive-cli': 'Automation',
};

const DELEGATION_LABELS: Readonly<Record<string, string>> = {
  'auto-high': 'Maximum autonomy, minimal confirmations',
  'auto-medium': 'Balanced autonomy',
  'auto-low': 'Limited autonomy, frequent confirmations',
  spec: 'Planning before execution',
  manual: 'Every action confirmed',
};

/** How people call a client type; an unknown one is shown as it came. */
export function clientLabel(client: string): string {
  return labelFrom(CLIENT_LABELS, client);
}

/** What a delegation level means; an unknown one is shown as it came. */
export function delegationLabel(level: string): string {
  return labelFrom(DELEGATION_LABELS, level);
}

/** `billable_tokens` as people read them: standard credits, neither tokens nor money. */
export function creditsText(credits: number): string {
  const amount = credits.toLocaleString('en-US', { maximumFractionDigits: 2 });
  return `${amount} standard ${credits === 1 ? 'credit' : 'credits'}`;
}

function labelFrom(labels: Readonly<Record<string, string>>, key: string): string {
  return Object.hasOwn(labels, key) ? (labels[key] ?? key) : key;
}
