import type { JsonObject } from '../../src/base/index.ts';
import { loadGatewaySettings, type PlatformSettings } from '../../src/config/gateway/index.ts';
import { createTemporaryHome } from '../../src/testing/index.ts';
import { PLATFORMS } from '../../src/platforms/index.ts';

export type GivenSettings = {
  /** The keys below `platforms.NAME`. */
  values?: JsonObject;
  variables?: Record<string, string>;
  /** The content of other files in the home directory. */
  files?: Record<string, string>;
};

/** The settings of a platform as the configuration gives them; undefined if it is off. */
export async function settingsOf(
  name: string,
  { values = {}, variables = {}, files = {} }: GivenSettings,
): Promise<PlatformSettings | undefined> {
  const config = JSON.stringify({ platforms: { [name]: values } });
  await using home = await createTemporaryHome({ ...files, 'config.yaml': config });
  const { platforms } = await loadGatewaySettings({ home: home.path, env: variables, platforms: PLATFORMS });
  return platforms.find((platform) => platform.name === name);
}
