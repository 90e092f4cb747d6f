import { loadSettings, resolveHome } from '../../../config/index.ts';
import { type FixedCost, measureFixedCost } from '../../../runtime/index.ts';
import type { CliIo } from '../cli-io.ts';
import { formatTable } from '../../text/table.ts';
import { writeNotice } from '../report-error.ts';
import { writeJson } from '../sessions/write-json.ts';

export type PromptSizeOptions = { toolsets?: readonly string[]; json?: boolean };
type Piece = {
  part: 'system prompt' | 'tool';
  name: string;
  /** The file that the text was read from. */
  file?: string;
  characters: number;
  estimatedTokens: number;
  isUserText: boolean;
};

/** The average of our own prompt and tool definitions, counted with o200k (4.48), rounded down. */
const CHARACTERS_PER_TOKEN = 4.4;

/** Shows the size of the fixed part of each request. It uses no network and no tokenizer, so tokens are estimates. */
export async function showPromptSize({ toolsets, json }: PromptSizeOptions, io: CliIo): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const cost = await measureFixedCost(settings, { workingDirectory: io.workingDirectory, toolsets });
  const pieces = piecesOf(cost);
  const total = sum(pieces);
  const fixed = sum(pieces.filter(({ isUserText }) => !isUserText));
  if (json) writeJson(io.stdout, { pieces: pieces.map(withoutMark), ...total, fixed, warnings: cost.warnings });
  else io.stdout.write(format(pieces, { fixed, total }));
  for (const warning of json ? [] : cost.warnings) writeNotice(io, warning);
  return 0;
}

function piecesOf({ system, tools }: FixedCost): Piece[] {
  const piece = (part: Piece['part']) => (layer: FixedCost['tools'][number]) => {
    const { name, file } = layer;
    const characters = layer.text.length;
    const estimatedTokens = Math.ceil(characters / CHARACTERS_PER_TOKEN);
    const { isUserText = false } = layer;
    return { part, name, ...(file !== undefined && { file }), characters, estimatedTokens, isUserText };
  };
  return [...system.map(piece('system prompt')), ...tools.map(piece('tool'))];
}

function withoutMark({ isUserText: _, ...piece }: Piece) {
  return piece;
}

function sum(pieces: readonly Piece[]): { characters: number; estimatedTokens: number } {
  const characters = pieces.reduce((all, piece) => all + piece.characters, 0);
  return { characters, estimatedTokens: Math.ceil(characters / CHARACTERS_PER_TOKEN) };
}

function format(pieces: readonly Piece[], sums: Record<'fixed' | 'total', ReturnType<typeof sum>>): string {
  const rows = pieces.map(({ part, name, file, characters, estimatedTokens }) => [
    `${part}: ${file === undefined ? name : `${name} (${file})`}`,
    String(characters),
    String(estimatedTokens),
  ]);
  const head = ['', 'characters', 'tokens (estimate)'];
  const totals = Object.entries(sums).map(([name, { characters, estimatedTokens }]) => [
    name === 'fixed' ? 'fixed (without SOUL.md, project files and memory)' : name,
    String(characters),
    String(estimatedTokens),
  ]);
  return formatTable([head, ...rows, ...totals]);
}
