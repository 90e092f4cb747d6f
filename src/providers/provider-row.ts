import type { ApiMode } from '../contracts/index.ts';
import type { ModelQuirks } from '../llm/index.ts';

/** Everything that makes one provider different from another. Adding a provider is adding a row. */
export type ProviderRow = {
  id: string;
  /** As people know it. */
  name: string;
  /** Other words people use for it, and ids that existing configurations have. */
  aliases?: readonly string[];
  /** Absent where only the person can know it. */
  baseUrl?: string;
  /** Absent where the address decides. */
  apiMode?: ApiMode;
  authType: AuthType;
  /** Where its key is looked for, first one first. Such a key only ever goes to the host of `baseUrl`. */
  keyVariables: readonly string[];
  /** Those of `keyVariables` that people set for other programs too: they do not choose the provider by themselves. */
  sharedVariables?: readonly string[];
  /** Used where a person chose the provider and nothing else. */
  defaultModel?: string;
  /** A cheap model that is good enough for the tasks beside the chat; absent where none is known for sure. */
  auxiliaryModel?: string;
  modelListing?: ModelListing;
  /** Sent with every request. Never a secret. */
  headers?: Readonly<Record<string, string>>;
  /** How its endpoint differs from the plain form of its API mode. */
  quirks?: ModelQuirks;
  /** Models that differ from the rest of the row; the first rule that fits counts. */
  modelRules?: readonly ModelRule[];
  /** The program that is talked to instead of a host. */
  command?: ProviderCommand;
  /** A server on the person's own machine: no key, looked for during set-up. */
  local?: true;
};

/** What a provider wants before it answers. A `command` has its own way of knowing who asks. */
export type AuthType = 'api_key' | 'login' | 'none' | 'command';

export type ModelRule = {
  /** Beginnings of model names, lower case. */
  models: readonly string[];
  apiMode?: ApiMode;
  /** Laid over the row's own. */
  quirks?: ModelQuirks;
};

/** How the list of models is asked for and read. */
export type ModelListing = {
  /** Absent: `/models`. `false` where there is no list. */
  path?: string | false;
  /** What an entry must say so that it is offered. An entry that says nothing of it is left out. */
  wanted?: readonly EntryTest[];
};

/** A field of an entry and the value that it has, or has among others. */
export type EntryTest = { field: string; value: string };

export type ProviderCommand = {
  program: string;
  arguments: readonly string[];
  /** Variables with which a person names another program, or other arguments in one line. */
  programVariables?: readonly string[];
  argumentsVariable?: string;
  /** Variables whose names begin like this are the program's own. */
  variablePrefix: string;
  /** What to do where the program is missing, and where nobody is logged in, as sentences for the person. */
  install: string;
  login: string;
};
