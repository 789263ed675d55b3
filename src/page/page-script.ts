/** The script of the page. Without it, forms and links work, and a reload shows what changed. */
export const pageScript = String.raw`
'use strict';
(() => {
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const { live, version: shownVersion, still } = document.body.dataset;
  const plainTitle = document.title.replace(/^\(\d+\) /, '');

  // A form submits the sign-in link, so that a preview of the link does not use it up.
  const signIn = $('form[data-submit]');
  if (signIn) return signIn.requestSubmit();
  if (document.body.matches('.message')) return;

  const two = (number) => String(number).padStart(2, '0');
  function ageText(ms) {
    const minutes = Math.floor(Math.max(0, ms) / 60000);
    if (minutes < 1) return Math.floor(Math.max(0, ms) / 1000) + ' s';
    if (minutes < 60) return minutes + ' min';
    return minutes < 2880 ? Math.floor(minutes / 60) + ' h' : Math.floor(minutes / 1440) + ' d';
  }
  function countAges() {
    if (document.hidden) return;
    const now = Date.now();
    for (const time of $$('time[data-age]')) {
      const text = ageText(now - Date.parse(time.dateTime));
      if (time.textContent !== text) time.textContent = text;
    }
  }
  function setClocks(within) {
    const today = new Date().toDateString();
    for (const time of $$('time', within)) {
      const at = new Date(time.dateTime);
      time.title = at.toLocaleString();
      if (!('clock' in time.dataset)) continue;
      const day = at.toDateString() === today ? '' : at.getMonth() + 1 + '/' + at.getDate() + ' ';
      time.textContent = day + two(at.getHours()) + ':' + two(at.getMinutes());
    }
  }

  // What a person has typed or chosen, and where the focus is, outlives a change of its row.
  const nameOf = (field) => [field.tagName, field.name, field.type === 'radio' || field.type === 'checkbox' || field.tagName === 'BUTTON' ? field.value + field.textContent : ''].join('|');
  function carryOver(before, after) {
    const request = (row) => $$('input[name=request]', row).map((field) => field.value).join();
    const fields = $$('input:not([type=hidden]), textarea, select, button, a, pre', before);
    const next = $$('input:not([type=hidden]), textarea, select, button, a, pre', after);
    if (request(before) === request(after)) {
      for (const field of fields) {
        const twin = next.find((one) => nameOf(one) === nameOf(field));
        if (!twin) continue;
        if ('checked' in field && field.checked !== field.defaultChecked) twin.checked = field.checked;
        if (/^(text|textarea)$/.test(field.type) && field.value !== field.defaultValue) twin.value = field.value;
      }
    }
    const focused = document.activeElement;
    if (focused === before) return () => after.focus();
    const at = fields.indexOf(focused);
    if (at < 0) return null;
    const twin = next.find((one) => nameOf(one) === nameOf(focused)) ?? after;
    const { selectionStart, selectionEnd } = focused;
    return () => {
      twin.focus({ preventScroll: true });
      if (twin.setSelectionRange && selectionStart !== null && selectionStart !== undefined) twin.setSelectionRange(selectionStart, selectionEnd);
    };
  }
  function elementOf(html) {
    const template = document.createElement('template');
    template.innerHTML = html;
    const element = template.content.firstElementChild;
    setClocks(element);
    return element;
  }
  let changedAt = -Infinity;
  let settling = 0;
  function update({ id, order, rows }) {
    const region = document.getElementById(id);
    if (!region) return;
    const present = new Map([...region.children].map((row) => [row.id, row]));
    const focuses = [];
    let isMoved = false;
    for (const [rowId, html] of rows) {
      const after = elementOf(html);
      const before = present.get(rowId);
      if (before) {
        const focus = carryOver(before, after);
        before.replaceWith(after);
        if (focus) focuses.push(focus);
      }
      present.set(rowId, after);
      isMoved = true;
    }
    const kept = new Set(order);
    let next = region.firstElementChild;
    for (const row of [...region.children]) if (!kept.has(row.id)) { if (row === next) next = row.nextElementSibling; row.remove(); isMoved = true; }
    for (const rowId of order) {
      const row = present.get(rowId);
      if (!row) continue;
      if (row === next) { next = row.nextElementSibling; continue; }
      region.insertBefore(row, next);
      isMoved = true;
    }
    if (region.children.length === 0) region.textContent = '';
    for (const focus of focuses) focus();
    if (!isMoved || id !== 'waiting') return;
    // A click meant for one request must not reach another that moved below the pointer.
    changedAt = performance.now();
    document.body.classList.add('settling');
    clearTimeout(settling);
    settling = setTimeout(() => document.body.classList.remove('settling'), 600);
  }
  function showCounts(counts) {
    for (const [name, count] of Object.entries(counts)) {
      for (const place of $$('[data-count="' + name + '"]')) {
        place.textContent = count;
        if (place.matches('.badge')) place.hidden = count === 0;
      }
    }
    const waiting = counts.waiting ?? 0;
    document.title = (waiting > 0 ? '(' + waiting + ') ' : '') + plainTitle;
  }

  function showState(state, text) {
    const place = $('#live');
    if (!place) return;
    place.className = 'live ' + state;
    $('.text', place).textContent = text;
  }
  let source = null;
  let version = shownVersion;
  let again = 0;
  const pages = 'BroadcastChannel' in window ? new BroadcastChannel('hookbell') : null;
  function connect() {
    clearTimeout(again);
    source?.close();
    source = new EventSource(live + '&version=' + encodeURIComponent(version));
    source.onopen = () => showState('on', 'Live');
    source.onmessage = ({ data, lastEventId }) => {
      version = lastEventId;
      const { regions, counts } = JSON.parse(data);
      for (const region of regions) update(region);
      showCounts(counts);
      pages?.postMessage(counts);
      countAges();
    };
    source.onerror = async () => {
      showState('off', 'Reconnecting');
      if (source?.readyState !== EventSource.CLOSED) return;
      const answer = await fetch($('.brand').href + 'alive', { cache: 'no-store' }).catch(() => null);
      if (answer?.status === 401) location.reload();
      if (answer?.ok) showState('off', 'Too many pages are open');
      again = setTimeout(connect, 3000);
    };
  }
  // Browsers open only a few connections to one address. Of the hidden pages one stays connected, and tells the others how
  // many sessions wait, for their titles.
  let isKeeper = false;
  function follow() {
    if (!document.hidden) return connect();
    if (isKeeper) return source ?? connect();
    clearTimeout(again);
    source?.close();
    source = null;
    showState('off', 'Paused');
  }
  function keepFollowing() {
    if (pages) pages.onmessage = ({ data }) => showCounts(data);
    navigator.locks?.request('hookbell', () => {
      isKeeper = true;
      follow();
      return new Promise(() => {});
    });
  }

  const notice = $('#notice');
  let clearing = 0;
  function show(text, isFailed) {
    notice.className = isFailed ? 'failed' : '';
    notice.textContent = text;
    clearTimeout(clearing);
    if (!isFailed) clearing = setTimeout(() => { notice.textContent = ''; }, 8000);
  }
  document.addEventListener('submit', async (event) => {
    const form = event.target;
    if (!form.matches('form.act:not(.plain)')) return;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form, event.submitter));
    const buttons = $$('button', form);
    for (const button of buttons) button.disabled = true;
    try {
      const answer = await fetch(form.action, { method: 'POST', body, headers: { accept: 'application/json' } });
      const { ok, text } = await answer.json();
      show(text, !ok);
      if (ok && (still !== undefined || form.dataset.reload !== undefined)) location.reload();
    } catch {
      show('Not sent: the daemon does not respond', true);
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  });
  document.addEventListener('click', (event) => {
    const button = event.target.closest?.('.yes, .no');
    if (!button || event.detail === 0 || performance.now() - changedAt > 600) return;
    event.preventDefault();
    show('The list just changed: check the request, then click again', true);
  }, true);
  // Enter in the field for the words means Deny, and never Allow.
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !event.target.matches?.('.words')) return;
    event.preventDefault();
    event.target.form.requestSubmit($('.no', event.target.form));
  });

  const dialog = $('#shortcuts');
  const keys = $('#keys');
  const help = $('#help');
  help.hidden = false;
  help.addEventListener('click', () => dialog.showModal());
  try { keys.checked = localStorage.getItem('keys') !== 'off'; } catch {}
  keys.addEventListener('change', () => { try { localStorage.setItem('keys', keys.checked ? 'on' : 'off'); } catch {} });
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open || !keys.checked) return;
    if (target.matches('input:not([type=radio]):not([type=checkbox]), textarea, select')) {
      if (key === 'Escape') (target.closest('[data-row]') ?? document.body).focus();
      return;
    }
    const rows = $$('[data-row]').filter((row) => row.offsetParent !== null);
    const row = target.closest('[data-row]');
    if (key === 'j' || key === 'k') {
      const at = rows.indexOf(row);
      const next = rows[at < 0 ? (key === 'j' ? 0 : -1) : at + (key === 'j' ? 1 : -1)];
      next?.focus();
      next?.scrollIntoView({ block: 'nearest' });
    } else if (key === '?') dialog.showModal();
    else if (/^[1-9]$/.test(key)) $$('.top nav a')[key - 1]?.click();
    else {
      const place = (row && $('[data-key="' + key + '"]', row)) ?? $('[data-global="' + key + '"]');
      if (!/^[a-z]$/.test(key) || !place) return;
      if (key === 'x' || key === 'z' || key === 't') place.click();
      else place.focus();
    }
    event.preventDefault();
  });

  setClocks(document);
  countAges();
  setInterval(countAges, 1000);
  if (live) {
    document.addEventListener('visibilitychange', follow);
    follow();
    keepFollowing();
  }
})();
`.trim();
