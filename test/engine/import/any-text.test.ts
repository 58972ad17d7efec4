import fc from 'fast-check';
import { expect, it } from 'vitest';
import { unknownOf } from '../../../src/core/value.ts';
import { nameSteps } from '../../../src/engine/import-names.ts';
import { writePlaybook } from '../../../src/playbook/write-playbook.ts';
import { load } from './support.ts';

const ACTION = 'google.cloudresourcemanager.projects.ensure';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc
    .array(
      fc.constantFrom('{', '}', '{{', '}}', '{%', '%}', '{#', '#', '\n', ' ', "'", '"', '\\', '- ', ': ', '-', '##[a]'),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
  fc.constantFrom(
    'no',
    'NO',
    'y',
    'null',
    '~',
    '1e3',
    '0123',
    '0o7',
    '0x1',
    '1_000',
    '12:30:45',
    '.inf',
    '.NaN',
    '<<',
    '=',
    '2026-01-01',
    '---',
    '...',
    '%YAML 1.1',
    '!tag',
    '&a',
    '*a',
    '? x',
    '| ',
    '> ',
    '@',
    '`',
    '\ud800',
    '\ufeff',
    'x'.repeat(5000),
  ),
);

it('every text is written so that it is read as it was', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { minLength: 1, maxLength: 8 }),
      fc.array(text, { maxLength: 4 }),
      async (texts, comment) => {
        const labels = Object.fromEntries(texts.map((value, index) => [`k${index}`, value]));
        const tool = {
          provider: 'google',
          action: ACTION,
          input: { project_id: 'acme-dns-prod', labels, parent: texts[0] ?? '' },
        };
        const sections = [{ comment, steps: [{ comment, step: 'a', tool }] }];
        const yaml = writePlaybook({ comment, name: texts[0] || 'x', defaults: {}, sections });
        const { steps } = await load(yaml);
        expect(steps.map(({ input }) => input)).toEqual([tool.input]);
      },
    ),
    { numRuns: 400 },
  );
});

it.each(['{{{{\n \n{{', `${'x'.repeat(60)}\n  two\n\n \n\tthree `])(
  'a long text of several lines stays on one: %j',
  async (value) => {
    const tool = { provider: 'google', action: ACTION, input: { project_id: 'acme-dns-prod', parent: value } };
    const sections = [{ comment: [], steps: [{ comment: [], step: 'a', tool }] }];
    const yaml = writePlaybook({ comment: [], name: 'x', defaults: {}, sections });
    expect((await load(yaml)).steps.map(({ input }) => input)).toEqual([tool.input]);
  },
);

it('a reference is one, with literal text around it', async () => {
  const step = (name: string, input: object) => ({
    comment: [],
    step: name,
    tool: { provider: 'google', action: ACTION, input: { project_id: `acme-${name.length}-dns`, ...input } },
  });
  const reference = (address: string) => unknownOf(['{{ a }} ', { address, path: 'resource.name' }]);
  const steps = [
    step('plain', {}),
    step("it's", { parent: reference('plain') }),
    step('last one', { parent: reference("it's") }),
  ];
  const yaml = writePlaybook({ comment: [], name: 'x', defaults: {}, sections: [{ comment: [], steps }] });
  const loaded = await load(yaml);
  expect(loaded.steps.map(({ input }) => input['parent'])).toEqual([undefined, reference('plain'), reference("it's")]);
});

it('names are unique, plain, and do not depend on the order', () => {
  const draft = fc.record({
    key: fc.string(),
    names: fc.array(fc.oneof(text, fc.constantFrom('folder a', 'folder b')), { minLength: 1, maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.uniqueArray(draft, { selector: ({ key }) => key, maxLength: 12 }), (drafts) => {
      const names = nameSteps(drafts);
      expect(new Set(names.values()).size).toBe(drafts.length);
      for (const name of names.values()) expect(name).toMatch(/^[a-z0-9_]{1,80}$/);
      expect(nameSteps(drafts.toReversed())).toEqual(names);
    }),
  );
});
