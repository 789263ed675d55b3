import { type Focus, osascriptStep } from './step.ts';

/** Searches the windows for the session of that id: https://iterm2.com/documentation-scripting.html */
const SCRIPT = `
on run argv
tell application "iTerm2"
repeat with aWindow in windows
repeat with aTab in tabs of aWindow
repeat with aSession in sessions of aTab
if unique ID of aSession is item 1 of argv then
select aWindow
select aTab
select aSession
activate
return
end if
end repeat
end repeat
end repeat
end tell
error "no such session"
end run`;

/** ITERM_SESSION_ID is such as "w0t1p0:" and the id. */
export const iterm2: Focus = ({ facts }) => {
  const id = /^w\d+t\d+p\d+:([\dA-F-]{36})$/i.exec(facts.iterm_session_id ?? '')?.[1];
  if (id === undefined || facts.term_program !== 'iTerm.app') return [];
  return [osascriptStep(SCRIPT, id)];
};
