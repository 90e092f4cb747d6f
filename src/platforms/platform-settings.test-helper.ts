import { readGatewayValues } from '../config/gateway/gateway-settings.ts';
import type { PlatformSettings } from '../config/gateway/index.ts';
import { PLATFORMS } from './index.ts';

type Values = NonNullable<Parameters<typeof readGatewayValues>[0]['platforms']>;

/** The settings of a platform as the configuration gives them; undefined if it is off. */
export function settingsOf(
  name: string,
  {
    values = {},
    variables = {},
    savedTokens = [],
  }: {
    values?: Values[string];
    variables?: Record<string, string>;
    savedTokens?: readonly string[];
  },
): PlatformSettings | undefined {
  const sources = { platforms: PLATFORMS, home: '', savedTokens: new Map([[name, savedTokens]]) };
  const { platforms } = readGatewayValues({ platforms: { [name]: values } }, variables, sources);
  return platforms.find((platform) => platform.name === name);
}
