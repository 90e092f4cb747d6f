import { describe, expect, it } from 'vitest';
import { createTemporaryHome } from '../../testing/index.ts';
import { PLATFORMS } from '../../platforms/index.ts';
import type { Platform } from '../../contracts/index.ts';
import { loadGatewaySettings } from './index.ts';

/** A platform without edits, whose users answer late. */
const MAIL: Platform = {
  name: 'mail',
  label: 'Mail',
  required: ['ADDRESS'],
  settings: {},
  hasGroups: false,
  display: 'plain',
  answerSeconds: 86_400,
  setup: { steps: [], tokens: [{ variable: 'MAIL_ADDRESS', label: 'address' }], idHelp: '', firstContact: () => '' },
  open: async () => [],
};

async function displayOf(platform: string, yaml: string, env: Record<string, string> = {}) {
  await using home = await createTemporaryHome({ 'config.yaml': yaml });
  return (await loadGatewaySettings({ home: home.path, env, platforms: [...PLATFORMS, MAIL] })).displayOf(platform);
}

describe('what chats show', () => {
  it('has the defaults of the original for each platform', async () => {
    expect(await displayOf('telegram', '')).toEqual({
      streaming: undefined,
      toolProgress: 'all',
      previewLength: 40,
      cleanupProgress: false,
      interimMessages: true,
      showReasoning: false,
      longRunning: true,
      reactions: false,
      answerSeconds: 300,
      inactivitySeconds: 1800,
    });
    expect(await displayOf('discord', '')).toMatchObject({ toolProgress: 'all', reactions: true });
    expect(await displayOf('slack', '')).toMatchObject({ toolProgress: 'new', interimMessages: true });
    const streaming = 'streaming: { enabled: true }';
    expect(await displayOf('mail', streaming)).toMatchObject({
      streaming: undefined,
      toolProgress: 'off',
      interimMessages: false,
      longRunning: false,
      answerSeconds: 86_400,
    });
    expect((await displayOf('slack', streaming)).streaming).toEqual({
      transport: 'auto',
      editIntervalMs: 1000,
      bufferThreshold: 40,
      cursor: ' ▉',
    });
  });

  it('prefers the keys of a platform, then the general ones, then variables', async () => {
    const file = `
streaming: { enabled: true, transport: edit, edit_interval: 0.3, buffer_threshold: 5, cursor: '_' }
approvals: { gateway_timeout: 60 }
display:
  tool_progress: off
  show_reasoning: yes
  tool_preview_length: 0
  tool_progress_overrides: { discord: verbose }
  platforms:
    telegram: { tool_progress: new, streaming: false, tool_preview_length: 80, cleanup_progress: true }
    mail: { streaming: true }
`;
    const env = { TELEGRAM_REACTIONS: 'true', DISCORD_REACTIONS: 'off', HERMES_TOOL_PROGRESS_MODE: 'verbose' };
    expect(await displayOf('telegram', file, env)).toMatchObject({
      streaming: undefined,
      toolProgress: 'new',
      previewLength: 80,
      cleanupProgress: true,
      showReasoning: true,
      reactions: true,
    });
    expect(await displayOf('discord', file, env)).toMatchObject({ toolProgress: 'verbose', reactions: false });
    expect(await displayOf('mail', file, env)).toMatchObject({
      streaming: { transport: 'edit', editIntervalMs: 300, bufferThreshold: 5, cursor: '_' },
      toolProgress: 'off',
      answerSeconds: 60,
    });
    expect((await displayOf('slack', '', env)).toolProgress).toBe('verbose');
    const off = 'streaming: { enabled: true, transport: off }';
    expect((await displayOf('slack', off)).streaming).toBeUndefined();
    await expect(displayOf('slack', 'display: { tool_progress: some }')).rejects.toThrow(/off, new, all or verbose/);
  });
});
