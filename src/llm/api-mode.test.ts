import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { chooseApiMode } from './api-mode.ts';

describe('the API mode', () => {
  verifies('CALL-1', 'is the explicit one, then that of the provider, then a guess from the URL', () => {
    const baseUrl = 'https://api.anthropic.com';
    expect(chooseApiMode({ explicit: 'codex_responses', provider: 'chat_completions', baseUrl })).toBe(
      'codex_responses',
    );
    expect(chooseApiMode({ provider: 'chat_completions', baseUrl })).toBe('chat_completions');
    expect(chooseApiMode({ baseUrl })).toBe('anthropic_messages');
  });

  verifies('CALL-1', 'follows from the base URL', () => {
    const modes = {
      'https://api.anthropic.com/v1': 'anthropic_messages',
      'https://api.minimax.io/anthropic': 'anthropic_messages',
      'https://proxy.example/anthropic/': 'anthropic_messages',
      'https://proxy.example/anthropic/v1': 'anthropic_messages',
      'https://api.openai.com/v1': 'codex_responses',
      'https://chatgpt.com/backend-api/codex': 'codex_responses',
      'https://openrouter.ai/api/v1': 'chat_completions',
      'http://127.0.0.1:11434/v1': 'chat_completions',
      'https://api.openai.com.example.org/v1': 'chat_completions',
      'not a url': 'chat_completions',
    };
    for (const [baseUrl, mode] of Object.entries(modes)) expect(chooseApiMode({ baseUrl })).toBe(mode);
  });
});
