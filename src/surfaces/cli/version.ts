declare const HERMES_VERSION: string | undefined;

/** Written in by the build; the sources on their own have none. */
export const VERSION = typeof HERMES_VERSION === 'string' ? HERMES_VERSION : '0.0.0-sources';
