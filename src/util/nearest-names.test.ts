import { describe, expect, it } from 'vitest';
import { nearestNames } from './nearest-names.ts';

describe('nearestNames', () => {
  const models = ['gpt-5', 'gpt-5-mini', 'claude-opus-5', 'claude-sonnet-5', 'llama'];

  it('lists the closest names first and omits dissimilar ones', () => {
    expect(nearestNames('gtp-5', models, 3)).toEqual(['gpt-5']);
    expect(nearestNames('claude-sonet-5', models, 3)[0]).toBe('claude-sonnet-5');
    expect(nearestNames('zzz', models, 3)).toEqual([]);
  });

  it('finds a name that contains the given one', () => {
    expect(nearestNames('opus', ['anthropic/claude-opus-5', 'gpt-5'], 3)).toEqual(['anthropic/claude-opus-5']);
  });
});
