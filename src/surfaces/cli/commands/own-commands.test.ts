import { describe, expect } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createApprovalGuard } from '../../../approvals/index.ts';
import { PROGRAM } from './chat-command.ts';
import type { CommandRow, ValueRow } from './command-row.ts';
import { COMMANDS } from './table.ts';

const guard = createApprovalGuard({ home: '/home/ann', hermesHome: '/home/ann/.hermes' });
const verdictOf = async (command: string) => (await guard.judgeCommand(command, '/home/ann/project')).verdict;

type Call = { words: string; row: CommandRow };

function callsOf(rows: readonly CommandRow[], before = 'hermes'): Call[] {
  return rows.flatMap((row) =>
    [row.name, ...(row.aliases ?? [])].flatMap((name) => {
      const words = `${before} ${name}`;
      return [{ words, row }, ...callsOf(row.commands ?? [], words)];
    }),
  );
}

/** Every way to write an option: `-n 5`, `-n5`, `--lines 5`, `--lines=5`. */
function formsOf({ form }: ValueRow): string[] {
  const names = form.match(/(?<![\w-])--?[A-Za-z][\w-]*/g) ?? [];
  if (!/[<[]/.test(form)) return names;
  return names.flatMap((name) => [`${name} 5`, name.startsWith('--') ? `${name}=5` : `${name}5`]);
}

const CALLS = callsOf(COMMANDS);

describe('our own commands', () => {
  verifies('APPR-6', 'run without approval only if their row says that they only read', async () => {
    expect(CALLS.length).toBeGreaterThan(80);
    for (const { words, row } of CALLS) {
      const expected = row.onlyReads ? 'allow' : 'ask';
      expect([words, await verdictOf(words)]).toEqual([words, expected]);
      if (row.commands === undefined) expect([words, await verdictOf(`${words} a b`)]).toEqual([words, expected]);
      expect([words, await verdictOf(`${words} --help`)]).toEqual([words, 'allow']);
    }
  });

  verifies('APPR-6', 'need approval with an option that is not marked as reading', async () => {
    for (const { words, row } of CALLS) {
      for (const option of row.options ?? []) {
        const expected = row.onlyReads && option.onlyReads ? 'allow' : 'ask';
        for (const form of formsOf(option)) {
          const command = `${words} ${form}`;
          expect([command, await verdictOf(command)]).toEqual([command, expected]);
        }
      }
    }
  });

  verifies('APPR-6', 'need approval after a chat option that is not marked as reading', async () => {
    for (const option of PROGRAM.options ?? []) {
      for (const form of formsOf(option)) {
        const command = `hermes ${form} sessions list`;
        expect([command, await verdictOf(command)]).toEqual([command, option.onlyReads ? 'allow' : 'ask']);
      }
    }
  });

  verifies('APPR-6', 'need approval if a command or an option is unknown', async () => {
    for (const command of ['hermes new-command', 'hermes sessions new-command', 'hermes sessions list --new-option'])
      expect([command, await verdictOf(command)]).toEqual([command, 'ask']);
  });
});
