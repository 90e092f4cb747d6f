import type { ModelRoute } from '../../contracts/index.ts';
import { describeChain } from '../session-models.ts';
import { readWords } from './command-words.ts';
import { describeFacts } from './describe-facts.ts';
import { readModelName } from './read-model-name.ts';
import { currentSettings, type SessionContext, switchModel } from './switch-model.ts';

const USAGE = '/model NAME or /model PROVIDER NAME changes it for this session; --save also for later ones.';

/** `/model`: shows the model of a session, or changes it. What is to be said, in lines. */
export async function modelCommand(context: SessionContext, argument: string): Promise<string[]> {
  const { words, save, force } = readWords(argument);
  const { models } = context.opened;
  if (words.length === 0 && !save)
    return [describeChain(models.routes()), ...factsLine(await models.openPrimary()), USAGE];
  const [current] = models.routes();
  // `--save` alone saves what the session has.
  const wish =
    words.length === 0 && current !== undefined
      ? { provider: current.provider, model: current.model }
      : await readModelName(await currentSettings(context.runtime), words, current?.provider ?? '');
  const { route, warnings } = await switchModel(context, wish, { save, force });
  const chain = describeChain(models.routes());
  const said = save ? `Saved: ${chain}, from now on.` : `Now ${chain}, in this session.`;
  return [said, ...factsLine(route), ...warnings.map((text) => `! ${text}`)];
}

function factsLine(route: ModelRoute | undefined): string[] {
  const facts = route?.facts && describeFacts(route.facts);
  const caching = route?.cacheTtl && `prompt caching for ${route.cacheTtl}`;
  const known = [facts, caching].filter(Boolean).join(', ');
  return known === '' ? [] : [known];
}
