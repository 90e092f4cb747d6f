import * as prompts from '@clack/prompts';
import { resolveRoutes } from '../../../providers/index.ts';
import {
  type ChosenModel,
  explainFailure,
  settingsWith,
  type TestAnswer,
  type TestFailure,
  testCall,
} from '../../../runtime/models/index.ts';
import { redactSecrets } from '../../../util/index.ts';
import { formatCost } from '../../text/format-cost.ts';
import { showable } from '../style.ts';
import type { Dialog } from './choose-in-terminal.ts';
import { answered } from './questions.ts';

/** A real call with what was chosen. Says what came of it and what it cost; undefined where it works. */
export async function tryOut({ settings, options }: Dialog, chosen: ChosenModel): Promise<TestFailure | undefined> {
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
export async function askForWayBack({ wayBack }: TestFailure): Promise<Way> {
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
