import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { verifies } from '../../../test/spec/verifies.ts';
import { noEnvironment } from '../batch.fixture.ts';
import { createToolSet, defineTool, inspectTools, selectTools, type Tool } from '../index.ts';
import { LEGACY_NAMES, NAMED_SETS } from './named-sets.ts';
import type { ToolChoice } from './select-tools.ts';

const make = (name: string, toolset: string, more = {}): Tool =>
  defineTool({
    name,
    toolset,
    description: '',
    parameters: z.object({}),
    concurrency: { mode: 'parallel' },
    run: async () => '',
    ...more,
  });
const TOOLS = [
  make('terminal', 'terminal'),
  make('read_file', 'file'),
  make('write_file', 'file'),
  make('web_search', 'web'),
  make('todo', 'todo'),
];
const FOREIGN = make('issue_list', 'mcp-tracker');

const list = (names: string[] | undefined, location = 'config.yaml: toolsets') => names && { names, location };
const choice = (enabled?: string[], disabled?: string[]): ToolChoice => ({
  enabled: list(enabled),
  disabled: list(disabled),
});
const chosen = (enabled?: string[], disabled?: string[]) => {
  const selection = selectTools(choice(enabled, disabled), TOOLS);
  const own = TOOLS.filter((tool) => selection(tool, true));
  return [...own, ...(selection(FOREIGN, false) ? [FOREIGN] : [])].map(({ name }) => name);
};
const ALL = [...TOOLS, FOREIGN].map(({ name }) => name);

describe('tool selection', () => {
  verifies('TOOL-3', 'enabled selects only those, disabled all others, both the difference, neither all', () => {
    expect(chosen()).toEqual(ALL);
    expect(chosen(['file', 'todo'])).toEqual(['read_file', 'write_file', 'todo']);
    expect(chosen(undefined, ['file'])).toEqual(['terminal', 'web_search', 'todo', 'issue_list']);
    expect(chosen(['file', 'todo'], ['todo'])).toEqual(['read_file', 'write_file']);
    expect(chosen([])).toEqual([]);
    expect(chosen(['all'], ['write_file'])).toEqual(ALL.filter((name) => name !== 'write_file'));
  });

  verifies('TOOL-3', 'is enabled minus disabled for any combination', () => {
    const names = fc.subarray([...Object.keys(NAMED_SETS), 'read_file', 'all', 'mcp-tracker']);
    fc.assert(
      fc.property(fc.option(names, { nil: undefined }), fc.option(names, { nil: undefined }), (enabled, disabled) => {
        const on = new Set(chosen(enabled));
        const off = new Set(disabled === undefined ? [] : chosen(disabled));
        expect(chosen(enabled, disabled)).toEqual(ALL.filter((name) => on.has(name) && !off.has(name)));
      }),
    );
  });

  verifies('TOOL-3', 'resolves nested sets, presets with third-party tools, and legacy names', () => {
    expect(chosen(['debugging'])).toEqual(['terminal', 'read_file', 'write_file', 'web_search']);
    expect(chosen(['hermes-cli'])).toEqual(ALL);
    expect(chosen(['hermes-webhook'])).toEqual(['web_search']);
    expect(chosen(['safe'])).toEqual(['web_search']);
    expect(chosen(['mcp-tracker'])).toEqual(['issue_list']);
    expect(chosen(['mcp-not-started-yet'])).toEqual([]);
    for (const [old, now] of Object.entries(LEGACY_NAMES)) expect(chosen([old]), old).toEqual(chosen([now]));
    for (const { includes = [] } of Object.values(NAMED_SETS)) {
      for (const name of includes) expect(NAMED_SETS).toHaveProperty(name);
    }
    for (const name of ['cli', 'telegram', 'acp', 'cron', 'api-server', 'webhook']) {
      expect(NAMED_SETS).toHaveProperty(`hermes-${name}`);
    }
  });

  verifies('TOOL-3', 'rejects an unknown name with its location and similar names', () => {
    expect(() => chosen(['terminl'])).toThrow(
      /config.yaml: toolsets: "terminl" is not a known tool set or tool. Did you mean terminal/,
    );
    for (const name of ['constructor', '__proto__', '', 'x'.repeat(9999)])
      expect(() => chosen([name])).toThrow('not a known tool set');
  });

  verifies(['TOOL-3', 'TOOL-2'], 'decides which tools are offered, and reports whether a set is usable', async () => {
    const needy = make('vision_analyze', 'vision', { requiredVariables: ['VISION_KEY'] });
    const tools = [...TOOLS, needy];
    const picked = choice(['file', 'vision', 'todo'], ['todo']);
    const set = createToolSet({ tools, selection: selectTools(picked, tools), environment: noEnvironment });
    expect((await set.definitions()).map(({ name }) => name)).toEqual(['read_file', 'write_file']);
    const off = selectTools(picked, tools);
    const report = await inspectTools(tools, (tool) => (off(tool, true) ? undefined : 'not chosen'), {
      variables: {},
      services: {},
    });
    const stateOf = (name: string) => report.sets.find((one) => one.name === name)?.state;
    expect([stateOf('file'), stateOf('vision'), stateOf('todo'), stateOf('coding')]).toEqual([
      'on',
      'unavailable',
      'off',
      'partly on',
    ]);
    expect(report.tools.find(({ name }) => name === 'vision_analyze')).toMatchObject({
      state: 'unavailable',
      reason: 'environment variable VISION_KEY is not set',
    });
  });

  it('never crashes on odd lists', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (names) => {
        let outcome = 'chosen';
        try {
          chosen(names);
        } catch (thrown) {
          outcome = (thrown as Error).name;
        }
        expect(['chosen', 'ConfigurationError']).toContain(outcome);
      }),
    );
  });
});
