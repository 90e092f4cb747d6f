import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runHermes } from '../../src/testing/index.ts';
import { useCliFixture } from '../support/cli-fixture.ts';

const fixture = useCliFixture();
/**
 * Limit for the system prompt and the tools together, including the tool bridge if there is a browser; TOOL-8 allows
 * 5,000.
 */
const MAX_FIXED_TOKENS = 5000;
const PROBE = join(import.meta.dirname, '../support/loaded-files.cjs');

/** A command about stored sessions loads at most this many source files: the parser, configuration and store. */
const MAX_SOURCE_FILES = 240;

/** The files that a command loads before its first request and after it, without hashes in their names. */
async function filesOf(args: readonly string[]) {
  // Otherwise Hermes would ask the local server for the window.
  await fixture.configure('  context_length: 65536\n');
  const log = join(fixture.home.path, 'loaded');
  const env = { NODE_OPTIONS: `--require ${PROBE}`, LOADED_FILES: log };
  const { exitCode, stderr } = await runHermes(args, { home: fixture.home, env });
  expect([exitCode, stderr]).toEqual([0, '']);
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  const names = lines.map((line) => basename(line).replace(/-[A-Z0-9]{8}\.js$/, '.js'));
  const at = names.indexOf('request');
  return { before: names.slice(0, at), after: names.slice(at + 1).filter((name) => name !== 'request') };
}

describe('startup', () => {
  it('loads one file of ours before the first request, whatever else exists', async () => {
    fixture.server.setScript([{ text: 'hello' }]);
    const { before, after } = await filesOf(['-z', 'hi']);
    expect(before).toEqual(['hermes.js', 'cli.js', 'run.js']);
    // Loaded while the model answers.
    expect(after[0]).toBe('part-answer.js');
    // Once for each change of config.yaml, after the answer.
    expect(after).toContain('part-keys.js');
    fixture.server.setScript([{ text: 'hello' }]);
    // The log has both runs.
    const again = (await filesOf(['-z', 'hi'])).after;
    expect(again.slice(again.lastIndexOf('run.js'))).not.toContain('part-keys.js');
  });

  it('is followed by loading the approval rules only for a command that needs them', async () => {
    const loadedFor = async (command: string) => {
      const terminal = { toolCalls: [{ name: 'terminal', arguments: { command } }] };
      fixture.server.setScript([terminal, { text: 'done' }]);
      return (await filesOf(['-z', 'go'])).after;
    };
    const plain = await loadedFor('echo there');
    expect(plain).toContain('part-turn.js');
    expect(plain).not.toContain('part-guard.js');
    expect(await loadedFor('echo one && echo two')).toContain('part-guard.js');
  });

  it.each(['list', 'stats'])('of sessions %s loads the command table and no other part', async (command) => {
    // The command makes no request, so all its files count as "after".
    const { after } = await filesOf(['sessions', command]);
    expect(after).toEqual(['hermes.js', 'cli.js', 'run.js', 'part-commands.js']);
  });

  it('of a command about sessions imports only what it needs from the sources', async () => {
    const log = join(fixture.home.path, 'loaded');
    const main = JSON.stringify(join(import.meta.dirname, '../../src/surfaces/cli/main.ts'));
    const script = `const { main } = await import(${main}); await main(['sessions', 'list']);`;
    const env = { ...process.env, HERMES_HOME: fixture.home.path, LOADED_FILES: log };
    await promisify(execFile)(process.execPath, ['--require', PROBE, '--input-type=module', '-e', script], { env });
    const files = readFileSync(log, 'utf8').trimEnd().split('\n');
    expect(files.filter((file) => /\/src\/(?:agent|llm|providers|tools|toolbox|prompt|context)\//.test(file))).toEqual(
      [],
    );
    expect(files.length).toBeLessThan(MAX_SOURCE_FILES);
  });

  it('stays within the token limit per call with the default tools', async () => {
    await fixture.configure();
    const { stdout } = await runHermes(['prompt-size', '--json'], { home: fixture.home });
    const { estimated_tokens: tokens } = JSON.parse(stdout) as { estimated_tokens: number };
    expect(tokens).toBeGreaterThan(1000);
    expect(tokens).toBeLessThan(MAX_FIXED_TOKENS);
  });
});
