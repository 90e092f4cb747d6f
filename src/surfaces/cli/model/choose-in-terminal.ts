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
  chooseModel,
  type ChosenModel,
  explainFailure,
  type ModelWish,
  saveModel,
  settingsWith,
  type TestAnswer,
  testCall,
  type TestFailure,
} from '../../../runtime/models/index.ts';
import { redactSecrets } from '../../../util/index.ts';
import { formatCost } from '../../text/format-cost.ts';
import type { CliIo } from '../cli-io.ts';
import { showable } from '../style.ts';
import { askForCredential, askForModel } from './ask-credential.ts';
import { answered, askForAddress, askForProvider, Cancelled, type Current } from './questions.ts';

type DialogOptions = {
  title: string;
  /** Looks for model servers on this machine first. */
  probe: boolean;
  /** Ends with a real call, before anything is saved. */
  test: boolean;
  /** Found already, so that nobody is asked for the provider. */
  server?: LocalServer;
  /** Asks in the end whether to begin a chat. */
  offersChat?: boolean;
  signal: AbortSignal;
};

type Dialog = { io: CliIo; settings: Settings; current: Current | undefined; options: DialogOptions };

/** `left` means that nothing was changed. */
type DialogEnd = 'left' | 'saved' | 'chat';

/** Asks for provider, key or login, and model, and saves them. */
export async function chooseInTerminal(io: CliIo, home: string, options: DialogOptions): Promise<DialogEnd> {
  const settings = await loadSettings({ home, env: io.env });
  const dialog = { io, settings, current: currentOf(settings), options };
  prompts.intro(options.title);
  try {
    const chosen = options.test ? await untilItWorks(dialog) : await askForAll(dialog);
    await saveModel(settings, chosen);
    const saved = `Saved ${chosen.provider.name} with ${showable(chosen.model)} in ${homePaths(home).configFile}.`;
    if (options.offersChat) return await offerChat(saved);
    prompts.outro(saved);
    return 'saved';
  } catch (thrown) {
    if (!(thrown instanceof Cancelled)) throw thrown;
    prompts.cancel('Nothing was changed.');
    return 'left';
  }
}

/** From here on nothing can be cancelled any more: it is saved. */
async function offerChat(saved: string): Promise<DialogEnd> {
  prompts.log.success(saved);
  const answer = await prompts.confirm({ message: 'Begin a chat now?' });
  const isWanted = answer === true;
  prompts.outro(isWanted ? 'The chat begins.' : '`hermes` begins a chat, `hermes -q "…"` answers one prompt.');
  return isWanted ? 'chat' : 'saved';
}

function currentOf(settings: Settings): Current | undefined {
  const primary = choosePrimary(settings, {});
  if (primary === undefined) return undefined;
  return { provider: lookUpProvider(settings, primary.provider)?.id ?? primary.provider, model: primary.model };
}

async function askForAll(dialog: Dialog): Promise<ChosenModel> {
  const { settings, current, options, io } = dialog;
  const wish = await askForEndpoint(dialog);
  const { provider } = chooseModel(settings, named(wish));
  const key = await askForCredential(settings, provider, wish, io);
  return askForName(dialog, { ...wish, key }, options.server?.models[0] ?? modelInUse(current, wish));
}

async function askForEndpoint({ settings, current, options }: Dialog): Promise<ModelWish> {
  if (options.server !== undefined) return { provider: options.server.provider.id };
  const servers = options.probe ? await findLocalServers() : [];
  const provider = await askForProvider(settings, current, servers);
  const saved = current?.provider === provider.id ? settings.model.baseUrl : undefined;
  return { provider: provider.id, baseUrl: await askForAddress(provider, saved) };
}

async function askForName({ settings }: Dialog, wish: ModelWish, inUse: string | undefined): Promise<ChosenModel> {
  const draft = chooseModel(settings, named(wish));
  for (const warning of draft.warnings) prompts.log.warn(showable(warning));
  return chooseModel(settings, { ...wish, model: await askForModel(settings, draft, inUse) });
}

