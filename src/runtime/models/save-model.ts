import { type ConfigChange, type Settings, updateConfig, updateEnvFile } from '../../config/index.ts';
import { lookUpProvider } from '../../providers/index.ts';
import type { ChosenModel } from './chosen-model.ts';

/** Writes down a choice and leaves everything else in both files as it is. */
export async function saveModel(settings: Settings, chosen: ChosenModel): Promise<void> {
  const { key } = chosen;
  if (key !== undefined) await updateEnvFile(settings.home, { [key.variable]: key.secret });
  await updateConfig(settings.home, changesFor(settings, chosen));
}

function changesFor(settings: Settings, chosen: ChosenModel): ConfigChange[] {
  const { provider, model, choice, keepsAddress, keepsKey } = chosen;
  const set = (name: string, value: string | undefined): ConfigChange => ({ path: ['model', name], value });
  // Whoever wrote another name for the same provider may go on with it.
  const isNamed = lookUpProvider(settings, settings.model.provider ?? '')?.id === provider.id;
  const isSameModel = keepsAddress && settings.model.model === model;
  return [
    ...(isNamed ? [] : [set('provider', provider.id)]),
    set('default', model),
    // Existing files may have the name under this key as well.
    set('model', undefined),
    ...(keepsAddress ? [] : [set('base_url', choice.baseUrl)]),
    ...(keepsKey ? [] : [set('api_key', keyReference(chosen))]),
    ...(keepsAddress && choice.apiMode === settings.model.apiMode ? [] : [set('api_mode', choice.apiMode)]),
    ...(isSameModel ? [] : [set('context_length', undefined)]),
  ];
}

/** The provider's own variable is found anyway; any other one must be named. */
function keyReference({ provider, key, keyVariable }: ChosenModel): string | undefined {
  const variable = keyVariable ?? key?.variable;
  return variable === undefined || provider.keyVariables.includes(variable) ? undefined : `\${${variable}}`;
}
