import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { z } from 'zod';

import { statusLine } from '../../src/core/status-line.ts';
import { parseJson } from '../../src/platform/json.ts';

const NOW = 1_800_000_000_000;
const shop = { name: 'shop', since: NOW - 240_000 };

describe('statusLine()', () => {
  test('has the number of waiting sessions and the one that waits longest, and nothing without one', () => {
    assert.equal(
      statusLine([shop, { ...shop, name: 'depot' }], NOW, 'plain'),
      '2 wait · shop 4 min',
    );
    assert.equal(statusLine([shop], NOW, 'plain'), '1 waits · shop 4 min');
    assert.equal(statusLine([], NOW, 'plain'), '');
    assert.equal(statusLine([], NOW, 'tmux', '{count}'), '');
    assert.equal(statusLine([shop], NOW, 'plain', '{count}:{name}:{age}'), '1:shop:4 min');
  });

  test('no name can be a command of tmux or markup of Waybar', () => {
    const hostile = { name: '#(reboot)<b>&', since: NOW };

    assert.match(statusLine([hostile], NOW, 'tmux'), /· ##\(reboot\)<b>& 0 s#\[default\]$/);
    assert.deepEqual(parseJson(statusLine([hostile], NOW, 'waybar')), {
      text: '1 waits · #(reboot)&lt;b&gt;&amp; 0 s',
      tooltip: '#(reboot)&lt;b&gt;&amp; 0 s',
      class: 'waiting',
      alt: 'waiting',
    });
  });

  test('the tooltip of Waybar lists ten sessions, with long names cut in the middle', () => {
    const many = Array.from({ length: 11 }, () => ({ ...shop, name: 'x'.repeat(30) }));

    const { tooltip, text } = z
      .object({ tooltip: z.string(), text: z.string() })
      .parse(parseJson(statusLine(many, NOW, 'waybar')));

    const line = `${'x'.repeat(14)} … ${'x'.repeat(7)} 4 min`;
    assert.deepEqual(tooltip.split('\n'), Array(10).fill(line));
    assert.equal(text, `11 wait · ${line}`);
    assert.deepEqual(parseJson(statusLine([], NOW, 'waybar')), {
      text: '',
      tooltip: '',
      class: 'idle',
      alt: 'idle',
    });
  });
});
