import * as prompts from '@clack/prompts';
import { homePaths, loadSettings, type Settings } from '../../../config/index.ts';
import {
  choosePrimary,
  findLocalServers,
  type LocalServer,
  lookUpProvider,
  resolveRoutes,
} from '../../../providers/index.ts';
import {
  selectModel,
  type SelectedModel,
  explainFailure,
  type RequestedModel,
  saveModel,
  settingsWith,
  type TestAnswer,
  testCall,
  type TestFailure,
} from '../../../runtime/models/index.ts';
import { redactSecrets } from '../../../util/index.ts';
import { formatCost } from '../../text/format-cost.ts';
import type { CliIo } from '../cli-io.ts';
import { printable } from '../style.ts';
import { askForCredential, askForModel } from './ask-credential.ts';
import { answered, askForAddress, askForProvider, Cancelled, type Current } from './questions.ts';

type DialogOptions = {
  title: string;
  /** Look for model servers on this machine first. */
  probe: boolean;
  /** Make a test call before saving. */
  test: boolean;
  /** A server that was already found; the provider is not asked for. */
  server?: LocalServer;
  /** Ask at the end whether to start a chat. */
  offersChat?: boolean;
  /** Propose the sandbox where it works. */
  offersSandbox?: boolean;
  signal: AbortSignal;
};

type Dialog = { io: CliIo; settings: Settings; current: Current | undefined; options: DialogOptions };

/** `left` means that the user cancelled and nothing was changed. */
type DialogEnd = 'left' | 'saved' | 'chat';

/** Asks for the provider, the API key or login, and the model, and saves them. */
export async function chooseInTerminal(io: CliIo, home: string, options: DialogOptions): Promise<DialogEnd> {
  const settings = await loadSettings({ home, env: io.env });
  const dialog = { io, settings, current: currentOf(settings), options };
  prompts.intro(options.title);
  try {
    const chosen = options.test ? await askUntilTestPasses(dialog) : await askForAll(dialog);
    await saveModel(settings, chosen);
    const saved = `Saved ${chosen.provider.name} with ${printable(chosen.model)} in ${homePaths(home).configFile}.`;
    if (!options.offersChat && !options.offersSandbox) {
      prompts.outro(saved);
      return 'saved';
    }
    prompts.log.success(saved);
    if (options.offersSandbox) await (await import('../setup/ask-sandbox.ts')).askForSandbox(settings, io);
    if (options.offersChat) return await offerChat();
    prompts.outro('`hermes` starts a chat.');
    return 'saved';
  } catch (thrown) {
    if (!(thrown instanceof Cancelled)) throw thrown;
    prompts.cancel('Cancelled; nothing was changed.');
    return 'left';
  }
}

/** Cancelling this question no longer matters, because the choice is saved. */
async function offerChat(): Promise<DialogEnd> {
  const answer = await prompts.confirm({ message: 'Start a chat now?' });
  const isWanted = answer === true;
  prompts.outro(isWanted ? 'Starting the chat.' : '`hermes` starts a chat, `hermes -q "…"` answers one prompt.');
  return isWanted ? 'chat' : 'saved';
}

function currentOf(settings: Settings): Current | undefined {
  const primary = choosePrimary(settings, {});
  if (primary === undefined) return undefined;
  return { provider: lookUpProvider(settings, primary.provider)?.id ?? primary.provider, model: primary.model };
}

async function askForAll(dialog: Dialog): Promise<SelectedModel> {
  const { settings, current, options, io } = dialog;
  const requested = await askForEndpoint(dialog);
  const { provider } = selectModel(settings, withPlaceholderModel(requested));
  const key = await askForCredential(settings, provider, requested, io);
  return askForName(dialog, { ...requested, key }, options.server?.models[0] ?? modelInUse(current, requested));
}

async function askForEndpoint({ settings, current, options }: Dialog): Promise<RequestedModel> {
  if (options.server !== undefined) return { provider: options.server.provider.id };
  const servers = options.probe ? await findLocalServers() : [];
  const provider = await askForProvider(settings, current, servers);
  const saved = current?.provider === provider.id ? settings.model.baseUrl : undefined;
  return { provider: provider.id, baseUrl: await askForAddress(provider, saved) };
}

