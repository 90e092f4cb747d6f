import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { systemClock } from '../base/index.ts';
import { loadSettings } from '../config/index.ts';
import { type CompressionInput, type ContextEngine, silentLogger } from '../contracts/index.ts';
import { createTemporaryHome } from '../testing/index.ts';
import { findContextEngine } from './open-context.ts';

const PARTS = { auxiliary: undefined, logger: silentLogger, clock: systemClock };
const WINDOW = { lineageId: 'one', tokens: 1, contextLength: 100 };
const EAGER = `export const createContextEngine = ({ clock }) => ({
  name: 'whatever', shouldCompress: () => clock.now() > 0, compress: async () => { throw new Error('a fault of its own'); }, allow() {},
});`;

/** Finds the engine of this name, with this content in its folder. */
async function find(name: string, module?: string, registered?: Parameters<typeof findContextEngine>[2]) {
  const home = await createTemporaryHome();
  onTestFinished(() => home.remove());
  await writeFile(join(home.path, 'config.yaml'), `context: { engine: ${name} }`);
  const folder = join(home.path, 'plugins', 'context_engine', name);
  if (module !== undefined) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'index.mjs'), module);
  }
  return findContextEngine(await loadSettings({ home: home.path, env: {} }), PARTS, registered);
}

describe('context.engine', () => {
  verifies('CTX-1', 'prefers an engine in the home directory over one that a plugin registered', async () => {
    const registered: ContextEngine = {
      name: 'x',
      shouldCompress: () => false,
      compress: async () => undefined,
      allow() {},
    };
    const own = await find('mine', EAGER, { mine: () => registered });
    expect(own).toMatchObject({ engine: { name: 'mine' } });
    expect(own.engine.shouldCompress(WINDOW)).toBe(true);
    const other = await find('theirs', undefined, { theirs: async () => registered });
    expect(other.warning).toBeUndefined();
    expect(other.engine.shouldCompress(WINDOW)).toBe(false);
  });

  verifies('CTX-1', 'always uses the built-in engines for built-in names', async () => {
    for (const name of ['compressor', 'lossless']) {
      const { engine, warning } = await find(name, EAGER);
      expect([engine.name, warning, engine.shouldCompress(WINDOW)]).toEqual([name, undefined, false]);
    }
  });

  verifies(['CTX-1', 'BOUND-2'], 'falls back to the default with a warning if the engine cannot be used', async () => {
    const reasons: [module: string | undefined, reason: RegExp][] = [
      [undefined, /context_engine.mine does not exist/],
      ['export const nothing = 1;', /does not export createContextEngine/],
      ['throw new Error("broken inside");', /broken inside/],
      ['export const createContextEngine = () => ({ compress() {} });', /does not implement shouldCompress, allow/],
    ];
    for (const [module, reason] of reasons) {
      const { engine, warning } = await find('mine', module);
      expect(engine.name).toBe('compressor');
      expect(warning).toMatch(/^context.engine: "mine" cannot be used \(.*; using compressor instead\.$/s);
      expect(warning).toMatch(reason);
    }
  });

  verifies(
    ['CTX-1', 'BOUND-2'],
    'treats an engine that throws as having saved nothing, without ending the turn',
    async () => {
      const { engine } = await find('mine', EAGER);
      const input = { signal: new AbortController().signal } as CompressionInput;
      expect(await engine.compress(input)).toBeUndefined();
      const stopped = { signal: AbortSignal.abort(new Error('stopped')) } as CompressionInput;
      await expect(engine.compress(stopped)).rejects.toThrow('stopped');
    },
  );
});
