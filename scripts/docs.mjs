// Writes docs/errors.md and docs/actions.md from the tables in the code; with --check only says whether they are current.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const NOTICE = '<!-- Written by `node scripts/docs.mjs` from the code. Do not edit. -->';
const ENTRY = `
export { CODES } from './src/core/codes.ts';
export { EXIT_OF_FAULT } from './src/cli/exit-codes.ts';
export { ACTIONS } from './src/providers/google/actions.ts';
export { ACTIONS as YANDEX_ACTIONS } from './src/providers/yandex/actions.ts';
export { fieldRules } from './src/providers/yandex/link.ts';
export { hindranceText } from './src/providers/yandex/hindrance.ts';
`;

const code = await loadCode();
const pages = { 'docs/errors.md': errorsPage(code), 'docs/actions.md': actionsPage(code) };
const stale = Object.entries(pages).filter(([path, text]) => current(path) !== text);

if (!process.argv.includes('--check')) {
  for (const [path, text] of stale) writeFileSync(join(root, path), text);
} else if (stale.length > 0) {
  console.error(`Not current: ${stale.map(([path]) => path).join(', ')}. Run \`node scripts/docs.mjs\` and commit.`);
  process.exitCode = 1;
}

/** The tables, bundled first: Node 20 does not read TypeScript. */
async function loadCode() {
  const folder = mkdtempSync(join(tmpdir(), 'infra-docs-'));
  const entry = join(root, 'docs-entry.ts');
  const virtual = {
    name: 'docs-entry',
    resolveId: (source) => (source === entry ? entry : null),
    load: (id) => (id === entry ? ENTRY : null),
  };
  try {
    const build = await rolldown({ cwd: root, input: entry, platform: 'node', plugins: [virtual] });
    await build.write({ dir: folder, format: 'esm', entryFileNames: 'docs.mjs', chunkFileNames: '[name].mjs' });
    await build.close();
    return await import(pathToFileURL(join(folder, 'docs.mjs')).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function current(path) {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return null;
  }
}

function page(title, intro, sections) {
  return `${[NOTICE, `# ${title}`, ...intro, ...sections].join('\n\n')}\n`;
}

function errorsPage({ CODES, EXIT_OF_FAULT }) {
  const titles = {
    usage: 'Usage, playbook or configuration',
    auth: 'Authentication and permission',
    refused: 'Refusals',
    provider: 'The cloud and the log',
    uncertain: 'Pending and uncertain',
    bug: 'Bugs',
  };
  const entries = Object.entries(CODES);
  const sections = Object.entries(titles).map(([fault, title]) => {
    const errors = entries.filter(([, entry]) => entry.fault === fault && entry.severity === 'error');
    return [`## ${title} (exit code ${EXIT_OF_FAULT[fault]})`, ...errors.map(codeText)].join('\n\n');
  });
  const milder = ['warning', 'note'].map((severity) => {
    const items = entries.filter(([, entry]) => entry.severity === severity);
    return [
      `## ${severity === 'note' ? 'Notes' : 'Warnings'} (no exit code of their own)`,
      ...items.map(codeText),
    ].join('\n\n');
  });
  const intro = [
    'Every diagnostic has one of these codes. `infra explain CODE` says the same on the command line; `--format json` carries the code in `diagnostics[].code`.',
    'Where several exit codes apply, the first of these wins: 1, 7, 130/143, 5, 4, 6, 3, 8, 2, 0. A code may be raised as a milder diagnostic than it stands here where the run can go on.',
  ];
  return page('Error codes', intro, [...sections, ...milder]);
}

function codeText([name, { summary, explanation }]) {
  return `### ${name}\n\n**${summary}.** ${explanation}`;
}

function actionsPage(code) {
  const intro = [
    'An **ensure** is read first and written only where it differs; a **delete** is done under a confirmed digest only; a **read** never writes.',
  ];
  return page('Actions', intro, [...googleText(code), ...yandexText(code)]);
}

function googleText({ ACTIONS }) {
  const definitions = [...new Set([...ACTIONS.values()].map((item) => item.definition))];
  return [
    '## Google',
    'An action is written in full, or in short (without `google.<service>.`) beside a `service:`, as in `action: projects.ensure` with `service: cloudresourcemanager.googleapis.com`.',
    'Inputs may be spelt in each of the ways given; two spellings with different values are an error.',
    ...definitions.map((definition) => typeText(definition, ACTIONS)),
  ];
}

function typeText(definition, actions) {
  const own = [...actions.values()].filter((item) => item.definition === definition);
  const title = `### ${definition.service}: ${definition.type}${definition.type === 'binding' ? ` (${own[0].spec.name.split('.')[2].replaceAll('_', ' ')})` : ''}`;
  return [title, ...fieldsText(definition), ...permissionsText(definition), ...own.map(actionText)].join('\n\n');
}

function fieldsText({ fields, retention }) {
  if (fields === undefined) return [];
  const rules = {
    identity: 'names the resource',
    mutable: 'changed in place',
    movable: 'changed by a move',
    merged: 'only the keys given are compared',
    fixed: "can't be changed in place",
  };
  const rows = Object.entries(fields).map(([field, rule]) => `| \`${field}\` | ${rules[rule]} |`);
  const kept =
    retention === undefined
      ? []
      : [
          `After a delete it can be had back for ${retention.days} days${retention.undelete ? ' (`undelete: true`)' : ''}.`,
        ];
  return [['| field | how it is managed |', '|---|---|', ...rows].join('\n'), ...kept];
}

function permissionsText({ permissions }) {
  if (permissions === undefined) return [];
  const rows = Object.entries(permissions).map(
    ([change, names]) => `| ${change} | ${names.map((name) => `\`${name}\``).join(', ')} |`,
  );
  return [['| to | needs |', '|---|---|', ...rows].join('\n')];
}

function actionText({ spec, action }) {
  const rows = action.input.map(
    ({ key, aliases, required }) =>
      `| \`${key}\` | ${required ? 'yes' : ''} | ${aliases.map((name) => `\`${name}\``).join(', ')} |`,
  );
  const list =
    action.expand === undefined
      ? []
      : [
          `\`${action.expand.list}\` takes a list in place of \`${action.expand.single}\` and makes one step of each element.`,
        ];
  const table = rows.length === 0 ? [] : [['| input | required | also spelt |', '|---|---|---|', ...rows].join('\n')];
  return [`#### ${spec.name}`, `Kind: ${spec.kind}. Converge: \`${spec.converge}\`.`, ...table, ...list].join('\n\n');
}

