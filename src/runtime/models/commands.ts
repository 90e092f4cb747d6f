import { ConfigurationError } from '../../base/index.ts';
import { type Settings, updateConfig } from '../../config/index.ts';
import {
  type ModelFacts,
  type ModelPreferences,
  type ModelRequest,
  type ModelRoute,
  REASONING_EFFORTS,
  type ReasoningEffort,
} from '../../contracts/index.ts';
import { describeChain } from '../session-choices.ts';
import { parseModelName } from './parse-model-name.ts';
import type { RequestedModel } from './selected-model.ts';
import { currentSettings, type SessionContext, switchModel } from './switch-model.ts';

/** `/reasoning`: shows or sets the reasoning effort. */
export async function reasoningCommand(context: SessionContext, argument: string): Promise<string[]> {
  const { words, save } = parseCommandArguments(argument);
  const { preferences } = context.opened;
  const [word] = words;
  if (word !== undefined) {
    preferences.effort = readEffort(words);
    await context.opened.saveSetup();
  }
  if (save) await saveAs(context, 'reasoning_effort', { reasoningEffort: preferences.effort });
  const shown = preferences.effort ?? 'provider default';
  const lacks = await findUnsupportedModel(context, { effort: preferences.effort ?? 'high' });
  return [
    `Reasoning effort: ${shown}${ending(word !== undefined, save)}.`,
    ...(lacks ? [`${lacks} does not support effort levels, so the setting is not sent.`] : []),
    ...(word === undefined ? [`Change it with /reasoning LEVEL: ${REASONING_EFFORTS.join(', ')}, or default.`] : []),
  ];
}

/** `/fast`: shows or sets the priority service tier, for providers that have one. */
export async function fastCommand(context: SessionContext, argument: string): Promise<string[]> {
  const { words, save } = parseCommandArguments(argument);
  const { preferences } = context.opened;
  const [word] = words;
  if (word !== undefined) {
    preferences.speed = readSpeed(words);
    await context.opened.saveSetup();
  }
  if (save) await saveAs(context, 'service_tier', { speed: preferences.speed });
  const isFast = preferences.speed === 'fast';
  const lacks = await findUnsupportedModel(context, { speed: 'fast' });
  return [
    `Priority service tier: ${isFast ? 'on' : 'off'}${ending(word !== undefined, save)}.`,
    ...(lacks
      ? [`${lacks} has no priority service tier, so the setting is not sent.`]
      : await priceLine(context, isFast)),
    ...(word === undefined ? ['Change it with /fast on or /fast off.'] : []),
  ];
}

function ending(changed: boolean, saved: boolean): string {
  return saved ? ', saved' : changed ? ', for this session' : '';
}

function readEffort(words: readonly string[]): ReasoningEffort | undefined {
  const level = words[0]?.toLowerCase();
  if (words.length === 1 && (level === 'default' || level === 'auto')) return undefined;
  const known = REASONING_EFFORTS.find((candidate) => candidate === level);
  if (known !== undefined && words.length === 1) return known;
  throw new ConfigurationError(`"${words.join(' ')}" is not a known effort level.`, {
    hint: `Choose one of ${REASONING_EFFORTS.join(', ')}, or default.`,
  });
}

const SPEEDS: Readonly<Record<string, ModelPreferences['speed']>> = {
  on: 'fast',
  fast: 'fast',
  off: 'normal',
  normal: 'normal',
};

function readSpeed(words: readonly string[]): ModelPreferences['speed'] {
  const word = words[0]?.toLowerCase() ?? '';
  if (words.length === 1 && Object.hasOwn(SPEEDS, word)) return SPEEDS[word];
  throw new ConfigurationError(`"${words.join(' ')}" is not valid for /fast.`, { hint: 'Use /fast on or /fast off.' });
}

type SavedPreference = Partial<Pick<Settings, 'reasoningEffort' | 'speed'>>;

/** Saves a preference to the configuration file and applies it to sessions that this process opens later. */
async function saveAs({ runtime }: SessionContext, key: string, saved: SavedPreference): Promise<void> {
  const value = saved.reasoningEffort ?? saved.speed;
  const { settings } = runtime.blueprint;
  await updateConfig(settings.home, [{ path: ['agent', key], value }]);
  runtime.blueprint = { ...runtime.blueprint, settings: { ...settings, ...saved } };
}

const PLAIN: ModelRequest = {
  system: '',
  messages: [{ role: 'user', content: 'x' }],
  tools: [],
  toolChoice: 'auto',
  stream: true,
};

