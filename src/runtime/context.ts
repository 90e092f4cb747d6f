import type { ContextEngine, TokenMeter } from '../contracts/index.ts';

export function createContext(): { context: ContextEngine; meter: TokenMeter } {
  return {
    context: { name: 'none', shouldCompress: () => false, compress: async () => undefined, allow: () => undefined },
    meter: { ofMessages: () => 0, ofFixed: () => 0, learn: () => undefined },
  };
}
