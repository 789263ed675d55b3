// A program: shows the JSON from standard input through node-notifier, and exits 1 if that fails.
import { text } from 'node:stream/consumers';
import notifier from 'node-notifier';
import { z } from 'zod';

import { programFile } from '../../platform/program-files.ts';

const wish = z.strictObject({ title: z.string(), message: z.string(), sound: z.boolean() });

const wished = wish.parse(JSON.parse(await text(process.stdin)));
notifier.notify({ ...wished, icon: programFile('icon') }, (error) => {
  // Success is null on one system and an empty string on the other.
  process.exit(error ? 1 : 0);
});
