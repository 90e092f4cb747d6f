import type { EnvironmentVariables } from './paths.ts';
import type { ConfigFile } from './schema.ts';
import { type BrowserSettings, DEFAULT_BROWSER } from './settings.ts';

/** `browser.*`; an empty text is the same as none, in a file and in a variable. */
export function readBrowserSettings(
  values: ConfigFile['browser'] = {},
  variables: EnvironmentVariables,
): BrowserSettings {
  return {
    enabled: values.enabled ?? DEFAULT_BROWSER.enabled,
    cdpUrl: values.cdp_url || variables['BROWSER_CDP_URL'] || undefined,
    executable: values.executable_path || variables['AGENT_BROWSER_EXECUTABLE_PATH'] || undefined,
    headed: values.headed ?? DEFAULT_BROWSER.headed,
    sandbox: values.sandbox,
    allowPrivate: values.allow_private_urls ?? DEFAULT_BROWSER.allowPrivate,
    idleSeconds: values.inactivity_timeout ?? DEFAULT_BROWSER.idleSeconds,
    commandSeconds: values.command_timeout ?? DEFAULT_BROWSER.commandSeconds,
  };
}
