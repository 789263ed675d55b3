import { HookbellError } from '../platform/errors.ts';
import { decisionOfForm } from '../reply/page-html.ts';
import { decidableOf, type Decisions } from '../reply/decisions.ts';
import { parseDuration } from '../text/duration.ts';
import type { PageAccess, PageSession } from './page-access.ts';
import type { AskInside } from './page-views.ts';
import { choicesOnPage } from './session-rows.ts';

/** The outcome of a form, with a sentence for the person. */
export interface ActionResult {
  readonly status: 200 | 400 | 403 | 404 | 410 | 422;
  readonly text: string;
}

export interface PageActionParts {
  readonly ask: AskInside;
  readonly decisions: Pick<Decisions, 'find' | 'answer'>;
  readonly redact: (text: string) => string;
  readonly access: Pick<PageAccess, 'confirm'>;
}

type Action = (
  form: URLSearchParams,
  session: PageSession,
  parts: PageActionParts,
) => Promise<ActionResult>;

function sessionIn(form: URLSearchParams): string {
  const text = form.get('session') ?? '';
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const done = (text: string): ActionResult => ({ status: 200, text });

const actions: Readonly<Record<string, Action>> = {
  decide,

  async ack(form, _, { ask }) {
    const { count } = await ask('POST /v1/ack', { body: { session: sessionIn(form) } });
    return done(count > 0 ? 'Acknowledged: it no longer escalates' : 'It was already acknowledged');
  },

  async snooze(form, _, { ask }) {
    const forMs = parseDuration(form.get('for') ?? '') ?? 0;
    await ask('POST /v1/snooze', { body: { session: sessionIn(form), forMs } });
    return done('Snoozed: it notifies again later if it is still open');
  },

  async open(form, _, { ask }) {
    const { reason } = await ask('POST /v1/open', { body: { session: sessionIn(form) } });
    if (reason === null) return done('Its terminal is in front');
    return { status: 422, text: `Cannot show its terminal: ${reason}` };
  },

  async mute(form, _, { ask }) {
    const forMs = parseDuration(form.get('for') ?? '') ?? 0;
    const project = form.get('project')?.trim();
    await ask('POST /v1/mutes', { body: { forMs, ...(project ? { project } : {}) } });
    return done('Muted');
  },

  async unmute(form, _, { ask }) {
    const { count } = await ask('POST /v1/unmute', { body: { ids: [form.get('id') ?? ''] } });
    return done(
      count === 0 ? 'It was already removed' : 'Removed: the held notifications are sent now',
    );
  },

  async quiet(form, { rights }, { ask }) {
    if (rights !== 'decide')
      return { status: 403, text: 'This browser is not allowed to change that' };
    const [from, to] = [form.get('from') ?? '', form.get('to') ?? ''];
    const isOff = form.get('off') === '1';
    await ask('POST /v1/quiet-hours', { body: isOff ? { off: true } : { from, to } });
    return done(isOff ? 'The quiet hours were removed' : `Quiet hours are from ${from} to ${to}`);
  },

  async test(form, _, { ask }) {
    const body = { channels: [form.get('channel') ?? ''] };
    const [tested] = await ask('POST /v1/test', { body });
    if (tested?.outcome === 'delivered') return done(`A test was sent through "${tested.channel}"`);
    return { status: 422, text: `Not sent: ${tested?.reason ?? 'the channel is unknown'}` };
  },

  async confirm(form, session, { access }) {
    if (access.confirm(session, form.get('code') ?? '')) {
      return done('This browser can allow requests now');
    }
    return { status: 403, text: 'The code is wrong or has expired' };
  },
};

/** Carries out what a form asks for; the form was checked to come from the page. */
export async function runAction(
  name: string,
  form: URLSearchParams,
  session: PageSession,
  parts: PageActionParts,
): Promise<ActionResult> {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) return { status: 404, text: 'The page has no such form' };
  try {
    return await action(form, session, parts);
  } catch (error) {
    if (!(error instanceof HookbellError)) throw error;
    return { status: 422, text: error.message };
  }
}

/** As on the reply page: only the request that was shown, in full, and only the answers offered for it. */
async function decide(
  form: URLSearchParams,
  { rights }: PageSession,
  { decisions, redact }: PageActionParts,
): Promise<ActionResult> {
  const id = form.get('question') ?? '';
  const found = await decisions.find(id);
  if (found.type === 'unknown') return { status: 410, text: 'The request is no longer open' };
  if (found.type === 'closed') return { status: 410, text: found.reason };
  const request = decidableOf(found.shown, redact);
  const choices = choicesOnPage(request, rights);
  const decided = decisionOfForm(form, { ...request, choices });
  if (decided === null) return { status: 400, text: 'Choose one of the offered answers' };
  const given = await decisions.answer(id, { ...decided, via: 'page' });
  if (!given.ok) return { status: 410, text: given.reason };
  return done(`${headings[decided.choice]}: the answer was sent to the agent`);
}

const headings = {
  allow: 'Allowed',
  'allow-session': 'Allowed for the session',
  deny: 'Denied',
  answer: 'Answered',
} as const;