/**
 * Returns the model name if the preference does not change the request, which means that the model does not support
 * it.
 */
async function findUnsupportedModel({ opened }: SessionContext, wanted: ModelPreferences): Promise<string | undefined> {
  const route = await opened.models.openPrimary();
  if (route === undefined) return undefined;
  return bytesOf(route, PLAIN) === bytesOf(route, { ...PLAIN, ...wanted }) ? route.model : undefined;
}

function bytesOf({ client }: ModelRoute, request: ModelRequest): string {
  const { headers, body } = client.prepare(request);
  return JSON.stringify([headers, body]);
}

async function priceLine({ opened }: SessionContext, isFast: boolean): Promise<string[]> {
  const route = isFast ? await opened.models.openPrimary() : undefined;
  const price = route?.facts?.fastPrice;
  if (route === undefined) return [];
  if (price === undefined) return ['Its price is unknown.'];
  return [`It costs $${price.input} in, $${price.output} out per million tokens.`];
}

const USAGE =
  '/model NAME or /model PROVIDER NAME changes it for this session; add --save to keep it for later sessions.';

/** `/model`: shows or changes the model of a session. Returns lines to display. */
export async function modelCommand(context: SessionContext, argument: string): Promise<string[]> {
  const { words, save, force } = parseCommandArguments(argument);
  const { models } = context.opened;
  if (words.length === 0 && !save)
    return [describeChain(models.routes()), ...factsLine(await models.openPrimary()), USAGE];
  const [current] = models.routes();
  // `--save` alone saves the current model of the session.
  const wish =
    words.length === 0 && current !== undefined
      ? { provider: current.provider, model: current.model }
      : await parseModelName(await currentSettings(context.runtime), words, current?.provider ?? '');
  return changeModel(context, wish, { save, force });
}

/** Switches to a model. Returns lines to display. */
export async function changeModel(
  context: SessionContext,
  wish: RequestedModel,
  { save, force }: { save: boolean; force: boolean },
): Promise<string[]> {
  const { route, warnings } = await switchModel(context, wish, { save, force });
  const chain = describeChain(context.opened.models.routes());
  const said = save ? `Saved: ${chain}.` : `Now using ${chain} in this session.`;
  return [said, ...factsLine(route), ...warnings.map((text) => `! ${text}`)];
}

function factsLine(route: ModelRoute | undefined): string[] {
  const facts = route?.facts && describeFacts(route.facts);
  const caching = route?.cacheTtl && `prompt caching for ${route.cacheTtl === 'auto' ? '5m or 1h' : route.cacheTtl}`;
  const known = [facts, caching].filter(Boolean).join(', ');
  return known === '' ? [] : [known];
}

/** The arguments of a session command: words and flags. */
type CommandArguments = { words: string[]; save: boolean; force: boolean };

const FLAGS: Readonly<Record<string, 'save' | 'force'>> = { '--save': 'save', '--global': 'save', '--force': 'force' };

export function parseCommandArguments(argument: string): CommandArguments {
  const read: CommandArguments = { words: [], save: false, force: false };
  for (const word of argument.split(/\s+/).filter(Boolean)) {
    const flag = Object.hasOwn(FLAGS, word) ? FLAGS[word] : undefined;
    if (flag !== undefined) read[flag] = true;
    else if (word.startsWith('--')) throw unknownFlag(word);
    else read.words.push(word);
  }
  return read;
}

function unknownFlag(word: string): ConfigurationError {
  return new ConfigurationError(`Unknown option ${word}.`, {
    hint: 'Options: --save keeps the change for later sessions; --force accepts an unknown name.',
  });
}

/** One line about a model for a list of choices: `1M context, $2 in, $10 out per million`. */
export function describeFacts({ contextLength, price, subscription }: ModelFacts): string | undefined {
  const parts = [
    ...(contextLength === undefined ? [] : [`${formatCount(contextLength)} context`]),
    ...(subscription ? ['included in the subscription'] : []),
    ...(price === undefined ? [] : [price.input + price.output === 0 ? 'free' : formatPrice(price)]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}

function formatPrice({ input, output }: { input: number; output: number }): string {
  return `$${input} in, $${output} out per million`;
}

/** A rounded token count: `1.5M` or `200K`. */
export function formatCount(tokens: number): string {
  return tokens >= 1_000_000 ? `${Number((tokens / 1_000_000).toFixed(1))}M` : `${Math.round(tokens / 1000)}K`;
}
