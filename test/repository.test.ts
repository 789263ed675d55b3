import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { parse, parseDocument } from 'yaml';
import * as z from 'zod';

import { exitCodes } from '../src/cli/context.ts';
import { OLDEST_NODE } from '../src/platform/program-files.ts';
import { projectRoot } from './support/hookbell-home.ts';

const templates = '.github/ISSUE_TEMPLATE';
const workflows = '.github/workflows';

/** The schema of issue forms: https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests/syntax-for-githubs-form-schema */
const words = z.string().min(1);
const id = z
  .string()
  .regex(/^[\w-]+$/)
  .optional();
const validations = z.strictObject({ required: z.boolean().optional() }).optional();
const asked = { label: words, description: words.optional() };
const Field = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: words }) }),
  z.strictObject({
    type: z.literal('input'),
    id,
    attributes: z.strictObject({
      ...asked,
      placeholder: words.optional(),
      value: words.optional(),
    }),
    validations,
  }),
  z.strictObject({
    type: z.literal('textarea'),
    id,
    attributes: z.strictObject({
      ...asked,
      placeholder: words.optional(),
      value: words.optional(),
      render: words.optional(),
    }),
    validations,
  }),
  z.strictObject({
    type: z.literal('dropdown'),
    id,
    attributes: z.strictObject({
      ...asked,
      multiple: z.boolean().optional(),
      options: z.array(words.refine((option) => option.toLowerCase() !== 'none')).min(1),
    }),
    validations,
  }),
  z.strictObject({
    type: z.literal('checkboxes'),
    id,
    attributes: z.strictObject({
      ...asked,
      options: z.array(z.strictObject({ label: words, required: z.boolean().optional() })).min(1),
    }),
  }),
]);
const Form = z.strictObject({
  name: words,
  description: words,
  title: words.optional(),
  labels: z.array(words).optional(),
  body: z.array(Field).refine((fields) => fields.some(({ type }) => type !== 'markdown')),
});

/** Of the syntax of workflows, what these use; an unknown key fails. */
const Permissions = z.record(z.string(), z.enum(['read', 'write', 'none']));
const Step = z.strictObject({
  name: words.optional(),
  id: words.optional(),
  if: words.optional(),
  uses: words.optional(),
  run: words.optional(),
  shell: z.enum(['cmd', 'pwsh']).optional(),
  with: z.record(z.string(), z.union([z.string(), z.boolean(), z.number()])).optional(),
  env: z.record(z.string(), z.string()).optional(),
});
const Job = z.strictObject({
  'runs-on': words,
  container: z.strictObject({ image: words, options: words.optional() }).optional(),
  strategy: z
    .strictObject({
      'fail-fast': z.boolean(),
      matrix: z.record(z.string(), z.array(z.union([z.string(), z.number()]))),
    })
    .optional(),
  if: words.optional(),
  needs: z.union([words, z.array(words)]).optional(),
  environment: words.optional(),
  permissions: Permissions.optional(),
  'timeout-minutes': z.number(),
  'continue-on-error': z.boolean().optional(),
  steps: z.array(Step).min(1),
});
const Workflow = z.strictObject({
  name: words,
  on: z.record(z.string(), z.unknown()),
  permissions: Permissions,
  concurrency: z.strictObject({ group: words, 'cancel-in-progress': z.boolean() }).optional(),
  defaults: z.strictObject({ run: z.strictObject({ shell: words }) }).optional(),
  jobs: z.record(z.string(), Job),
});

const Manifest = z.looseObject({
  version: z.string(),
  engines: z.strictObject({ node: z.string() }),
  scripts: z.record(z.string(), z.string()),
});

function textOf(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8');
}

function manifest(): z.output<typeof Manifest> {
  return Manifest.parse(JSON.parse(textOf('package.json')));
}

function formsOf(): readonly (readonly [string, z.output<typeof Form>])[] {
  return readdirSync(join(projectRoot, templates))
    .filter((name) => name !== 'config.yml')
    .map((name) => [name, Form.parse(parse(textOf(join(templates, name))))] as const);
}

function workflowsOf(): readonly (readonly [string, z.output<typeof Workflow>])[] {
  return readdirSync(join(projectRoot, workflows)).map((name) => {
    const document = parseDocument(textOf(join(workflows, name)), { strict: true });
    assert.deepEqual(document.errors, [], name);
    return [name, Workflow.parse(document.toJS())] as const;
  });
}

/** The cells of each row of the table below a heading, without its head. */
function rowsBelow(page: string, heading: string): readonly (readonly string[])[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}