function modelInUse(current: Current | undefined, { provider }: ModelWish): string | undefined {
  return current?.provider === provider ? current.model : undefined;
}

/** Which model it is does not matter yet. */
function named(wish: ModelWish): ModelWish {
  return { ...wish, model: wish.model ?? '?' };
}

/** Tries what was chosen, and goes back as far as the person wants where that fails. */
async function untilItWorks(dialog: Dialog): Promise<ChosenModel> {
  for (let chosen = await askForAll(dialog); ; ) {
    const failure = await tryOut(dialog, chosen);
    if (failure === undefined) return chosen;
    const way = await askForWayBack(failure);
    if (way === 'save') return chosen;
    if (way === 'provider') chosen = await askForAll({ ...dialog, options: { ...dialog.options, server: undefined } });
    if (way === 'key') chosen = await changeKey(dialog, chosen);
    if (way === 'model') chosen = await askForName(dialog, wishOf(chosen), chosen.model);
  }
}

async function changeKey({ settings, io }: Dialog, chosen: ChosenModel): Promise<ChosenModel> {
  const wish = wishOf(chosen);
  const key = await askForCredential(settings, chosen.provider, { baseUrl: wish.baseUrl, isRefused: true }, io);
  return chooseModel(settings, { ...wish, key: key ?? wish.key });
}

function wishOf({ provider, model, choice, key }: ChosenModel): ModelWish {
  return { provider: provider.id, model, baseUrl: choice.baseUrl, apiMode: choice.apiMode, key };
}

/** A real call with what was chosen. Says what came of it and what it cost; undefined where it works. */
async function tryOut({ settings, options }: Dialog, chosen: ChosenModel): Promise<TestFailure | undefined> {
  prompts.log.step(`Asking ${showable(chosen.model)} one short question …`);
  // Without the fallbacks: the question is whether this one works.
  const trial = { ...settingsWith(settings, chosen), fallbacks: [] };
  try {
    const [source] = resolveRoutes(trial)?.routes ?? [];
    if (source === undefined) throw new Error('a chosen model has no route');
    prompts.log.success(describeAnswer(await testCall(source, options.signal)));
    return undefined;
  } catch (thrown) {
    options.signal.throwIfAborted();
    const failure = await explainFailure(thrown, trial);
    prompts.log.error(showable(redactSecrets([failure.message, failure.hint].filter(Boolean).join('\n'))));
    return failure;
  }
}

function describeAnswer({ text, usage, cost, facts, durationMs }: TestAnswer): string {
  const said = text === '' ? 'It answers, without a word of text' : 'It answers';
  const read = usage.input + usage.cacheRead + usage.cacheWrite;
  const price = facts?.subscription
    ? 'in the subscription'
    : formatCost({ usd: cost.status === 'unknown' ? null : cost.usd, unpriced: 0 });
  const sure = cost.status === 'estimated' ? ', estimated' : '';
  const tokens = `${read} tokens read, ${usage.output} written`;
  return `${said} (${(durationMs / 1000).toFixed(1)} s). Cost: ${price}${sure} (${tokens}).`;
}

type Way = 'key' | 'model' | 'provider' | 'again' | 'save';

/** What to do about a test that failed; what most likely helps comes first. */
async function askForWayBack({ wayBack }: TestFailure): Promise<Way> {
  const ways: { value: Way; label: string }[] = [
    { value: 'key', label: 'Give another key, or log in' },
    { value: 'model', label: 'Choose another model' },
    { value: 'provider', label: 'Choose another provider or address' },
    { value: 'again', label: 'Try it again' },
    { value: 'save', label: 'Save it all the same' },
  ];
  const likely = wayBack === 'address' ? 'provider' : wayBack;
  const options = [...ways.filter(({ value }) => value === likely), ...ways.filter(({ value }) => value !== likely)];
  return answered(await prompts.select({ message: 'It does not work like this. What next? (Esc leaves)', options }));
}
