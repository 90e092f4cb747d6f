import { expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import type { ApprovalAnswer } from '../../../base/index.ts';
import { loadSettings } from '../../../config/index.ts';
import type { ApprovalQuestion } from '../../../contracts/index.ts';
import { createTemporaryHome } from '../../../testing/index.ts';
import { buildApprovalGuard } from '../../../runtime/index.ts';
import { denyForOutsideText, guardOutsideText } from './outside-text-guard.ts';

async function open(changes: Partial<Parameters<typeof buildApprovalGuard>[0]> = {}, config = '') {
  await using home = await createTemporaryHome({ 'config.yaml': config });
  const settings = await loadSettings({ home: home.path, env: {} });
  const state = { text: undefined as string | undefined, answer: 'deny' as ApprovalAnswer };
  const asked: string[][] = [];
  const stored: string[] = [];
  const guard = buildApprovalGuard({
    settings,
    source: 'telegram',
    attended: true,
    restrictGuard: (made, facts) => guardOutsideText(made, facts, () => state.text),
    onAlways: (entry) => void stored.push(entry),
    ...changes,
  });
  const agent = { approvedRules: new Set<string>() };
  const interaction = {
    approve: async ({ reasons }: { reasons: readonly { rule: string }[] }) => {
      asked.push(reasons.map(({ rule }) => rule));
      return state.answer;
    },
    clarify: async () => undefined,
  };
  const decide = async (question: Partial<ApprovalQuestion> = {}) => {
    const whole = { toolName: 'terminal', subject: 'ls', judgement: await guard.judgeCommand('ls', '/') };
    return (await guard.decide({ ...whole, ...question }, { interaction, agent })).allowed;
  };
  return { guard, state, asked, stored, decide };
}

const RULE = (text: string) => `act in a conversation that contains text of others (${text})`;

verifies('GW-24', 'text of others makes every command need approval, whatever the allow-list says', async () => {
  const { state, asked, stored, decide } = await open({}, 'command_allowlist: [ls]\n');
  expect(await decide()).toBe(true);
  state.text = 'a file';
  expect(await decide()).toBe(false);
  expect(asked).toEqual([[RULE('a file')]]);
  expect(await decide({ access: 'read' })).toBe(true);
  expect(await decide({ access: 'write' })).toBe(true);
  state.answer = 'always';
  expect(await decide()).toBe(true);
  expect(stored).toEqual([]);
  state.answer = 'deny';
  expect(await decide()).toBe(true);
  state.text = '2 files';
  expect(await decide()).toBe(false);
  expect(asked.at(-1)).toEqual([RULE('2 files')]);
  state.text = undefined;
  expect(await decide()).toBe(true);
});

verifies('GW-24', 'tools that send need approval too, but not those that only read', async () => {
  const { guard, state } = await open();
  const verdict = (tool: { reads: boolean; sends?: boolean }) =>
    guard.judgeTool({ name: 'x', asks: false, ...tool }).verdict;
  expect(verdict({ reads: true, sends: true })).toBe('allow');
  state.text = 'a quoted message';
  expect(verdict({ reads: true })).toBe('allow');
  expect(verdict({ reads: true, sends: true })).toBe('ask');
  expect(verdict({ reads: false })).toBe('ask');
});

it('denies it without a user, and follows approvals.mode: off', async () => {
  const unattended = await open({ attended: false }, 'approvals: { single_query_mode: approve }\n');
  unattended.state.text = 'a file';
  expect(await unattended.decide()).toBe(false);
  const off = await open({}, 'approvals: { mode: "off" }\n');
  off.state.text = 'a file';
  expect(await off.decide()).toBe(true);
});

verifies(
  'GW-24',
  'an agent that nobody watches does nothing for text of others, whatever the settings are',
  async () => {
    const urls = ['https://github.com/a/b/pull/7.diff'];
    const state = { text: undefined as string | undefined };
    const config = 'approvals: { mode: "off", single_query_mode: approve }\ncommand_allowlist: [ls]\n';
    const restrictGuard: NonNullable<Parameters<typeof buildApprovalGuard>[0]['restrictGuard']> = (guard) =>
      denyForOutsideText(guard, () => state.text, urls);
    const { guard, decide } = await open({ attended: false, source: 'webhook', yolo: true, restrictGuard }, config);
    const allow = { verdict: 'allow', reasons: [] } as const;
    const write: Partial<ApprovalQuestion> = {
      access: 'write',
      toolName: 'write_file',
      judgement: { ...allow, reasons: [] },
    };
    const fetching = (...pages: string[]) => {
      const judgement = guard.judgeTool({ name: 'web_extract', reads: true, asks: false, sends: true });
      return decide({ toolName: 'web_extract', subject: pages.join('\n'), judgement });
    };
    expect([guard.planMode, await decide(), await decide(write), await fetching('https://x.example')]).toEqual([
      false,
      true,
      true,
      true,
    ]);
    state.text = 'a webhook request';
    expect([guard.planMode, await decide(), await decide(write), await decide({ access: 'read' })]).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(await fetching(...urls)).toBe(true);
    expect(await fetching(...urls, 'https://evil.example')).toBe(false);
    expect(await fetching(`${urls[0]}?stolen`)).toBe(false);
    expect(guard.judgeTool({ name: 'mcp_tool', reads: false, asks: false }).verdict).toBe('ask');
  },
);
