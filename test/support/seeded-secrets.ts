// Put together here, so that no scanner takes this file for a leak.
/** Looks random to every detector. */
const LONG = 'Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2';

export interface SeededSecret {
  /** That has to find it. */
  readonly rule: string;
  readonly secret: string;
  /** The secret where it is recognised; by itself if left out. */
  readonly text?: (secret: string) => string;
}

/** At least one secret for each rule of `redactText` (fault 55). */
export const seededSecrets: readonly SeededSecret[] = [
  { rule: 'slack-webhook', secret: `https://hooks.slack.com/services/T000/B000/${LONG}` },
  { rule: 'slack-webhook', secret: `https://hooks.slack-gov.com/workflows/T000/${LONG}` },
  { rule: 'webhook', secret: `https://discord.com/api/webhooks/123456/${LONG}` },
  { rule: 'webhook', secret: `https://ptb.discordapp.com/api/webhooks/123456/${LONG}` },
  {
    rule: 'webhook',
    secret: `https://acme.webhook.office.com/webhookb2/${LONG}@x/IncomingWebhook`,
  },
  { rule: 'slack-token', secret: `xoxb-123456789012-${LONG}` },
  { rule: 'slack-token', secret: `xapp-1-A0-${LONG}` },
  { rule: 'slack-token', secret: `xoxe.xoxp-1-${LONG}`.slice(5) },
  { rule: 'git-token', secret: `ghp_${LONG}` },
  { rule: 'git-token', secret: `github_pat_${LONG}` },
  { rule: 'git-token', secret: `glpat-${LONG.slice(0, 20)}` },
  { rule: 'api-key', secret: `sk-proj-${LONG}` },
  { rule: 'api-key', secret: `fk-${LONG}` },
  { rule: 'api-key', secret: `sk_live_${LONG}` },
  { rule: 'api-key', secret: `AIza${LONG.slice(0, 35)}` },
  { rule: 'api-key', secret: `npm_${LONG}` },
  { rule: 'aws-key', secret: `AKIA${LONG.toUpperCase().slice(0, 16)}` },
  { rule: 'jwt', secret: `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${LONG}` },
  {
    rule: 'private-key',
    secret: `-----BEGIN OPENSSH PRIVATE KEY-----\n${LONG}\n-----END OPENSSH PRIVATE KEY-----`,
  },
  {
    rule: 'private-key',
    secret: `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n${LONG}\n-----END RSA PRIVATE KEY-----`,
  },
  { rule: 'authorization', secret: LONG, text: (secret) => `Authorization: Bearer ${secret}` },
  {
    rule: 'authorization',
    secret: 'dXNlcjpwYXNz',
    text: (secret) => `{"authorization": "basic ${secret}"}`,
  },
  { rule: 'authorization', secret: LONG, text: (secret) => `sent bearer ${secret}` },
  {
    rule: 'url-userinfo',
    secret: 'me:hunter2',
    text: (secret) => `git clone https://${secret}@host/x`,
  },
  { rule: 'assignment', secret: 'hunter22', text: (secret) => `password=${secret}` },
  { rule: 'assignment', secret: 'hunter22', text: (secret) => `{"db_password": "${secret}"}` },
  { rule: 'assignment', secret: 'hunter22', text: (secret) => `{\\"api_key\\":\\"${secret}\\"}` },
  { rule: 'assignment', secret: 'hunter22', text: (secret) => `AWS_SECRET_ACCESS_KEY=${secret}` },
  {
    rule: 'assignment',
    secret: 'hunter22',
    text: (secret) => `https://host/?access_token=${secret}&x=1`,
  },
  { rule: 'assignment', secret: 'hunter22', text: (secret) => `client-secret : '${secret}'` },
  {
    rule: 'private-key',
    secret: `-----BEGIN PGP PRIVATE KEY BLOCK-----\n${LONG}\n-----END PGP PRIVATE KEY BLOCK-----`,
  },
  { rule: 'git-token', secret: `gldt-${LONG}` },
  { rule: 'api-key', secret: `sk-ant-api03-${LONG}` },
  { rule: 'api-key', secret: `whsec_${LONG}` },
  { rule: 'api-key', secret: `hf_${'aBcDeFgHiJ'.repeat(4)}` },
  { rule: 'google-token', secret: `ya29.${LONG}` },
  { rule: 'google-token', secret: `GOCSPX-${LONG}` },
  { rule: 'sendgrid-key', secret: `SG.${LONG.slice(0, 22)}.${LONG}` },
  { rule: 'telegram-token', secret: `123456789:AA${LONG}` },
  { rule: 'cookie', secret: 'sid=hunter22; x=1', text: (secret) => `Cookie: ${secret}\n` },
  { rule: 'authorization', secret: 'hunter2222', text: (secret) => `authorization: ${secret}` },
  { rule: 'assignment', secret: 'hunter22', text: (secret) => `AccountKey=${secret};` },
  { rule: 'assignment', secret: '123456', text: (secret) => `password: ${secret}` },
  {
    rule: 'url-query',
    secret: 'a1b2c3d4e5',
    text: (secret) => `https://host/x?v=1&sig=${secret}&y`,
  },
  { rule: 'option', secret: 'hunter22', text: (secret) => `deploy --db-password ${secret} now` },
  { rule: 'option', secret: 'hunter22', text: (secret) => `curl -u me:${secret} https://host` },
  { rule: 'random', secret: LONG },
  { rule: 'random', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY2aB4cD' },
  { rule: 'token', secret: `dapi${'0123456789abcdef'.repeat(2)}` },
  { rule: 'token', secret: `NRAK-${'A1B2C3D4E'.repeat(3)}` },
  { rule: 'token', secret: `pul-${'0123456789abcdef0123'.repeat(2)}` },
  { rule: 'token', secret: `AGE-SECRET-KEY-1${'QPZRY9X8GF'.repeat(6).slice(0, 58)}` },
  { rule: 'airtable-token', secret: `pat${LONG.slice(0, 14)}.${'0123456789abcdef'.repeat(4)}` },
  { rule: 'azure-secret', secret: `aB38Q~${LONG.slice(0, 34)}` },
  { rule: 'discord-token', secret: `M${LONG.slice(0, 23)}.Ab1Cd2.${LONG}a` },
  { rule: 'mailchimp-key', secret: `${'0123456789abcdef'.repeat(2)}-us12` },
  { rule: 'maxmind-key', secret: `Ab1Cd2_${LONG.slice(0, 29)}_mmk` },
  {
    rule: 'netrc',
    secret: 'hunter22',
    text: (secret) => `machine host login me password ${secret}`,
  },
  { rule: 'pgpass', secret: 'hunter22', text: (secret) => `\ndb:5432:shop:app:${secret}\n` },
  { rule: 'option', secret: 'hunter22', text: (secret) => `mysql -u root -p${secret} shop` },
  { rule: 'option', secret: 'hunter22', text: (secret) => `sshpass -p ${secret} ssh me@host` },
  {
    rule: 'option',
    secret: 'hunter22',
    text: (secret) => `docker login -u me -p ${secret} registry.example.com`,
  },
  { rule: 'assignment', secret: 'hunter22', text: (secret) => `SECRET_KEY_BASE=${secret}` },
  { rule: 'assignment', secret: 'hunter22', text: (secret) => `DB_PASS=${secret}` },
  { rule: 'assignment', secret: 'hunter22', text: (secret) => `password      = ${secret}` },
  {
    rule: 'assignment',
    secret: 'hunter22',
    text: (secret) => `<add key="Password" value="${secret}" />`,
  },
  { rule: 'url-userinfo', secret: 'me:hun/ter22', text: (secret) => `amqp://${secret}@host/x` },
  {
    rule: 'url-userinfo',
    secret: '0123456789abcdef'.repeat(2),
    text: (secret) => `https://${secret}@o1.ingest.sentry.io/2`,
  },
];
