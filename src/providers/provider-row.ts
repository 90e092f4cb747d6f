import type { ApiMode } from '../contracts/index.ts';
import type { ModelQuirks } from '../llm/index.ts';

/** Everything that is specific to one provider. A new provider needs only a new row. */
export type ProviderRow = {
  id: string;
  /** The display name. */
  name: string;
  /** Other common names, and ids in existing configurations. */
  aliases?: readonly string[];
  /** Undefined if only the user can know it. */
  baseUrl?: string;
  /** Undefined if it is derived from the URL. */
  apiMode?: ApiMode;
  authType: AuthType;
  /** The variables that may contain the key, in order. The key is sent only to the host of `baseUrl`. */
  keyVariables: readonly string[];
  /** Key variables that other programs use too, so they do not select the provider. */
  sharedVariables?: readonly string[];
  /** Used if the user chose only the provider. */
  defaultModel?: string;
  /** A cheap model that is good enough for auxiliary tasks; undefined if none is known. */
  auxiliaryModel?: string;
  modelListing?: ModelListing;
  /** Sent with every request. Never a secret. */
  headers?: Readonly<Record<string, string>>;
  /** Deviations of its endpoint from the standard form of its API mode. */
  quirks?: ModelQuirks;
  /** Models that differ from the rest of the row; the first matching rule applies. */
  modelRules?: readonly ModelRule[];
  /** The model command, if the provider is a program instead of a host. */
  command?: ProviderCommand;
  /** Set for a cloud service, whose host depends on the account or the region. */
  cloud?: CloudService;
  /** Whether it is a local server, which needs no key and which setup searches for. */
  local?: true;
};

/**
 * How the provider authenticates users. A `command` handles its own login; `cloud` uses that of the cloud's own programs.
 */
export type AuthType = 'api_key' | 'login' | 'none' | 'command' | 'cloud';

export type CloudService = {
  login: 'aws' | 'google' | 'azure';
  /** The hosts to which a key or login may be sent. */
  hosts: RegExp;
  /** Custom endpoints at these hosts may be used with the general key, like those at unknown hosts. */
  generalKey?: true;
};

export type ModelRule = {
  /** Prefixes of model names, in lower case. */
  models: readonly string[];
  apiMode?: ApiMode;
  /** Merged over the quirks of the row. */
  quirks?: ModelQuirks;
};

/** How the model list is requested and read. */
export type ModelListing = {
  /** Defaults to `/models`; `false` if there is no list. */
  path?: string | false;
  /** What an entry must contain to be used. Entries without these fields are dropped. */
  wanted?: readonly EntryTest[];
};

/** A field of an entry and its required value; if the field is a list, the list must contain the value. */
export type EntryTest = { field: string; value: string };

export type ProviderCommand = {
  program: string;
  arguments: readonly string[];
  /** Variables that override the program, or its arguments in one line. */
  programVariables?: readonly string[];
  argumentsVariable?: string;
  /** Prefixes of the program's own variables. */
  variablePrefix: string;
  /** Advice for the user if the program is missing or not signed in, as full sentences. */
  install: string;
  login: string;
};
