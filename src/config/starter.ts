/**
 * The text a new configuration starts with: every section explained, and equal to what holds without a file, so that
 * writing it changes nothing.
 *
 * @param schema path or URL of hookbell.schema.json, with which editors check and complete the file
 */
export function starterConfig(schema: string): string {
  return `# yaml-language-server: $schema=${schema}
#
# Configuration of hookbell. As it stands, it says what also holds without it: change what you like.
# "hookbell config check" tells whether hookbell understands it.

# Where notifications go: a name of your choice, the type, and options of the type.
# The inbox ("hookbell history") is always on. Secrets stay out of this file: say where they are kept.
channels:
  desktop: { type: desktop }
  # team: { type: slack, webhook: { env: SLACK_WEBHOOK_URL } }
  # mail: { type: email, to: [me@example.com], smtp: { host: smtp.example.com, user: me, password: { file: ~/.secrets/smtp } } }

# Whom to tell, and whom next if nobody reacts. Times count from the event; an answer ends the plan.
# plans:
#   escalate: [{ notify: desktop }, { after: 2m, notify: team }, { after: 10m, notify: mail }]

# Which events: the first route that fits is taken, and an event that fits none is silent.
# Conditions: kind, agent, project, tool, severity, longer_than, subagent, attended, permission_mode.
routes:
  # Somebody has to act (warning), or something failed (critical).
  - match: { severity: [warning, critical] }
    notify: desktop
  # A long piece of work is done.
  - match: { kind: turn.done, longer_than: 20s }
    notify: desktop

# Texts of your own, by kind or "default", with {agent} {duration} {event} {kind} {message} {project} {reason}
# {session} {session_id} {tool}.
# templates:
#   title: { turn.done: "{project}: done after {duration}" }

# How much hookbell remembers.
history: { keep: 90d, max_size: 500MB }
`;
}
