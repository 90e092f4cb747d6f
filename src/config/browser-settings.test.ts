import { describe, expect, it } from 'vitest';
import { readBrowserSettings } from './browser-settings.ts';
import { DEFAULT_BROWSER } from './settings.ts';

describe('browser.*', () => {
  it('has defaults, and takes an empty text for none', () => {
    expect(readBrowserSettings(undefined, {})).toEqual(DEFAULT_BROWSER);
    expect(readBrowserSettings({ cdp_url: '', executable_path: '' }, { BROWSER_CDP_URL: '' })).toEqual(DEFAULT_BROWSER);
  });

  it('comes from the file before the variables', () => {
    const variables = { BROWSER_CDP_URL: 'http://v:1', AGENT_BROWSER_EXECUTABLE_PATH: '/v' };
    expect(readBrowserSettings({}, variables)).toMatchObject({ cdpUrl: 'http://v:1', executable: '/v' });
    const file = { cdp_url: 'http://f:1', executable_path: '/f', headed: true, sandbox: false, inactivity_timeout: 5 };
    expect(
      readBrowserSettings({ ...file, enabled: false, allow_private_urls: true, command_timeout: 9 }, variables),
    ).toEqual({
      ...{ enabled: false, cdpUrl: 'http://f:1', executable: '/f', headed: true, sandbox: false },
      ...{ allowPrivate: true, idleSeconds: 5, commandSeconds: 9 },
    });
  });
});
