import { ConfigurationError } from '../../base/index.ts';
import { nearestNames } from '../../util/index.ts';
import type { Tool } from '../tool.ts';
import { LEGACY_NAMES, NAMED_SETS } from './named-sets.ts';

/** Names of sets or single tools; undefined where nothing was said. `place` is where it was said. */
export type NameList = { names: readonly string[]; place: string };
export type ToolChoice = { enabled?: NameList | undefined; disabled?: NameList | undefined };

/** Which tools an agent has; `builtIn` are those that came with the program. */
export type ToolSelection = (tool: Tool, builtIn: boolean) => boolean;

/** Enabled: only those; disabled: all but those; both: the enabled ones without the disabled; neither: all. */
export function selectTools({ enabled, disabled }: ToolChoice, known: readonly Tool[]): ToolSelection {
  const wanted = enabled && resolveNames(enabled, known);
  const unwanted = disabled && resolveNames(disabled, known);
  return (tool, builtIn) => (wanted?.(tool, builtIn) ?? true) && !(unwanted?.(tool, builtIn) ?? false);
}

/** Why a tool was not chosen, in words that say where to change it; undefined where it was. */
export function whyNotChosen(
  { enabled, disabled }: ToolChoice,
  known: readonly Tool[],
): (tool: Tool, builtIn?: boolean) => string | undefined {
  const wanted = enabled && resolveNames(enabled, known);
  const unwanted = (disabled?.names ?? []).map((name) => ({
    name,
    covers: resolveNames({ names: [name], place: disabled?.place ?? '' }, known),
  }));
  return (tool, builtIn = true) => {
    const against = unwanted.find(({ covers }) => covers(tool, builtIn));
    if (against) return `${disabled?.place} names ${against.name}`;
    return wanted?.(tool, builtIn) === false ? `${enabled?.place} does not name it` : undefined;
  };
}

/** Who is meant by names: those of sets, of single tools, and `all`. */
export function resolveNames({ names, place }: NameList, known: readonly Tool[]): ToolSelection {
  const sets = new Set<string>();
  const tools = new Set<string>();
  const there = knownNames(known);
  let open = false;
  let all = false;

  function add(name: string): void {
    if (sets.has(name)) return;
    // The name itself may be the group that tools of servers and plugins declare.
    sets.add(name);
    const found = Object.hasOwn(NAMED_SETS, name) ? NAMED_SETS[name] : undefined;
    if (!found) tools.add(name);
    for (const tool of found?.tools ?? []) tools.add(tool);
    open ||= found?.open ?? false;
    found?.includes?.forEach(add);
  }

  for (const given of names) {
    const name = (Object.hasOwn(LEGACY_NAMES, given) ? LEGACY_NAMES[given] : undefined) ?? given;
    if (name === 'all' || name === '*') all = true;
    else if (there.has(name) || isOfOthers(name)) add(name);
    else throw unknownName(given, place, there);
  }
  return (tool, builtIn) => all || tools.has(tool.name) || sets.has(tool.toolset) || (open && !builtIn);
}

/** A server or plugin may still be starting: its names are taken on trust. */
function isOfOthers(name: string): boolean {
  return /^(?:mcp|plugin)[-_:]/.test(name);
}

function knownNames(known: readonly Tool[]): Set<string> {
  return new Set([
    ...Object.keys(NAMED_SETS),
    ...Object.values(NAMED_SETS).flatMap(({ tools = [] }) => tools),
    ...known.flatMap(({ name, toolset }) => [name, toolset]),
  ]);
}

function unknownName(name: string, place: string, known: ReadonlySet<string>): ConfigurationError {
  const near = nearestNames(name, [...known, ...Object.keys(LEGACY_NAMES)], 3);
  const meant = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`;
  return new ConfigurationError(`${place} names ${JSON.stringify(name)}, which is no tool set and no tool.${meant}`, {
    hint: '`hermes tools list` shows tool sets and tools.',
  });
}
