/**
 * What docs/troubleshooting.md says about each check of "hookbell doctor", and what each of its findings means: sentences without
 * a full stop. The names are those of the program; NAME stands for an agent or a channel.
 */
export const troubleshootingTexts = {
  node: {
    about: 'Whether the Node.js that runs hookbell is new enough',
    meanings: {
      old: 'hookbell is not tested with it and may not start',
    },
  },
  program: {
    about:
      'Whether your copy of the program, which the hooks and the service run, has the version of the program that runs this command',
    meanings: {
      older: 'A package was upgraded, but your copy was not',
      newer:
        'The command belongs to a package that was not upgraded with your copy; its "hookbell install" would downgrade your copy',
    },
  },
  'state directory': {
    about: 'Whether only you have access to the directory of the database, the log and the token',
    meanings: {
      missing: 'The daemon has not run here yet',
      other: 'A link or a file is in its place, which another user may control',
      foreign: 'Another user could read your events there, or add false ones',
      open: 'Other users could read your events there, or add false ones',
    },
  },
  'spool directory': {
    about: 'Whether only you have access to the directory into which hooks write events',
    meanings: {
      missing: 'The daemon has not run here yet',
      other: 'A link or a file is in its place, which another user may control',
      foreign: 'Another user could read your events there, or add false ones',
      open: 'Other users could read your events there, or add false ones',
    },
  },
  disk: {
    about: 'Whether files can be written to the state directory and the spool',
    meanings: {
      refuses: 'New events are lost while the disk accepts no files: the hook must not report it',
    },
  },
  'private files': {
    about:
      'Whether the database, the log, the token, the list of trusted projects and the copy of the configuration are private',
    meanings: {
      other: 'It is not a regular file',
      foreign: 'It belongs to another user, who can change it',
      open: 'Other users could read it if its directory were ever open',
      outside:
        'Windows closes the folder of your profile to other users, and only that. hookbell sets no permissions there',
    },
  },
  'launch script': {
    about: 'The script with which a hook starts the daemon if none is running',
    meanings: {
      missing: 'Without it events wait until you start the daemon',
      cut: 'It is empty or cut off, for example after a power cut: hooks use its spare copy if that is complete',
      outdated:
        'An earlier version wrote it, or its environment was never recorded: a daemon started by a hook gets fewer or different variables than yours',
      foreign: 'It belongs to another user, is a link or cannot be run',
    },
  },
  environment: {
    about:
      'Whether a variable of this shell disables TLS certificate verification. hookbell ignores it; other programs, such as your agents, do not',
    meanings: {
      insecure:
        'Every Node program started here accepts any certificate; hookbell itself still verifies them',
    },
  },
  ownership: {
    about:
      'Whether only you (or root) can write to the program, the hook, the launch script, the configuration, and every directory above them',
    meanings: {
      foreign: 'Another user could run programs as you by changing or replacing it',
    },
  },
  daemon: {
    about: 'Whether the daemon answers and has the version of this command',
    meanings: {
      silent:
        'No notifications are sent while it is not running. Events wait in the spool; the next hook starts it unless it was stopped by "hookbell stop"',
      older: 'hookbell was updated while the daemon was running',
    },
  },
  configuration: {
    about: 'Whether the configuration is valid and in effect',
    meanings: {
      invalid:
        'The file has an error, reported with line and column; the last valid configuration stays in effect',
      other:
        'The daemon was started with other variables and reads a different file than this command',
      untaken:
        'The file is well-formed, but the daemon cannot use it, for example because a secret cannot be read',
      doubtful: 'It is in effect, but a setting does not do what it seems to',
    },
  },
  secrets: {
    about: 'Whether only you can read the secrets of the configuration',
    meanings: {
      refused: 'A secret file is missing or open to others: the daemon does not use it',
      open: 'The configuration contains a secret, and others may read it',
      plain:
        'The configuration contains a secret. It works, but { file: PATH } keeps it out of backups and repositories',
    },
  },
  project: {
    about:
      'What the ".hookbell.yaml" of the current project mutes, and which name it gives the project',
    meanings: {
      unheeded:
        'The file is not trusted yet, was changed since it was trusted, or has an error: it has no effect',
    },
  },
  spool: {
    about: 'Whether events from hooks reach the daemon',
    meanings: {
      waiting: 'Events arrived while no daemon was running; it reads them when it starts',
      stuck:
        'The daemon is running but does not read the spool, for example because the disk is full',
    },
  },
  quarantine: {
    about: 'Whether something arrived that is not an event',
    meanings: {
      some: 'A hook received something that is empty, unreadable or does not name its event; it did not notify you',
    },
  },
  'unknown events': {
    about:
      'Whether agents sent events or types of notification that hookbell does not know, in the last 30 days',
    meanings: {
      some: 'A new version of an agent uses them. An unknown type of notification notifies you; an unknown event is only in the history',
    },
  },
  'waits without a hook': {
    about:
      'How many waits of the last 30 days only the record of an agent has shown, because no hook ran',
    meanings: {
      most: 'Most waits of an agent came without a hook. You were notified, but with less detail, and could not answer from elsewhere',
    },
  },
  deliveries: {
    about: 'Whether messages were given up',
    meanings: {
      dead: 'They reached the retry limit of the channel, or can never be delivered',
    },
  },
  mutes: {
    about: 'Whether something is muted now',
    meanings: {
      muted:
        'Muted notifications are held until the mute ends; those still unanswered are sent then',
    },
  },
  accounts: {
    about: 'Whether every recent event has an outcome, or a time for its next step',
    meanings: {
      open: 'An event notified no one without a reason, or something due was missed',
    },
  },
  warnings: {
    about: 'A warning from the daemon, such as a nearly full disk',
    meanings: {
      some: 'Follow the text of the warning; "hookbell status" also shows it',
    },
  },
  heartbeat: {
    about: 'Whether an external monitor would notice that the daemon has stopped',
    meanings: {
      failing: 'The heartbeat address cannot be reached, or refuses the request',
    },
  },
  relay: {
    about:
      'Whether the machine to which this one forwards events is reachable and accepts its token',
    meanings: {
      unreachable: 'Events wait here until the other machine accepts them',
      unasked: 'The daemon did not answer in time',
    },
  },
  listen: {
    about: 'Whether other machines can send their events here',
    meanings: {
      closed: 'The daemon could not open the configured address or socket',
      alone: 'It listens, but no machine may send events',
      uninvited: 'It is a hub, but no machine has joined it',
    },
  },
  'agent NAME': {
    about:
      'Whether the hook is registered with an agent for the right events and can run, and when the last event arrived. Agents not found on this machine are skipped',
    meanings: {
      unusable: 'The hook settings of the agent cannot be read or parsed',
      unregistered: 'The agent is installed, but its events do not notify you',
      broken:
        'The hook program was moved or removed, or its path is not absolute; some agents then show an error on every event',
      outdated:
        'The registered command does not name the state directory of this installation, so the environment of the agent decides it; a repository can set that',
      off: 'A setting of the agent disables all hooks, including those of other programs',
      forbidden:
        'The hook is registered for an event that fails or delays the agent if the hook prints nothing',
      timeout: 'The timeout of a hook is far from the usual value: probably the wrong unit',
      doubled:
        'The hook is registered in two places. Each event notifies once, but the agent may run the hook twice',
      pluginOnly:
        'The plugin registers only the events that all of its agents have; some events of this one are missing',
      incomplete: 'Some events of the agent are not registered, so hookbell does not receive them',
    },
  },
  'channel NAME': {
    about: 'Whether a channel works, by its own check and by its last deliveries',
    meanings: {
      unfit:
        'The channel reports that it cannot send (a secret, an address, a program), and usually what to do',
      broken:
        'The remote side refused permanently, for example a revoked key: nothing is sent there until the configuration changes',
      open: 'Several messages in a row failed: the channel is paused, and what it holds is sent when it works again',
      limited: 'The remote side asked to wait; hookbell waits and continues automatically',
      undelivered: 'The last message was not delivered; it may still be retried',
      unasked: 'The daemon could not check it',
    },
  },
  presence: {
    about:
      'How the daemon detects whether you are present. None of it has to work: if presence cannot be detected, you are notified',
    meanings: {},
  },
  'session look-up': {
    about:
      'Whether the daemon can look up session titles from the vendor\'s service. Skipped if "api" is not configured; notifications are sent without it too',
    meanings: {
      refused: 'The service cannot be reached, or rejects the key: titles and credits are missing',
      unasked: 'The daemon did not answer in time',
    },
  },
  'usage data': {
    about:
      'Whether the daemon gets the usage data for "budget" and "digest": it requests one day. Skipped if neither is configured',
    meanings: {
      refused:
        'The service cannot be reached, or the key may not read usage: the key of a member may look up sessions, but not read usage. No budget alert and no digest is sent',
    },
  },
  'readiness reports': {
    about:
      'Whether "app_url" serves the readiness reports: it requests one. Skipped without "app_url" or a key. A key that may not read them is a warning only with "watch: readiness"',
    meanings: {
      refused: '"app_url" does not serve readiness reports, or the key may not read them',
    },
  },
  command: {
    about: 'Whether you can type "hookbell"',
    meanings: {
      elsewhere:
        'It is installed, but not on the PATH of your shell; hooks and daemon are not affected',
      missing: 'The command is not installed',
    },
  },
  service: {
    about: 'Whether a service or the first hook starts the daemon. Both are fine',
    meanings: {
      idle: 'The service file exists, but the service manager has not loaded it',
    },
  },
  'AGENT EVENT': {
    about:
      'Whether the registered events of one prompt arrive, how late, and how often. Events that one prompt does not cause, that an agent omits without a terminal, or that arrive only at the end of a session are skipped, with the reason',
    meanings: {
      late: 'The hook ran in time, and the daemon took the event more than 5 s later',
      doubled: 'The hook is registered twice. It notifies once, but the agent runs it twice',
      missing: 'The agent did not run the hook: it was not restarted, or does not trust its hooks',
    },
  },
  days: {
    about: 'The last seven days for which the service has data',
    meanings: {
      missing: 'The service has no data for some of them, so only the rest counts',
    },
  },
  hook: {
    about: 'How often the hook ran in the sessions of the organization',
    meanings: {
      idle: 'No sessions took place',
      never: 'Sessions took place, but the hook never ran',
    },
  },
  users: {
    about: 'Users who were active without any hook',
    meanings: {
      noUsers: 'No user was active',
      without:
        'No hook at all ran for them; the service does not report whose hook ran for the others',
    },
  },
};