describe('the templates', () => {
  test('are forms that GitHub accepts, with ids and labels that are unique', () => {
    const forms = formsOf();

    assert.deepEqual(forms.map(([name]) => name).toSorted(), ['agent-or-channel.yml', 'bug.yml']);
    for (const [name, { body }] of forms) {
      const fields = body.filter((field) => field.type !== 'markdown');
      const ids = fields.map((field) => field.id);
      const labels = fields.map(({ attributes }) => attributes.label);
      assert.equal(new Set(ids).size, ids.length, name);
      assert.equal(new Set(labels).size, labels.length, name);
    }
  });

  test('refuse an empty form, a choice "None" and an unknown key', () => {
    const form = {
      name: 'n',
      description: 'd',
      body: [{ type: 'input', attributes: { label: 'l' } }],
    };

    assert.ok(Form.safeParse(form).success);
    assert.ok(!Form.safeParse({ ...form, body: [] }).success);
    assert.ok(!Form.safeParse({ ...form, labels: 'bug' }).success);
    const none = { type: 'dropdown', attributes: { label: 'l', options: ['None'] } };
    assert.ok(!Form.safeParse({ ...form, body: [none] }).success);
  });

  test('leave security reports to GitHub, which SECURITY.md describes', () => {
    const chooser = z.strictObject({ blank_issues_enabled: z.literal(false) });

    assert.ok(chooser.safeParse(parse(textOf(join(templates, 'config.yml')))).success);
    const [bug] = formsOf().filter(([name]) => name === 'bug.yml');
    const [note] = bug?.[1].body ?? [];
    assert.ok(note?.type === 'markdown' && note.attributes.value.includes('../security/policy'));
    assert.match(textOf('SECURITY.md'), /"Report a vulnerability" in the \[Security tab\]/);
  });

  test('name commands and files that there are', () => {
    const text = readdirSync(join(projectRoot, '.github'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') || name.startsWith('ISSUE_TEMPLATE/'))
      .map((name) => textOf(join('.github', name)))
      .join('\n');
    const files = [...text.matchAll(/\b(?:docs\/[\w/-]+(?:\.md)?|[A-Z]+\.md)/g)].map(
      ([path]) => path,
    );

    assert.ok(files.includes('docs/troubleshooting.md'));
    for (const path of files) assert.doesNotThrow(() => readdirOrRead(path), path);
    for (const [, script = ''] of text.matchAll(/`npm run ([\w:]+)`/g)) {
      assert.ok(manifest().scripts[script] !== undefined, script);
    }
  });
});

function readdirOrRead(path: string): void {
  if (path.endsWith('.md')) textOf(path);
  else readdirSync(join(projectRoot, path));
}

describe('the workflows', () => {
  test('pin each action to a commit, with its version beside it', () => {
    for (const [name] of workflowsOf()) {
      const lines = textOf(join(workflows, name)).matchAll(/^ *-? *uses: (.*)$/gm);
      for (const [, used = ''] of lines) {
        assert.match(used, /^[\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, name);
      }
    }
  });

  test('may only read, unless a job says what else it needs, and keep no credentials', () => {
    for (const [name, { permissions, jobs }] of workflowsOf()) {
      assert.deepEqual(permissions, { contents: 'read' }, name);
      for (const step of Object.values(jobs).flatMap(({ steps }) => steps)) {
        assert.ok((step.uses === undefined) !== (step.run === undefined), name);
        if (step.uses?.startsWith('actions/checkout@') !== true) continue;
        assert.equal(step.with?.['persist-credentials'], false, name);
      }
    }
  });

  test('run nothing that an outsider can write: no expression within a script, no pull_request_target', () => {
    for (const [name, { on, jobs }] of workflowsOf()) {
      assert.ok(on['pull_request_target'] === undefined, name);
      for (const { run = '' } of Object.values(jobs).flatMap(({ steps }) => steps)) {
        assert.doesNotMatch(run, /\$\{\{/, name);
      }
    }
  });

  test('CI runs every supported Node on Linux, macOS and Windows, with a first notification', () => {
    const ci = Object.fromEntries(workflowsOf())['ci.yml'] ?? assert.fail('there is no ci.yml');
    const supported = supportedNodes();

    for (const name of ['node', 'other-systems']) {
      const { strategy, steps } = ci.jobs[name] ?? assert.fail(name);
      assert.deepEqual(strategy?.matrix['node'], supported, name);
      assert.ok(
        steps.some(
          ({ run }) => run === 'node scripts/first-ring.mjs "$(npm root --global)/hookbell"',
        ),
        name,
      );
    }
    const systems = ci.jobs['other-systems']?.strategy?.matrix['system'];
    assert.deepEqual(systems, ['macos-latest', 'windows-latest']);
    assert.ok(ci.jobs['complete']?.steps.some(({ run }) => run === '.ci/run'));
  });

  test('only a tag publishes: after the checks, with approval, provenance and no stored token', () => {
    const { on, jobs } =
      Object.fromEntries(workflowsOf())['release.yml'] ?? assert.fail('there is no release.yml');
    const { check, packed, publish, ...others } = jobs;

    assert.deepEqual(on, { push: { tags: ['v*'] } });
    assert.deepEqual(others, {});
    assert.equal(check?.permissions, undefined);
    assert.ok(check?.steps.some(({ run }) => run === '.ci/run'));
    assert.ok(check?.steps.some(({ run }) => run === 'node scripts/release-check.mjs'));
    assert.deepEqual(packed?.strategy?.matrix['system'], [
      'ubuntu-latest',
      'macos-latest',
      'windows-latest',
    ]);
    assert.deepEqual(publish?.needs, ['check', 'packed']);
    assert.equal(publish?.environment, 'release');
    assert.deepEqual(publish?.permissions, {
      attestations: 'write',
      contents: 'write',
      'id-token': 'write',
    });
    const signed = publish?.steps.find(({ uses = '' }) => uses.startsWith('actions/attest@'));
    const files = String(signed?.with?.['subject-path']).trim().split(/\s+/);
    const commands = publish?.steps.map(({ run = '' }) => run).join('\n') ?? '';
    assert.match(commands, /^npm publish .* --provenance /m);
    assert.ok(commands.endsWith(` --notes-file notes.md ${files.join(' ')}`), commands);
    assert.match(
      commands,
      /npm install --global \.\/hookbell-\*\.tgz\n[^]*sha256sum hookbell-\*\.tgz hookbell_\*\.deb > SHA256SUMS/,
    );
    assert.match(
      commands,
      /release-notes\.mjs > notes\.md[^]*bill-of-materials\.mjs > hookbell\.cdx/,
    );
    assert.doesNotMatch(textOf(join(workflows, 'release.yml')), /secrets\./);
    const writers = workflowsOf().flatMap(([name, workflow]) =>
      Object.entries(workflow.jobs).flatMap(([job, { permissions }]) =>
        Object.values(permissions ?? {}).includes('write') ? [`${name} ${job}`] : [],
      ),
    );
    assert.deepEqual(writers, ['release.yml publish']);
  });

  test('run files and scripts that there are', () => {
    const scripts = workflowsOf()
      .flatMap(([, { jobs }]) => Object.values(jobs).flatMap(({ steps }) => steps))
      .flatMap(({ run = '' }) => run.split('\n'));

    for (const line of scripts) {
      const [, file] = /(?:^|node )((?:scripts|\.ci)\/[\w.-]+)/.exec(line) ?? [];
      if (file !== undefined) assert.ok(textOf(file).length > 0, file);
      const [, script] = /npm run ([\w:]+)/.exec(line) ?? [];
      if (script !== undefined) assert.ok(manifest().scripts[script] !== undefined, script);
    }
  });
});

/** Major versions of Node that docs/versions.md lists. */
function supportedNodes(): readonly number[] {
  return rowsBelow(textOf('docs/versions.md'), 'Node').map(([version]) => Number(version));
}

describe('docs/versions.md', () => {
  test('names the Node that the package needs, and supports each for a year after its end', () => {
    const { engines } = manifest();
    const page = textOf('docs/versions.md');

    assert.equal(engines.node, `>=${OLDEST_NODE}`);
    assert.ok(page.includes(`hookbell runs on Node ${OLDEST_NODE} and newer`));
    assert.equal(supportedNodes()[0], Number(OLDEST_NODE.split('.')[0]));
    for (const [node, end = '', until = ''] of rowsBelow(page, 'Node')) {
      const [day, month, year] = end.split(' ');
      assert.equal(until, `${day} ${month} ${Number(year) + 1}`, `Node ${node}`);
    }
  });

  test('lists every exit code of the commands', () => {
    const listed = rowsBelow(textOf('docs/versions.md'), 'Exit codes');

    assert.deepEqual(
      listed.map(([code, name]) => [name, Number(code)]),
      Object.entries(exitCodes),
    );
  });
});
