import { handOverText, type PluginParts } from './hand-over-text.ts';

/**
 * A prompt is a message of the user, which OpenCode updates many times; its own messages are not forwarded. A subagent
 * runs in a session that names its parent (`parentID` of `session.created`): its requests and its end belong to the
 * parent session, its end with the subagent's session as `agent_id`, and its prompts do not come from a person.
 */
export function opencodeText(product: string, parts: PluginParts): string {
  const { ask } = parts;
  return `${handOverText(product, parts)}const requests = ["permission.asked","question.asked"];
const parents = new Map();
const spoken = new Map();
let lastPrompt = null;
${ask === null ? '' : ANSWERING}
function known(session) {
  let id = session;
  while (parents.has(id)) id = parents.get(id);
  return id;
}

export const Hookbell = async ({ directory${ask === null ? '' : ', client'} } = {}) => ({
  event: async ({ event }) => {
    try {
      const { type, properties } = event;
      if (!program) return;
      const { part } = properties;
      if (type === 'message.part.updated' && part.type === 'text' && part.messageID !== lastPrompt) {
        spoken.set(part.sessionID, part.text);
      }
      ${ask === null ? '' : 'if (part?.messageID === lastPrompt) confirm(part, directory);'}
      if (!events.includes(type)) return;
      const { info } = properties;
      if (type === 'session.created' && info.parentID && info.parentID !== info.id) {
        parents.set(info.id, info.parentID);
        return;
      }
      const own = properties.sessionID ?? info?.sessionID ?? info?.id;
      const sessionID = known(own);
      const isSubagent = sessionID !== own;
      if (type === 'session.deleted') {
        parents.delete(own);
        spoken.delete(own);
      }
      if (isSubagent && (type === 'session.deleted' || type === 'message.updated')) return;
      if (type === 'message.updated') {
        const { id, role } = info;
        if (role !== 'user' || id === lastPrompt) return;
        lastPrompt = id;
      }
      const told = { type, properties, cwd: directory };
      if (type === 'session.idle') {
        told.last_assistant_message = spoken.get(own);
        spoken.delete(own);
      }
      if (isSubagent) told.properties = { ...properties, sessionID };
      if (isSubagent && type.startsWith('session.')) told.agent_id = own;
      ${ask === null ? 'hand(told);' : 'follow(told, client);'}
    } catch {
      // OpenCode must not notice.
    }
  },
});
`;
}

/** The part that answers for a person. A reply that OpenCode refuses (the terminal was first) or does not get is reported: only its response shows it. */
const ANSWERING = String.raw`
const open = new Map();
const sent = new Map();

function post(client, url, body) {
  const path = encodeURI(url);
  return client._client
    .request({ method: 'POST', url: path, body, headers: { 'content-type': 'application/json' } })
    .then(({ response }) => response.ok === true)
    .catch(() => false);
}

// The request to OpenCode that an answer means; null in any doubt.
function replyFor({ type, properties }, line) {
  const isText = (value) => typeof value === 'string';
  const { reply, message, answers, reject } = JSON.parse(line);
  if (type === 'permission.asked') {
    const isReply = reply === 'once' || reply === 'always' || (reply === 'reject' && isText(message));
    return isReply ? ['/permission/' + properties.id + '/reply', { reply, message }] : null;
  }
  if (reject === true) return ['/question/' + properties.id + '/reject', {}];
  const isAnswer =
    Array.isArray(answers) && answers.every((one) => Array.isArray(one) && one.every(isText));
  return isAnswer ? ['/question/' + properties.id + '/reply', { answers }] : null;
}

// Starts the hook that waits, and gives what it prints, if a person decided.
function wait(told, decided) {
  let said = '';
  const child = spawn(ask, words, { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.stdout.on('error', () => {});
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text) => {
    said += text;
  });
  child.on('close', () => {
    try {
      if (said.endsWith('\n')) decided(said);
    } catch {
      // OpenCode must not notice.
    }
  });
  child.stdin.end(JSON.stringify(told));
  child.unref();
  child.stdout.unref?.();
}

function offer(told, client) {
  const { id } = told.properties;
  open.set(id, null);
  wait(told, (line) => {
    const found = open.has(id) ? replyFor(told, line) : null;
    if (found === null) return;
    const taken = post(client, ...found);
    open.set(id, taken);
    taken.then((isTaken) => {
      // Its prompt is still open: no one has decided.
      if (!isTaken && open.has(id)) hand({ ...told, from_hookbell: false });
    });
  });
}

// A session at rest takes words; what it has of them is reported, in its own event.
function listen(told, client) {
  const { sessionID } = told.properties;
  wait(told, (line) => {
    const { prompt: text } = JSON.parse(line);
    if (typeof text !== 'string') return;
    sent.set(sessionID, text);
    post(client, '/session/' + sessionID + '/prompt_async', { parts: [{ type: 'text', text }] });
  });
}

function confirm({ type, text, sessionID, messageID: id }, cwd) {
  if (type !== 'text' || text !== sent.get(sessionID)) return;
  sent.delete(sessionID);
  const info = { id, sessionID, role: 'user' };
  hand({ type: 'message.updated', properties: { info }, cwd, from_hookbell: true });
}

function follow(told, client) {
  const { type, properties } = told;
  const answering = open.get(properties.requestID);
  open.delete(properties.requestID);
  if (answering) {
    const timer = new Promise((resolve) => setTimeout(resolve, 5000).unref?.());
    Promise.race([answering, timer]).then((from_hookbell) => hand({ ...told, from_hookbell }));
    return;
  }
  hand(told);
  try {
    if (!client?._client) return;
    if (requests.includes(type) && properties.id) offer(told, client);
    if (type === 'session.idle' && !told.agent_id) listen(told, client);
  } catch {
    // OpenCode must not notice.
  }
}
`;