/** Dependencies name steps; what a kind shows, and whether it is changed in place, stands in its definition. */
function yandexText({ YANDEX_ACTIONS, fieldRules, hindranceText }) {
  const all = [...YANDEX_ACTIONS.values()];
  const kinds = [...new Set(all.map((item) => item.definition))].filter((definition) => definition !== null);
  const other = all.filter((item) => item.definition === null);
  return [
    '## Yandex',
    'Beside `input` a tool has `settings` (`folder_id`) and `identity` (`project`, `owner`), mostly from `defaults`, and may have `logical_id` and `resource_id`; see [yandex.md](yandex.md). A delete names its target by `logical_id` alone.',
    ...kinds.flatMap((definition) => [
      `### ${definition.service}: ${definition.kind}`,
      kindFields(definition, fieldRules(definition), hindranceText),
      ...all.filter((item) => item.definition === definition).map((item) => yandexAction(item)),
    ]),
    '### inventory',
    ...other.map((item) => yandexAction(item)),
  ];
}

function kindFields({ kind, fields, hindrances, hidden }, rules, hindranceText) {
  const words = {
    mutable: 'changed in place',
    merged: 'our own are compared and made in place; those of others are kept',
  };
  const told = (field, rule) => {
    if (hidden.includes(field)) return 'used when it is created; no answer shows it';
    const kept = hindrances[field] === undefined ? null : hindranceText(kind, hindrances[field]);
    return [words[rule], kept].filter((text) => text !== undefined && text !== null).join('; ');
  };
  const rows = Object.entries({ ...fields, ...rules }).map(
    ([field, rule]) => `| \`${field}\` | ${told(field, rule)} |`,
  );
  return ['| field | when it differs |', '|---|---|', ...rows].join('\n');
}

function yandexAction({ spec, verb, definition, input }) {
  const own = input.map(({ key, required }) => `| \`${key}\` | ${required ? 'yes' : ''} | |`);
  const needs = verb === 'ensure' ? definition.dependencies : [];
  const others = needs.map(
    ({ input: key, kind }) => `| \`${key}\` | yes | a step that ensures the ${kind.replaceAll('_', ' ')} |`,
  );
  const rows = [...own, ...others];
  const table = rows.length === 0 ? [] : [['| input | required | names |', '|---|---|---|', ...rows].join('\n')];
  return [`#### ${spec.name}`, `Kind: ${spec.kind}. Converge: \`${spec.converge}\`.`, ...table].join('\n\n');
}
