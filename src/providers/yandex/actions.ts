import type { ActionSpec } from '../../core/resource.ts';
import type { StepKind } from '../../core/step.ts';
import type { KindDefinition } from './define-kind.ts';
import { type InputField, textField } from './inputs.ts';
import { KINDS } from './kinds.ts';
import { idRule } from './validation.ts';

export type Verb = 'ensure' | 'delete' | 'list' | 'get' | 'discover';

/** An action with what defines it; `definition` is null for the inventory of all kinds. */
export interface YandexAction {
  readonly spec: ActionSpec;
  readonly verb: Verb;
  readonly definition: KindDefinition | null;
  /** What `input` has beside dependencies. */
  readonly input: readonly InputField[];
}

const BY_ID = [textField('id', { required: true, rule: idRule })];

function actionsOf(definition: KindDefinition): readonly YandexAction[] {
  const { service, kind, input, dependencies } = definition;
  const make = (verb: Verb, stepKind: StepKind, converge: string, fields: readonly InputField[]): YandexAction => ({
    spec: {
      name: `yandex.${service}.${kind}.${verb}`,
      provider: 'yandex',
      kind: stepKind,
      service,
      resourceType: stepKind === 'read' ? 'read' : kind,
      converge,
      inputKeys: [
        ...fields.map(({ key }) => key),
        ...(verb === 'ensure' ? dependencies.map((item) => item.input) : []),
      ],
    },
    verb,
    definition,
    input: fields,
  });
  return [
    make('ensure', 'ensure', `ensure_${kind}`, input),
    make('delete', 'delete', 'destroy', []),
    make('list', 'read', 'single', []),
    make('get', 'read', 'single', BY_ID),
  ];
}

const DISCOVER: YandexAction = {
  spec: {
    name: 'yandex.inventory.discover',
    provider: 'yandex',
    kind: 'read',
    service: 'inventory',
    resourceType: 'read',
    converge: 'single',
    inputKeys: [],
  },
  verb: 'discover',
  definition: null,
  input: [],
};

/** By full name. */
export const ACTIONS: ReadonlyMap<string, YandexAction> = new Map(
  [...KINDS.flatMap(actionsOf), DISCOVER].map((action) => [action.spec.name, action]),
);

export function actionNamed(name: string): YandexAction {
  const found = ACTIONS.get(name);
  if (found === undefined) throw new TypeError(`there is no action ${name}`);
  return found;
}
