import type { Ask } from './ask-program.ts';

/** A pane of a tmux server. */
export interface TmuxPaneState {
  /** Process id of the server. */
  readonly serverPid: string;
  /** Such as "%3". */
  readonly id: string;
  /** Such as "$1". */
  readonly session: string;
  /** Its program has ended. */
  readonly isDead: boolean;
  /** The first process in it. */
  readonly pid: string;
  /** Its window is the current one of its session. */
  readonly isCurrent: boolean;
  /** Device of its terminal, such as "/dev/pts/3". */
  readonly device: string;
  /** The option "allow-passthrough": empty before tmux 3.3, a number in 3.3, and a word since. */
  readonly passthrough: string;
}

/** A program attached to a tmux server: a terminal, or in control mode another one. */
export interface TmuxClient {
  readonly session: string;
  /** The pane that it shows. */
  readonly pane: string;
  /** Time of the last input, Unix ms. */
  readonly lastInputAt: number;
  readonly pid: number;
  readonly isControl: boolean;
  /** Its terminal reports the focus, and has it. */
  readonly hasFocus: boolean;
  /** Device of its terminal; empty if unknown. */
  readonly device: string;
  /** Names of its terminal, such as "xterm-kitty kitty(0.40)". */
  readonly names: string;
}

/** Fields of tmux(1), with those that may be empty or contain blanks at the end. */
const PANE =
  '#{pid} #{pane_id} #{session_id} #{pane_dead} #{pane_pid} #{window_active} #{pane_tty} #{allow-passthrough}';
const CLIENT =
  '#{session_id} #{pane_id} #{client_activity} #{client_pid} #{client_control_mode} #{focus-events} #{client_flags} #{client_tty} #{client_termname} #{client_termtype}';

/** The tmux server at a socket. */
export function tmuxServer(ask: Ask, socket: string) {
  const tmux = (...words: readonly string[]): Promise<string | null> =>
    ask('tmux', ['-S', socket, ...words]);
  return {
    /** Null if the pane does not exist, or the server does not respond. */
    async pane(id: string): Promise<TmuxPaneState | null> {
      const answer = await tmux('display-message', '-p', '-t', id, PANE);
      const pane = answer === null ? null : paneIn(answer.replace(/\r?\n$/, ''));
      return pane?.id === id ? pane : null;
    },
    /** What the pane shows, as text; null if the server does not respond. */
    screen: (id: string): Promise<string | null> => tmux('capture-pane', '-p', '-J', '-t', id),
    /** Null if the list is incomplete. */
    async panes(): Promise<readonly TmuxPaneState[] | null> {
      const answer = await tmux('list-panes', '-a', '-F', PANE);
      // Truncated output ends within a line.
      return answer?.endsWith('\n') === true ? linesOf(answer).map(paneIn) : null;
    },
    /** Most recently used first; empty if the server does not respond. */
    async clients(): Promise<readonly TmuxClient[]> {
      const answer = await tmux('list-clients', '-F', CLIENT);
      return linesOf(answer ?? '')
        .map(clientIn)
        .toSorted((one, other) => other.lastInputAt - one.lastInputAt);
    },
  };
}

function linesOf(answer: string): readonly string[] {
  return answer.split('\n').filter((line) => line.trim() !== '');
}

function paneIn(line: string): TmuxPaneState {
  const [serverPid = '', id = '', session = '', dead, pid = '', current, device = '', ...rest] =
    line.split(' ');
  return {
    serverPid,
    id,
    session,
    isDead: dead === '1',
    pid,
    isCurrent: current === '1',
    device,
    passthrough: rest.join(' ').trim(),
  };
}

function clientIn(line: string): TmuxClient {
  const [session = '', pane = '', input, pid, control, ...more] = line.split(' ');
  const [focusEvents, flags = '', device = '', ...names] = more;
  return {
    session,
    pane,
    lastInputAt: Number(input) * 1_000,
    pid: Number(pid),
    isControl: control === '1',
    hasFocus: focusEvents === '1' && flags.split(',').includes('focused'),
    device: /^\/dev\/[\w/]+$/.test(device) ? device : '',
    names: names.join(' ').trim(),
  };
}
