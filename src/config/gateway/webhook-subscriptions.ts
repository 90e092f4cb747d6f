import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError, isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import { changeFile, writeFileAtomic } from '../../util/index.ts';

/** The routes that `hermes webhook` has saved, by name, in the format of the original. Unknown keys are kept. */
export type WebhookSubscriptions = Readonly<Record<string, JsonObject>>;

export function subscriptionsFile(home: string): string {
  return join(home, 'webhook_subscriptions.json');
}

/** Throws `ConfigurationError` if the file cannot be read, so that nothing is lost when it is changed. */
export async function readSubscriptions(home: string): Promise<WebhookSubscriptions> {
  const file = subscriptionsFile(home);
  const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return '{}';
    throw new ConfigurationError(`Cannot read ${file}: ${thrown.message}.`);
  });
  const content = parseJson(text.replace(/^\uFEFF/, ''));
  if (!isJsonObject(content))
    throw new ConfigurationError(`${file} is not a JSON object.`, { hint: 'Correct the file, or delete it.' });
  return Object.fromEntries(
    Object.entries(content).flatMap(([name, entry]) => (isJsonObject(entry) ? [[name, entry]] : [])),
  );
}

/** Changes the file while no other process does. `undefined` for no change. */
export async function changeSubscriptions(
  home: string,
  change: (current: WebhookSubscriptions) => WebhookSubscriptions | undefined,
): Promise<void> {
  const file = subscriptionsFile(home);
  await changeFile(file, async () => {
    const changed = change(await readSubscriptions(home));
    if (changed !== undefined) await writeFileAtomic(file, `${JSON.stringify(changed, null, 2)}\n`, { mode: 0o600 });
  });
}