async function askForName(
  { settings }: Dialog,
  requested: RequestedModel,
  inUse: string | undefined,
): Promise<SelectedModel> {
  const draft = selectModel(settings, withPlaceholderModel(requested));
  for (const warning of draft.warnings) prompts.log.warn(printable(warning));
  return selectModel(settings, { ...requested, model: await askForModel(settings, draft, inUse) });
}

function modelInUse(current: Current | undefined, { provider }: RequestedModel): string | undefined {
  return current?.provider === provider ? current.model : undefined;
}

/** A placeholder, since the model is chosen later. */
function withPlaceholderModel(requested: RequestedModel): RequestedModel {
  return { ...requested, model: requested.model ?? '?' };
}

/** Tests the chosen model. If the test fails, the user can change the key, the model or the provider. */
async function askUntilTestPasses(dialog: Dialog): Promise<SelectedModel> {
  for (let chosen = await askForAll(dialog); ; ) {
    const failure = await makeTestCall(dialog, chosen);
    if (failure === undefined) return chosen;
    const way = await askForRemedy(failure);
    if (way === 'save') return chosen;
    if (way === 'provider') chosen = await askForAll({ ...dialog, options: { ...dialog.options, server: undefined } });
    if (way === 'key') chosen = await changeKey(dialog, chosen);
    if (way === 'model') chosen = await askForName(dialog, requestedModelOf(chosen), chosen.model);
  }
}

async function changeKey({ settings, io }: Dialog, chosen: SelectedModel): Promise<SelectedModel> {
  const requested = requestedModelOf(chosen);
  const key = await askForCredential(settings, chosen.provider, { baseUrl: requested.baseUrl, isRefused: true }, io);
  return selectModel(settings, { ...requested, key: key ?? requested.key });
}

function requestedModelOf({ provider, model, choice, key }: SelectedModel): RequestedModel {
  return { provider: provider.id, model, baseUrl: choice.baseUrl, apiMode: choice.apiMode, key };
}

/** Makes a test call and shows its result and cost. Returns undefined on success. */
async function makeTestCall({ settings, options }: Dialog, chosen: SelectedModel): Promise<TestFailure | undefined> {
  prompts.log.step(`Sending a short test request to ${printable(chosen.model)} …`);
  // Without fallbacks, because this tests only the chosen model.
  const trial = { ...settingsWith(settings, chosen), fallbacks: [] };
  try {
    const [source] = resolveRoutes(trial)?.routes ?? [];
    if (source === undefined) throw new Error('the chosen model has no route');
    prompts.log.success(describeAnswer(await testCall(source, options.signal)));
    return undefined;
  } catch (thrown) {
    options.signal.throwIfAborted();
    const failure = await explainFailure(thrown, trial);
    prompts.log.error(printable(redactSecrets([failure.message, failure.hint].filter(Boolean).join('\n'))));
    return failure;
  }
}

function describeAnswer({ text, usage, cost, facts, durationMs }: TestAnswer): string {
  const said = text === '' ? 'The model responded, but without any text' : 'The model responded';
  const read = usage.input + usage.cacheRead + usage.cacheWrite;
  const price = facts?.subscription
    ? 'included in the subscription'
    : formatCost({ usd: cost.status === 'unknown' ? null : cost.usd, unpriced: 0 });
  const sure = cost.status === 'estimated' ? ', estimated' : '';
  const tokens = `${read} input tokens, ${usage.output} output tokens`;
  return `${said} (${(durationMs / 1000).toFixed(1)} s). Cost: ${price}${sure} (${tokens}).`;
}

type Remedy = 'key' | 'model' | 'provider' | 'again' | 'save';

/** Asks what to do about a failed test; the most likely remedy comes first. */
async function askForRemedy({ fixable }: TestFailure): Promise<Remedy> {
  const ways: { value: Remedy; label: string }[] = [
    { value: 'key', label: 'Enter another API key, or log in' },
    { value: 'model', label: 'Choose another model' },
    { value: 'provider', label: 'Choose another provider or base URL' },
    { value: 'again', label: 'Try again' },
    { value: 'save', label: 'Save anyway' },
  ];
  const likely = fixable === 'address' ? 'provider' : fixable;
  const options = [...ways.filter(({ value }) => value === likely), ...ways.filter(({ value }) => value !== likely)];
  return answered(await prompts.select({ message: 'The test call failed. What next? (Esc to cancel)', options }));
}
