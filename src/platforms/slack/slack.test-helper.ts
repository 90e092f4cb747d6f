import type { Channel } from '../../contracts/index.ts';
import { createSlackChannels, type SlackOptions } from './slack-channel.ts';

/** A fake Slack. */
type Server = { url: string; appToken: string; workspace: { token: string } };

/** Opens a channel for each workspace, with short times. */
export function openSlack(server: Server, options: Partial<SlackOptions> = {}): Channel[] {
  const { times, ...others } = options;
  return createSlackChannels({
    tokens: [server.workspace.token],
    appToken: server.appToken,
    baseUrl: `${server.url}/api/`,
    variables: {},
    times: { callMs: 2000, pingMs: 30, silenceMs: 300, connectMs: 1000, overlapMs: 50, ...times },
    ...others,
  });
}

export const soon = () => AbortSignal.timeout(20_000);
