import {
  changeModel,
  type ConnectedModel,
  currentSettings,
  fastCommand,
  formatCount,
  listConnected,
  modelCommand,
  reasoningCommand,
} from '../../../runtime/models/index.ts';
import { redactSecrets } from '../../../util/index.ts';
import { printable } from '../../text/style.ts';
import type { PickItem, PickRequest } from '../pick-request.ts';
import type { SlashContext } from '../slash-context.ts';

const COMMANDS = { model: modelCommand, reasoning: reasoningCommand, fast: fastCommand };

/**
 * Runs a command about the model of a session. Its output may contain text of providers, so it is escaped and
 * redacted.
 */
export async function runModelCommand(
  name: keyof typeof COMMANDS,
  context: SlashContext,
  argument: string,
): Promise<void> {
  const { runtime, session } = context;
  printLines(context, await COMMANDS[name]({ runtime, opened: session.opened() }, argument));
}

function printLines({ print }: SlashContext, lines: readonly string[]): void {
  print(lines.map((line) => `${printable(redactSecrets(line))}\n`).join(''));
}

/** Between the provider and the model of an item; names can contain spaces. */
const SEPARATOR = '\n';

/** `/model`: without an argument, the user selects a model from a list if there is one. */
export async function modelOrPick(context: SlashContext, argument: string): Promise<void> {
  const { terminal } = context;
  if (argument !== '' || terminal?.pick === undefined) return runModelCommand('model', context, argument);
  const chosen = await terminal.pick(await createModelPick(context));
  if (chosen === undefined) return;
  const [provider = '', model = ''] = chosen.split(SEPARATOR);
  const { runtime, session } = context;
  const wish = { provider, model };
  printLines(context, await changeModel({ runtime, opened: session.opened() }, wish, { save: false, force: false }));
}

/** Shows the catalogue immediately, and what the endpoints list when they have answered. */
async function createModelPick({ runtime, session }: SlashContext): Promise<PickRequest> {
  const routes = session.opened().models.routes();
  const current = routes.map(({ provider }) => provider);
  const settings = await currentSettings(runtime);
  const list = async (offline: boolean) => (await listConnected(settings, current, { offline })).map(toItem);
  const [route] = routes;
  return {
    title: 'Model for this session (prices per million tokens)',
    items: await list(true),
    complete: list(false),
    empty: 'No models are known. Use /model PROVIDER NAME.',
    ...(route && { current: `${route.provider}${SEPARATOR}${route.model}` }),
  };
}

function toItem({ id, provider, facts, released }: ConnectedModel): PickItem {
  const { contextLength, price, subscription } = facts;
  const cost = subscription
    ? 'subscription'
    : price && (price.input + price.output === 0 ? 'free' : `$${price.input} in, $${price.output} out`);
  const window = contextLength === undefined ? undefined : `${formatCount(contextLength)} context`;
  return {
    value: `${provider.id}${SEPARATOR}${id}`,
    label: id,
    about: [provider.name, window, released?.slice(0, 7)].filter(Boolean).join(' · '),
    ...(cost && { note: cost }),
  };
}
