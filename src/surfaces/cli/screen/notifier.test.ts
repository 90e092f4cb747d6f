import { expect, it } from 'vitest';
import type { DisplaySettings } from '../../../config/index.ts';
import { createNotifier } from './notifier.ts';

function written(settings: Pick<DisplaySettings, 'bell' | 'notifications'>, env = {}): string {
  let bytes = '';
  createNotifier({ write: (data) => void (bytes += data) }, env, settings)('Turn finished');
  return bytes;
}

it('rings the bell, and shows a notification where the terminal is known to support it', () => {
  const wezterm = { TERM_PROGRAM: 'WezTerm' };
  expect(written({ bell: true, notifications: 'auto' })).toBe('\u0007');
  expect(written({ bell: true, notifications: 'auto' }, wezterm)).toBe('\u001b]9;Hermes: Turn finished\u0007\u0007');
  expect(written({ bell: true, notifications: 'off' }, wezterm)).toBe('\u0007');
  expect(written({ bell: false, notifications: 'auto' }, wezterm)).toBe('');
});

it('uses the sequence that the settings choose in any terminal', () => {
  expect(written({ bell: false, notifications: 'osc9' })).toBe('\u001b]9;Hermes: Turn finished\u0007');
  expect(written({ bell: true, notifications: 'osc777' })).toBe('\u001b]777;notify;Hermes;Turn finished\u0007\u0007');
});
