import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import { REASONING_EFFORTS, type ReasoningEffort } from '../../contracts/index.ts';
import { listCatalogue } from '../../providers/index.ts';
import {
  modeOf,
  type OpenedAgent,
  personalitiesOf,
  type Runtime,
  SESSION_MODES,
  type SessionMode,
  setMode,
} from '../../runtime/index.ts';
import { modelCommand } from '../../runtime/models/index.ts';
import { shorten } from '../../util/index.ts';
import { AcpFailure } from './acp-failure.ts';

/** The session whose options are shown or changed. */
export type OptionContext = { runtime: Runtime; opened: OpenedAgent };

const MODES: readonly { id: SessionMode; name: string; description: string }[] = [
  { id: 'default', name: 'Default', description: 'Ask before dangerous commands and writes outside the project' },
  { id: 'plan', name: 'Plan', description: 'Only read: nothing is changed and no command with effects runs' },
  { id: 'yolo', name: 'YOLO', description: 'Run dangerous commands without asking; hard-blocked ones stay blocked' },
];

/** More than that is not useful in a menu. */
const MAX_MODELS = 200;
const MAX_DESCRIPTION = 100;
const NONE = 'none';
const DEFAULT_EFFORT = 'default';

/** Throws for an unknown mode. */
export function chooseMode({ choices }: Pick<OpenedAgent, 'choices'>, wanted: string): void {
  const mode = SESSION_MODES.find((one) => one === wanted);
  if (mode === undefined)
    throw new AcpFailure('invalidParams', `There is no mode "${wanted}".`, {
      hint: 'The modes are default, plan and yolo.',
    });
  setMode(choices, mode);
}

export function describeModes(opened: OpenedAgent): SessionModeState {
  return { currentModeId: modeOf(opened.choices), availableModes: MODES.map((mode) => ({ ...mode })) };
}

/** All options with their current values. */
export async function describeOptions(context: OptionContext): Promise<SessionConfigOption[]> {
  const { opened, runtime } = context;
  const { settings } = runtime.blueprint;
  const models = await listModels(context);
  const personalities = Object.entries(personalitiesOf(settings));
  return [
    {
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      type: 'select',
      currentValue: modeOf(opened.choices),
      options: MODES.map(({ id, name, description }) => ({ value: id, name, description })),
    },
    {
      id: 'model',
      name: 'Model',
      category: 'model',
      type: 'select',
      currentValue: models[0]?.value ?? '',
      options: models.map(({ value, name }) => ({ value, name })),
    },
    {
      id: 'effort',
      name: 'Reasoning effort',
      category: 'thought_level',
      type: 'select',
      currentValue: opened.preferences.effort ?? DEFAULT_EFFORT,
      options: [
        { value: DEFAULT_EFFORT, name: 'Default of the provider' },
        ...REASONING_EFFORTS.map((level) => ({ value: level, name: level })),
      ],
    },
    {
      id: 'personality',
      name: 'Personality',
      category: '_personality',
      type: 'select',
      currentValue: opened.choices.personality ?? NONE,
      options: [
        { value: NONE, name: 'None' },
        ...personalities.map(([value, about]) => ({
          value,
          name: value,
          description: shorten(about.replaceAll('\n', ' '), MAX_DESCRIPTION),
        })),
      ],
    },
  ];
}

type ListedModel = { value: string; name: string; provider: string; model: string };

/** The current model, its fallbacks, and the known models of the current provider, without network requests. */
async function listModels({ runtime, opened }: OptionContext): Promise<ListedModel[]> {
  const routes = opened.models.routes();
  const [current] = routes;
  if (current === undefined) return [];
  const { home, modelOverrides: overrides } = runtime.blueprint.settings;
  const known = await listCatalogue({ provider: current.provider, home, overrides });
  const models = [
    ...routes.map(({ provider, model }) => ({ provider, model })),
    ...known.map(({ id }) => ({ provider: current.provider, model: id })),
  ].map(({ provider, model }) => {
    const isCurrent = provider === current.provider;
    return {
      provider,
      model,
      value: isCurrent ? model : `${provider} ${model}`,
      name: isCurrent ? model : `${model} (${provider})`,
    };
  });
  return [...new Map(models.map((model) => [model.value, model])).values()].slice(0, MAX_MODELS);
}

/** Changes one option. Throws for an unknown option or value, before anything has changed. */
export async function setOption(context: OptionContext, id: string, value: unknown): Promise<void> {
  if (typeof value !== 'string') throw new AcpFailure('invalidParams', `The value of "${id}" must be a text.`);
  const { opened } = context;
  switch (id) {
    case 'mode':
      return chooseMode(opened, value);
    case 'model': {
      const listed = (await listModels(context)).find((model) => model.value === value);
      if (listed === undefined)
        throw new AcpFailure('invalidParams', `There is no model "${value}" to choose.`, {
          hint: 'Use /model to set any other one.',
        });
      await modelCommand(context, `${listed.provider} ${listed.model} --force`);
      return undefined;
    }
    case 'effort':
      opened.preferences.effort = readEffort(value);
      await opened.saveSetup();
      return undefined;
    case 'personality':
      return setPersonality(context, value);
    default:
      throw new AcpFailure('invalidParams', `There is no option "${id}".`, {
        hint: 'The options are mode, model, effort and personality.',
      });
  }
}

function readEffort(value: string): ReasoningEffort | undefined {
  if (value === DEFAULT_EFFORT) return undefined;
  const known = REASONING_EFFORTS.find((level) => level === value);
  if (known !== undefined) return known;
  throw new AcpFailure('invalidParams', `There is no effort level "${value}".`, {
    hint: `The levels are ${REASONING_EFFORTS.join(', ')}.`,
  });
}

function setPersonality({ opened, runtime }: OptionContext, name: string): void {
  if (name !== NONE && !Object.hasOwn(personalitiesOf(runtime.blueprint.settings), name))
    throw new AcpFailure('invalidParams', `There is no personality "${name}".`);
  opened.choices.personality = name === NONE ? undefined : name;
  opened.agent.renewPrompt();
}
