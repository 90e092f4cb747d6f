import { type ConfigChange, updateConfig, updateEnvFile } from '../../../config/index.ts';
import type { ProviderRow } from '../../../providers/index.ts';

/** What set-up found out. */
export type SetupChoice = {
  provider: ProviderRow;
  model: string;
  baseUrl?: string;
  /** A key that was typed in; it is saved beside the configuration, never in it. */
  key?: { variable: string; secret: string };
  /** A variable the person keeps the key in already. */
  keyVariable?: string;
};

/** Writes down a choice and leaves everything else in both files as it is. */
export async function saveChoice(home: string, choice: SetupChoice): Promise<void> {
  const { provider, model, baseUrl, key, keyVariable } = choice;
  if (key !== undefined) await updateEnvFile(home, { [key.variable]: key.secret });
  const variable = keyVariable ?? key?.variable;
  // The provider's own variable is found anyway; any other one must be named.
  const named = variable !== undefined && !provider.keyVariables.includes(variable);
  const changes: ConfigChange[] = [
    { path: ['model', 'provider'], value: provider.id },
    { path: ['model', 'default'], value: model },
    { path: ['model', 'base_url'], value: baseUrl === provider.baseUrl ? undefined : baseUrl },
    { path: ['model', 'api_key'], value: named ? `\${${variable}}` : undefined },
    // Both belong to the model that was chosen before.
    { path: ['model', 'api_mode'], value: undefined },
    { path: ['model', 'context_length'], value: undefined },
  ];
  await updateConfig(home, changes);
}
